"""`python -m inspector`: the same as the command `inspector`."""

import sys

from inspector.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
