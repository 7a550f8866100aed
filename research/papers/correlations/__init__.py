"""Paper 001's tables of correlations, cell by cell."""
