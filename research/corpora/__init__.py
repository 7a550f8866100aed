"""Corpora that the papers and the recipe need: their readers, and sets derived from them."""
