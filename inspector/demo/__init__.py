"""A workspace with live runs of every runtime, for trying Inspector out."""
