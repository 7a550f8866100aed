"""A stream of items scored into a folder, resumable at any moment."""
