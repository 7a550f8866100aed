"""The only room that loads weights: what a model reads, the runtime, and what is shipped."""
