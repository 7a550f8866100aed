"""`adequa aliases`: other names of entities, built from dumps and looked up."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from adequa.cli.options import (
    Force,
    Json,
    Quiet,
    argument,
    echo,
    echo_json,
    echo_table,
    group,
    option,
)
from adequa.progress import progress_bar

aliases = group("aliases", "Build and look up entity aliases.")


@aliases.command()
def build(
    dumps: Annotated[
        list[Path], argument("DUMP…", "N-Triples or Turtle, plain or compressed (.gz, .bz2, .xz).")
    ],
    out: Annotated[Path, option("FILE", "The SQLite file to write.", "--out", "-o")],
    lang: Annotated[str, option("TAG", "The language of the names.")] = "en",
    only: Annotated[
        Path | None, option("FILE", "Keep only the entities in FILE, one per line.")
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Build a file of aliases from DBpedia or Wikidata dumps.

    Collects labels, aliases, nicknames and redirects. Dumps are streamed and may be of any size.

    Example: adequa aliases build labels_en.ttl.bz2 redirects_en.ttl.bz2 --out aliases.sqlite
    """
    from adequa.entities.aliases.builder import build_aliases, read_entities

    entities = None if only is None else read_entities(only)
    with progress_bar("bytes read", quiet=quiet) as progress:
        report = build_aliases(dumps, out, lang=lang, only=entities, force=force, progress=progress)
    if as_json:
        echo_json({"out": str(out), **vars(report)})
        return
    echo(
        f"{report.aliases:,} aliases of {report.entities:,} entities"
        f" from {report.statements:,} statements: {out}"
    )
    left_out = (
        (report.dangerous, "dangerous aliases (a single character, or without letters)"),
        (report.unusable, "unusable aliases (very long, or of lists and categories)"),
        (report.cycles, "circular redirects"),
    )
    for count, what in left_out:
        if count:
            echo(f"left out: {count:,} {what}")


@aliases.command()
def show(
    path: Annotated[Path, argument("ALIASES", "A .tsv, .json or .sqlite file of aliases.")],
    entities: Annotated[list[str], argument("ENTITY…", "The entities to look up.")],
    as_json: Json = False,
) -> None:
    """Show the aliases of entities, best first.

    Example: adequa aliases show aliases.sqlite Aarhus_Airport Q90
    """
    from adequa.entities.aliases.lookup import open_aliases

    known = open_aliases(path)
    found = {entity: known.of(entity) for entity in entities}
    if as_json:
        echo_json(found)
        return
    rows = [
        [entity if number == 0 else "", alias]
        for entity, names in found.items()
        for number, alias in enumerate(names or (None,))
    ]
    echo_table(["entity", "alias"], rows)
