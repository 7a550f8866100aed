"""What is met in a browser: the pages of a campaign. Needs the extra `web`."""
