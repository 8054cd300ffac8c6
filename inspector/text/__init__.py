"""Makes untrusted text safe: escapes, masks, clips and measures it."""
