"""The mention detector: which entities of the data a text mentions, where, and how sure that is."""
