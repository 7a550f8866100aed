"""Paper 003: joint representations of graphs and texts."""
