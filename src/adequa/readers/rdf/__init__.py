"""The RDF reader; imported by name, since it loads pyoxigraph."""
