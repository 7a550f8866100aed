"""Other names of entities: a user's dictionary, or a file built from DBpedia and Wikidata dumps."""

from adequa.entities.aliases.builder import BuildReport, build_aliases, read_entities
from adequa.entities.aliases.lookup import Aliases, AliasStore, Dictionary, open_aliases

__all__ = [
    "AliasStore", "Aliases", "BuildReport", "Dictionary", "build_aliases", "open_aliases",
    "read_entities",
]  # fmt: skip
