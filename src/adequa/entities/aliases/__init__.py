"""Other names of entities: a user's dictionary, or a file built from DBpedia and Wikidata."""
