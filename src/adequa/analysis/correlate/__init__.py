"""How well each metric agrees with people, and how sure that is."""
