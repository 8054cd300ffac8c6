"""Pure derivations, free of any runtime and of any file: tree, axis, findings, filters."""
