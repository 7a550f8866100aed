"""Not installed: paper reproductions, corpora, and the recipe of the shipped weights."""
