"""Paper 002: omissions and hallucinations by natural language inference."""
