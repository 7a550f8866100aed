"""From runs to a sample of texts that people are asked about."""
