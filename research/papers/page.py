"""All papers on one HTML page: their tables and figures and ours, each with its command.

The part of each paper can be kept in a folder, so that the page can be continued after a stop and
one paper can be replaced.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from adequa import __version__
from adequa.errors import DataError, require_known
from adequa.report import asset
from adequa.training.setup import commit_of
from research.papers.section import Chapter, Content, Reproduction, Section, write_texts

Reproduce = Callable[[Path], Reproduction]

_STYLE = """
body { margin: 0 auto; max-width: 76rem; padding: 1rem 1.5rem 4rem; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
a { color: var(--link); } nav ul { columns: 2; } h1, h2, h3 { line-height: 1.25; }
h2 { margin-top: 3rem; border-bottom: 2px solid var(--rule); }
pre { background: var(--raised); padding: .5rem .8rem; overflow-x: auto; border-radius: 4px; }
.wide { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: .84rem; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
th, td { text-align: left; padding: .15rem .6rem .15rem 0; border-top: 1px solid var(--rule);
  vertical-align: top; }
thead th { border-top: 0; color: var(--quiet); vertical-align: bottom; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
thead .number { white-space: normal; }
figure { margin: 1rem 0; } figure img { max-width: 100%; background: white; }
figcaption, .notes, .signature { color: var(--quiet); font-size: .86rem; overflow-wrap: anywhere; }
"""


@dataclass(frozen=True)
class Paper:
    """A paper with the command that reproduces it, and the function behind that command."""

    name: str
    title: str
    command: str
    reproduce: Reproduce
    by_section: bool = False
    """Whether the command has `--only`."""


def papers_page(
    papers: Sequence[Paper],
    data: Path,
    *,
    only: Sequence[str] = (),
    keep: Path | None = None,
    report: Callable[[str], None] = lambda what: None,  # noqa: ARG005
) -> str:
    """The page. A part that is in the folder `keep` is used as it is, unless `only` names it.

    With `only`, papers that are not named and not in `keep` are left out. Without it, a kept part
    that another command made is an error.
    """
    require_known("paper", only, [paper.name for paper in papers])
    if keep is not None and not only:
        for paper in papers:
            _require_same_command(paper, keep / f"{paper.name}.html")
    parts: dict[str, str] = {}
    for paper in papers:
        kept = None if keep is None else keep / f"{paper.name}.html"
        if kept is not None and kept.is_file() and paper.name not in only:
            parts[paper.name] = kept.read_text(encoding="utf-8")
            report(f"{paper.name}: taken from {kept}")
        elif not only or paper.name in only:
            report(f"{paper.name}: {paper.command}")
            found, whole = _reproduced(paper, data)
            parts[paper.name] = "\n".join(paper_part(paper, found))
            if keep is not None and whole:
                write_texts({f"{paper.name}.html": parts[paper.name]}, keep)
    return "\n".join(_page([paper for paper in papers if paper.name in parts], parts))


def _require_same_command(paper: Paper, kept: Path) -> None:
    if kept.is_file() and _command(paper.command) not in kept.read_text(encoding="utf-8"):
        raise DataError(
            f"was not made by {paper.command!r}",
            path=kept,
            remedy=f"give the options that it was made with, --only {paper.name} to replace it, or "
            "another folder",
        )


def _reproduced(paper: Paper, data: Path) -> tuple[Reproduction, bool]:
    """A paper and whether it could be reproduced; without its data, only the reason is shown."""
    try:
        return paper.reproduce(data), True
    except DataError as error:
        return Reproduction([Chapter(absent=[str(error)])]), False


def _page(papers: Sequence[Paper], parts: Mapping[str, str]) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield "<title>The papers and adequa</title>"
    yield f"<style>{asset('components.css')}{_STYLE}</style>\n</head>\n<body>"
    yield "<h1>The papers and adequa</h1>"
    yield (
        "<p>Every table and figure that can be reproduced, the paper's numbers beside ours. n/a "
        "marks what cannot, with the reason. DIR is the folder of the research data.</p>"
    )
    links = (f'<li><a href="#{paper.name}">{escape(paper.title)}</a>' for paper in papers)
    yield "<nav><ul>" + "".join(links) + "</ul></nav>"
    for paper in papers:
        yield parts[paper.name]
    yield "</body>\n</html>\n"


def paper_part(paper: Paper, found: Reproduction) -> Iterator[str]:
    """The part of one paper."""
    yield f'<section id="{escape(paper.name)}">\n<h2>{escape(paper.title)}</h2>'
    yield _command(paper.command)
    signature = f"{found.signature}; " if found.signature else ""
    yield _signature(f"{signature}adequa {__version__}, commit {commit_of() or 'unknown'}")
    for chapter in found.chapters:
        if len(chapter.sections) > 1:
            yield _links(paper, chapter)
    for chapter in found.chapters:
        yield from _chapter(paper, chapter)
    yield "</section>"


def _links(paper: Paper, chapter: Chapter) -> str:
    """A line of links to the sections of a chapter."""
    named = [
        f'<a href="#{_place(paper, chapter, section)}">{escape(section.key)}</a>'
        for section in chapter.sections
    ]
    title = f"{escape(chapter.title)}: " if chapter.title else ""
    return f'<p class="sections">{title}{" · ".join(named)}</p>'


def _place(paper: Paper, chapter: Chapter, section: Section) -> str:
    """The anchor of a section: years and data sets have sections of the same names."""
    return escape("-".join(filter(None, (paper.name, chapter.key, section.key))))


def _chapter(paper: Paper, chapter: Chapter) -> Iterator[str]:
    if chapter.title:
        yield f"<h3>{escape(chapter.title)}</h3>"
    for name, signature in (chapter.signatures or {}).items():
        yield _signature(f"{name}: {signature}")
    yield from _notes([*(f"n/a: {one}" for one in chapter.absent), *(chapter.notes or ())])
    for section in chapter.sections:
        yield f'<div class="part" id="{_place(paper, chapter, section)}">'
        yield from _section(paper, section)
        yield "</div>"
    yield from _figures(chapter.extra_files)


def _section(paper: Paper, section: Section) -> Iterator[str]:
    if paper.by_section:
        options = section.options or f"--only {section.key}"
        yield _command(f"{paper.command} {options}")
    tables = [table for table in section.tables if table.rows]
    if not tables:  # otherwise the caption is the title
        yield f"<h4>{escape(section.key)}</h4>"
    for table in tables:
        yield f'<div class="wide">{_breakable(table.html())}</div>'
    values = (f"<li>{escape(line)}" for line in section.value_lines())
    if shown := "".join(values):
        yield f"<ul>{shown}</ul>"
    yield from _figures(section.files)
    yield from _notes(section.notes)


def _signature(signature: str) -> str:
    return f'<p class="signature">{_breakable(escape(signature))}</p>'


def _breakable(markup: str) -> str:
    """Markup in which a signature, one long word, may go on in the next line after each setting."""
    return markup.replace("|", "|<wbr>")


def _command(command: str) -> str:
    return f"<pre><code>{escape(command)}</code></pre>"


def _notes(notes: Sequence[str]) -> Iterator[str]:
    if notes:
        yield '<ul class="notes">' + "".join(f"<li>{escape(note)}" for note in notes) + "</ul>"


def _figures(files: Mapping[str, Content]) -> Iterator[str]:
    """The pictures, as images, so that the names inside one do not meet those of another."""
    for name, content in files.items():
        if name.endswith(".svg"):
            svg = content if isinstance(content, str) else content()
            encoded = base64.b64encode(svg.encode("utf-8")).decode("ascii")
            image = f'<img alt="{escape(name)}" src="data:image/svg+xml;base64,{encoded}">'
            yield f"<figure>{image}<figcaption>{escape(name)}</figcaption></figure>"
