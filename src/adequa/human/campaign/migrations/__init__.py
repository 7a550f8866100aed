"""The versions of a campaign's database, one module each; none changes after a release."""
