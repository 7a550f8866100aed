"""Training of the relation reader, which says whether a text states a relation between two names.

`sources` reads the corpora, `lexicon` collects the wordings of relations, `phrases` and `scenes`
compose texts, `groups` holds texts that differ in one thing, `mixture` draws them, `rows` encodes
them, `torch_training` learns, `figures` evaluates on held-out data, `calibration` fits the line
from logits to probabilities. `python -m research.relations` runs it all.
"""
