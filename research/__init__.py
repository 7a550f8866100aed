"""Papers, corpora and the recipe of the shipped weights: the lab beside the package."""
