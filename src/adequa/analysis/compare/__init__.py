"""Systems side by side, and whether their differences mean anything."""
