"""The tabs of a run: what each shows and does."""
