"""Plain language: labels, predicates, words, sentences and values. Knows no metric."""
