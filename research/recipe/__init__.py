"""The recipe of the shipped weights, beyond what `adequa train` does for users."""
