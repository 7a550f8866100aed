"""Paper 002 (Dušek and Kasner, 2020): omissions and hallucinations by language inference."""
