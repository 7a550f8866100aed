"""Papers 000 and 001: entity-based semantic adequacy."""
