"""The world models of an OpenProse run: versions of each node, their bytes, what differs."""
