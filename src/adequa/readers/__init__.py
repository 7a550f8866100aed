"""Files in, items out: the formats there are, and how a path finds its reader."""
