"""The documentation says what is there, and what it shows works.

A fenced block of a page with a `title="FILE"` is that file; `console` blocks are run, `python` and
`pycon` blocks too, page by page and in order, in a folder of their own. Where a `console` block
shows output, that must be it, scores within a tolerance; `…` stands for anything.
"""

from __future__ import annotations

import doctest
import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from types import ModuleType
from typing import NamedTuple
from urllib.parse import unquote

import pytest

from adequa.metrics import registry as metrics
from adequa.readers import SPAN_FORMATS
from adequa.readers import formats as readers

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
PROSE = [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]

_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[\w-]*) *(?P<info>[^\n]*)\n(?P<body>.*?)^ *```$",
    re.DOTALL | re.MULTILINE,
)
_LINK = re.compile(r"\[[^\]]*\]\((?P<target>[^)\s]+)\)")


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _load_generator() -> ModuleType:
    spec = importlib.util.spec_from_file_location("adequa_docs_generate", DOCS / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def generator() -> ModuleType:
    return _load_generator()


def test_generated_pages_are_up_to_date(generator: ModuleType) -> None:
    stale = [
        _name(path)
        for path, text in generator.pages().items()
        if path.read_text(encoding="utf-8") != text
    ]
    assert stale == [], "run `make docs`"


def test_every_metric_has_its_page() -> None:
    for name in metrics.TABLE:
        page = (DOCS / "metrics" / f"{name}.md").read_text(encoding="utf-8")
        assert f"<!-- begin metric {name} -->" in page
        assert f"# {name}" in page


def test_every_reader_has_its_section() -> None:
    page = (DOCS / "formats.md").read_text(encoding="utf-8")
    for name in readers.format_names():
        assert f"<!-- begin reader {name} -->" in page
        assert re.search(rf"^### {name}$", page, re.MULTILINE), name


def test_every_form_of_ratings_is_listed() -> None:
    from adequa.readers.ratings import FORMATS

    section = (DOCS / "formats.md").read_text(encoding="utf-8").partition("\n## Ratings\n")[2]
    for name in FORMATS:
        assert f"| `{name}` |" in section


def test_every_form_of_spans_is_listed() -> None:
    page = (DOCS / "spans.md").read_text(encoding="utf-8")
    for name in SPAN_FORMATS:
        assert f"| `{name}` |" in page


def test_every_command_has_its_section_and_a_help_text() -> None:
    from typer.main import get_command

    from adequa.cli import app

    page = (DOCS / "cli.md").read_text(encoding="utf-8")
    commands = get_command(app).commands  # type: ignore[attr-defined]
    assert {"score", "compare", "metrics", "formats", "convert", "demo"} <= set(commands)
    for name, command in commands.items():
        assert command.help
        assert f"\n## adequa {name}\n" in page
        for parameter in command.params:
            assert parameter.help, f"adequa {name}: {parameter.name} has no help text"


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")[2]
    listed = re.findall(r": (\S+\.md)$", navigation, re.MULTILINE)
    assert sorted(listed) == sorted(path.relative_to(DOCS).as_posix() for path in PAGES)


def test_the_site_builds_and_fetches_nothing(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs", reason="the docs extra is not installed")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    built = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    assert built.returncode == 0, built.stderr
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) > len(PAGES)
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    for text in texts.values():
        assert re.findall(r'(?:src|<link[^>]* href)="(https?:[^"]+)"', text) == []
    assert [*_dead_links(texts)] == []
    api = texts[tmp_path / "api.html"]
    for name in ("evaluate", "guard", "Result", "Fault", "compare", "score_run", "write_report"):
        assert f'id="{name.lower()}"' in api
    assert "The calibrated probability that the verdict is right" in api


def _dead_links(texts: dict[Path, str]) -> Iterator[str]:
    """Every link of a site to a file or an anchor that it does not have."""
    anchors = {page: {*re.findall(r'\bid="([^"]+)"', text)} for page, text in texts.items()}
    for page, text in texts.items():
        if page.name == "404.html" or page.parent.name == "gallery":
            continue  # links from the root, and the report's own addresses
        for link in {*re.findall(r'\b(?:href|src)="([^"]+)"', text)}:
            if re.match(r"\w+:", link):
                continue
            file, _, anchor = unquote(unescape(link)).partition("#")
            target = page if not file else (page.parent / file).resolve()
            target = target / "index.html" if target.is_dir() else target
            if not target.exists() or (
                anchor and target in anchors and anchor not in anchors[target]
            ):
                yield f"{page.name}: {link}"


def test_the_gallery_has_the_report_of_today(generator: ModuleType) -> None:
    from adequa.report.page import SCRIPTS, STYLES, asset

    page = generator.GALLERY.read_text(encoding="utf-8")
    for name in (*(f"{one}.js" for one in SCRIPTS), *(f"{one}.css" for one in STYLES)):
        assert asset(name) in page, f"{name} is another: run `make gallery`"
    assert len(page.encode()) < 300_000
    assert "docs/gallery/report.html" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_pictures_are_small_and_shown() -> None:
    shown = "".join(page.read_text(encoding="utf-8") for page in PROSE)
    for picture in (DOCS / "pictures").iterdir():
        assert picture.stat().st_size <= 150_000, picture.name
        assert f"pictures/{picture.name})" in shown, f"no page shows {picture.name}"


def test_the_first_commands_of_the_readme_are_demo_and_test() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    said = [line for line in lines if line.strip() and not line.startswith(("#", "```"))]
    assert said[0].split("#")[0].strip() == "make demo"
    assert said[1].split("#")[0].strip() == "make test"


@pytest.mark.parametrize("page", PROSE, ids=_name)
def test_links_resolve(page: Path) -> None:
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in (match["target"] for match in _LINK.finditer(text)):
        if target.startswith(("http://", "https://", "mailto:")):
            continue
        file, _, anchor = target.partition("#")
        path = (page.parent / file).resolve() if file else page
        assert path.exists(), f"{_name(page)} links to {target}"
        if anchor:
            assert anchor in set(_anchors(path)), f"{_name(page)} links to {target}"


def _anchors(path: Path) -> Iterator[str]:
    text = _FENCE.sub("", path.read_text(encoding="utf-8"))
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        yield re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())


class _Block(NamedTuple):
    line: int
    language: str
    title: str | None
    body: str


def _blocks(page: Path) -> list[_Block]:
    text = page.read_text(encoding="utf-8")
    blocks = []
    for match in _FENCE.finditer(text):
        title = re.search(r'title="([^"]+)"', match["info"])
        indent = len(match["indent"])
        body = "".join(line[indent:] for line in match["body"].splitlines(keepends=True))
        line = text.count("\n", 0, match.start()) + 1
        blocks.append(_Block(line, match["language"], title[1] if title else None, body))
    return blocks


RUNNABLE = [
    page
    for page in PROSE
    if any(block.language in ("console", "python", "pycon") for block in _blocks(page))
]


def test_the_pages_that_teach_are_run() -> None:
    taught = {"docs/quickstart.md", "docs/formats.md", "docs/add-a-metric.md", "README.md"}
    assert taught <= {_name(page) for page in RUNNABLE}


@pytest.mark.parametrize("page", RUNNABLE, ids=_name)
def test_what_a_page_shows_works(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ADEQUA_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.syspath_prepend(str(tmp_path))
    namespace: dict[str, object] = {"__name__": "docs"}
    for block in _blocks(page):
        place = f"{_name(page)}:{block.line}"
        if block.title is not None:
            file = tmp_path / block.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(block.body, encoding="utf-8", newline="\n")
        if block.language == "python":
            # Registered, because a dataclass looks its module up.
            monkeypatch.setitem(sys.modules, "docs", ModuleType("docs"))
            exec(compile(block.body, place, "exec", dont_inherit=True), namespace)
        elif block.language == "pycon":
            _run_doctest(block, place, namespace)
        elif block.language == "console":
            _run_console(block, place, monkeypatch, capsys)


def test_the_notebook_shows_what_its_cells_give(
    generator: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("datasets", reason="the notebook shows a Hugging Face dataset")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ADEQUA_CACHE", str(tmp_path / "cache"))
    shown = json.loads(generator.NOTEBOOK.read_text(encoding="utf-8"))
    again = json.loads(generator.NOTEBOOK.read_text(encoding="utf-8"))
    generator.run_cells(again)
    for cell, other in zip(shown["cells"], again["cells"], strict=True):
        for one, two in zip(cell.get("outputs", ()), other.get("outputs", ()), strict=True):
            before, now = ("".join(out["data"]["text/plain"]) for out in (one, two))
            _compare(before, now, "docs/notebook.ipynb: run docs/generate.py notebook")
            assert one["data"].keys() == two["data"].keys()
    html = [
        "".join(one["data"].get("text/html", ()))
        for cell in again["cells"]
        for one in cell.get("outputs", ())
    ]
    assert sum("<mark" in page for page in html) >= 2


def _run_doctest(block: _Block, place: str, namespace: dict[str, object]) -> None:
    test = doctest.DocTestParser().get_doctest(block.body, {}, place, place, block.line)
    test.globs = namespace
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    said: list[str] = []
    runner.run(test, out=said.append, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


def _run_console(
    block: _Block,
    place: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from adequa.cli import main

    for part in re.split(r"^\$ ", block.body, flags=re.MULTILINE)[1:]:
        command, _, expected = re.sub(r"\\\n\s*", "", part).partition("\n")
        words = shlex.split(command)
        assert words[0] == "adequa", f"{place}: {command}"
        monkeypatch.setattr(sys, "argv", words)
        capsys.readouterr()
        code: object = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        said = capsys.readouterr()
        complaint = expected.startswith("adequa: ")
        failed = expected.rstrip().endswith("the gate is closed") or re.search(
            r"^Verdict: (?!OK)", expected, re.MULTILINE
        )
        wanted = 2 if complaint else 1 if failed else 0
        assert code == wanted, f"{place}: {command}\n{said.out}{said.err}"
        if expected.strip():
            _compare(expected, said.err if complaint else said.out, f"{place}: {command}")


_SCORE = re.compile(r"(?<![\d.])[01]\.\d{2,4}(?![\d.])")
_ANY_SCORE = r"([01]\.\d{2,4})"
_TOLERANCE = 0.03
"""How far a score that a page shows may be from the score of this machine: the models compute in
8-bit integers, and processors round them differently."""


def _compare(expected: str, found: str, place: str) -> None:
    expected, found = _without_trailing_space(expected), _without_trailing_space(found)
    complaint = f"{place}\nshown:\n{expected}\nis:\n{found}"
    pattern = "".join(
        ".*"
        if piece == "…"
        else r"([01]\.\d{2,4})"
        if _SCORE.fullmatch(piece)
        else re.escape(piece)
        for piece in re.split(rf"(…|{_SCORE.pattern})", expected)
    )
    same = re.fullmatch(pattern, found, re.DOTALL)
    assert same, complaint
    for shown, score in zip(_SCORE.findall(expected), same.groups(), strict=True):
        assert float(score) == pytest.approx(float(shown), abs=_TOLERANCE), complaint


def _without_trailing_space(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.strip().splitlines())
