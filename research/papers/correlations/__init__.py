"""The correlation tables of paper 001, cell by cell."""
