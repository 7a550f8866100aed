"""RDF in any syntax: named graphs, or subjects, as items."""
