"""How far to trust each rater: agreement, patterns, speed, controls, and a report to decide on."""
