"""Omissions and hallucinations by entailment: evidence, verdict, templates."""
