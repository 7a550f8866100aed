"""The recipe of the shipped weights, beyond `adequa train encoder` and `verifier`."""
