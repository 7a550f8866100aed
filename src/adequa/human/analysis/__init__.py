"""From judgments to means, groups and ranks of systems."""
