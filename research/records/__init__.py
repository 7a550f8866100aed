"""Records written by hand: how credible findings on them are, and a model that reads them."""
