"""Writes what the docs take from the code: `cli.md`, `api.md`, and marked blocks of other pages.

A marked block stands between `<!-- begin KIND [NAME] -->` and `<!-- end -->`. `make docs` runs
this; a test fails when a page is not what this would write. With the argument `gallery` it writes
the report of the sample instead (`make gallery`), and with `notebook` the outputs of the notebook;
their scores are those of the models on the machine that computes them.
"""

from __future__ import annotations

import ast
import inspect
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, fields, is_dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import adequa
from adequa import data, errors
from adequa.metrics import metric_class
from adequa.metrics import registry as metrics
from adequa.readers import formats as readers
from adequa.readers import reader_class
from adequa.readers.formats import SUFFIXES
from adequa.settings import settings_of

DOCS = Path(__file__).resolve().parent
GALLERY = DOCS / "gallery" / "report.html"
NOTEBOOK = DOCS / "notebook.ipynb"
NOTE = "<!-- Written by docs/generate.py from the code: change the code, then run `make docs`. -->"
_BLOCK = re.compile(
    r"(?P<begin><!-- begin (?P<kind>\w+)(?: (?P<name>[\w-]+))? -->\n).*?(?P<end><!-- end -->)",
    re.DOTALL,
)


def table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; a bar inside a cell is escaped."""
    lines = [columns, ["---"] * len(columns), *rows]
    return "".join(
        "| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines
    )


def prose(text: str) -> str:
    """Text of the code for a page: what looks like HTML is not."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def code(text: str) -> str:
    """Text as it is typed."""
    return f"`{text}`" if text else ""


# The command line: one section a command, read off the objects that `--help` reads.


def cli_page() -> str:
    """`docs/cli.md`."""
    from typer.main import get_command

    from adequa.cli import app

    group: Any = get_command(app)
    parts = [NOTE, "", "# Command line", "", _plain(group.help), ""]
    parts += [
        "Every command has `--help`, short `-h`; `adequa --install-completion` is for your shell.",
        "",
        _parameters(group),
    ]
    for name in sorted(group.commands):
        parts += [*_command(group.commands[name], f"adequa {name}")]
    return "\n".join(parts).rstrip() + "\n"


def _command(command: Any, path: str) -> Iterator[str]:
    yield from (f"## {path}", "", _plain(command.help), "")
    arguments = [
        _metavar(one) if one.required else f"[{_metavar(one)}]"
        for one in command.params
        if one.param_type_name == "argument"
    ]
    nested = ["COMMAND"] if getattr(command, "commands", None) else []
    yield from ("```text", " ".join([path, "[OPTIONS]", *arguments, *nested]), "```", "")
    yield _parameters(command)
    for name in sorted(getattr(command, "commands", {})):
        yield from _command(command.commands[name], f"{path} {name}")


def _plain(text: str | None) -> str:
    """A help text as Markdown: its examples as code."""
    clean = inspect.cleandoc(text or "")
    return re.sub(r"^Example: (.*)$", r"```sh\n\1\n```", clean, flags=re.MULTILINE)


def _parameters(command: Any) -> str:
    rows = []
    for parameter in command.params:
        # Only what every version of typer has: the page must not depend on which is installed.
        if getattr(parameter, "hidden", False) or parameter.name.endswith("_completion"):
            continue
        written = code(_metavar(parameter))
        if parameter.param_type_name == "option":
            names = ", ".join(code(name) for name in [*parameter.opts, *parameter.secondary_opts])
            written = names if getattr(parameter, "is_flag", False) else f"{names} {written}"
        rows.append([written, _meaning(parameter)])
    return table(["argument or option", "meaning"], rows) if rows else ""


def _metavar(parameter: Any) -> str:
    if parameter.metavar:
        return str(parameter.metavar)
    words = {int: "INTEGER", float: "NUMBER"}
    return words.get(type(parameter.default), str(parameter.name).upper())


def _meaning(parameter: Any) -> str:
    text = " ".join((getattr(parameter, "help", None) or "").split())
    default = parameter.default
    if isinstance(default, bool) or not isinstance(default, int | float | str | Path):
        return text
    return f"{text} Default: {code(str(default))}."


# The Python API: signatures, docstrings, fields and members of the public names.


FURTHER = {
    "Runs": ("adequa.run", ("score_run", "add_metrics", "merge_run", "log_run")),
    "Analysis": (
        "adequa.analysis",
        ("compare", "correlate", "compare_spans", "evaluate_gate", "parse_limit"),
    ),
    "Reports": ("adequa.report", ("write_report",)),
    "Retrieval": ("adequa.retrieval", ("build_index", "open_index", "search")),
    "Tests": ("adequa.testing", ("assert_adequate",)),
}
"""What other pages use of the packages, by heading."""


def api_page() -> str:
    """`docs/api.md`."""
    public = [name for name in adequa.__all__ if not name.startswith("__")]
    groups: dict[str, Callable[[str], bool]] = {
        "Functions": lambda name: inspect.isroutine(getattr(adequa, name)),
        "Nouns": lambda name: name in data.__all__,
        "Errors": lambda name: name in errors.__all__,
        "Other classes": lambda _: True,
    }
    parts = [
        NOTE,
        "",
        "# Python API",
        "",
        "Everything `import adequa` offers, and the functions of its packages for runs and what is",
        "made of them. What is not on this page may change without notice.",
        "",
    ]
    for heading, belongs in groups.items():
        chosen = [name for name in public if belongs(name)]
        public = [name for name in public if name not in chosen]
        parts += [f"## {heading}", ""]
        for name in chosen:
            parts += _public(name, getattr(adequa, name))
    for heading, (package, names) in FURTHER.items():
        parts += [f"## {heading}", "", f"From `{package}`.", ""]
        for name in names:
            parts += _public(name, getattr(import_module(package), name), package)
    return "\n".join(parts).rstrip() + "\n"


def _public(name: str, value: Any, package: str = "adequa") -> Iterator[str]:
    """The section of a public name."""
    yield from (f"### {name}", "")
    if inspect.isroutine(value):
        yield from ("```text", signature_text(f"{package}.{name}", value), "```", "")
    yield from (_docstring(value), "")
    if not isinstance(value, type) or issubclass(value, Exception):
        return
    notes = _field_notes(value)
    named = getattr(value, "_fields", ())  # of a named tuple
    own = [one.name for one in fields(value)] if is_dataclass(value) else named
    hints = inspect.get_annotations(value)
    rows = [
        [
            code(one),
            code(str(getattr(hints[one], "__forward_arg__", hints[one]))),
            prose(notes.get(one, "")),
        ]
        for one in own
        if not one.startswith("_")
    ]
    if rows:
        yield from (table(["field", "type", "meaning"], rows), "")
    rows = [
        [code(member), _docstring(found).partition("\n\n")[0].replace("\n", " ")]
        for member, found in _members(value)
    ]
    if rows:
        yield from (table(["member", "meaning"], rows), "")


def signature_text(name: str, function: Any) -> str:
    """A signature, one parameter per line where it is long."""
    found = inspect.signature(function)
    parts: list[str] = []
    for one in found.parameters.values():
        if one.kind is one.KEYWORD_ONLY and "*" not in parts:
            parts.append("*")
        stars = "**" if one.kind is one.VAR_KEYWORD else ""
        written = getattr(one.default, "__name__", repr(one.default))  # a function by its name
        written = "..." if written == "<lambda>" else written
        default = "" if one.default is one.empty else f" = {written}"
        parts.append(f"{stars}{one.name}: {one.annotation}{default}")
        if one.kind is one.POSITIONAL_ONLY:
            parts.append("/")
    short = f"{name}({', '.join(parts)}) -> {found.return_annotation}"
    lines = [f"{name}(", *(f"    {part}," for part in parts), f") -> {found.return_annotation}"]
    return short if len(short) <= 88 else "\n".join(lines)


def _members(target: type) -> Iterator[tuple[str, Any]]:
    """The public properties and methods of a class that have a docstring."""
    for name, found in vars(target).items():
        function = found.fget if isinstance(found, property) else getattr(found, "__func__", found)
        if name.startswith("_") or not inspect.isfunction(function) or not function.__doc__:
            continue
        yield name if isinstance(found, property) else _call(name, function), function


def _call(name: str, function: Any) -> str:
    names = [one for one in inspect.signature(function).parameters if one not in ("self", "cls")]
    return f"{name}({', '.join(names)})"


def _field_notes(target: type) -> dict[str, str]:
    """The strings that stand below the fields of a class, by field."""
    (tree,) = ast.parse(inspect.cleandoc("\n" + inspect.getsource(target))).body
    notes, last = {}, ""
    for node in getattr(tree, "body", ()):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            last = node.target.id
            continue
        if last and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            notes[last] = " ".join(str(node.value.value).split())
        last = ""
    return notes


def _docstring(value: Any) -> str:
    """A docstring as Markdown: its examples as code."""
    text = inspect.getdoc(value) or ""
    parts = [
        f"```text\n{part}\n```" if part.startswith((">>> ", "    ")) else prose(part)
        for part in text.split("\n\n")
    ]
    return "\n\n".join(parts)


# The marked blocks.


def metric_block(name: str) -> str:
    """What a metric is and its settings."""
    target = metric_class(name)
    direction = "higher is better" if target.best > target.worst else "lower is better"
    if any(setting.name == "lower_is_better" for setting in settings_of(target)):
        direction += ", unless `lower_is_better` is set"
    ends = [
        f"{word} {value:g}"
        for word, value in (("best", target.best), ("worst", target.worst))
        if math.isfinite(value)
    ]
    needs = "needs references" if target.needs_references else "needs no references"
    sentence = f"{', '.join([*ends, direction])}; {needs}."
    return f"*{prose(target.doc)}*\n\n{sentence[0].upper()}{sentence[1:]}\n" + _settings(
        target, "setting"
    )


def reader_block(name: str) -> str:
    """How a format is recognised, and its options."""
    target = reader_class(name)
    endings = sorted(ending for ending, format_ in SUFFIXES.items() if format_ == name)
    text = f"*{prose(target.doc)}.*\n\n"
    if endings:
        text += f"File endings: {', '.join(code(ending) for ending in endings)}.\n"
    return text + _settings(target, "option")


def _settings(target: type, noun: str) -> str:
    rows = [
        [code(one["name"]), code(one["type"]), code(one["default"]), prose(one["doc"])]
        for one in map(asdict, settings_of(target))
    ]
    return "\n" + table([noun, "type", "default", "meaning"], rows) if rows else ""


def metrics_block(_: str) -> str:
    """The metrics that are shipped."""
    rows = []
    for name in sorted(metrics.TABLE):
        target = metric_class(name)
        direction = "higher" if target.best > target.worst else "lower"
        references = "yes" if target.needs_references else "no"
        rows.append([f"[`{name}`]({name}.md)", direction, references, prose(target.doc)])
    return table(["metric", "best is", "needs references", "what it says"], rows)


def readers_block(_: str) -> str:
    """The formats there are."""
    rows = [
        [f"[`{name}`](#{name})", prose(reader_class(name).doc)] for name in readers.format_names()
    ]
    return table(["format", "what it is"], rows)


BLOCKS: dict[str, Callable[[str], str]] = {
    "metric": metric_block,
    "metrics": metrics_block,
    "reader": reader_block,
    "readers": readers_block,
}


def filled(page: str) -> str:
    """The page with its marked blocks as the code has them."""
    return _BLOCK.sub(
        lambda block: (
            block["begin"] + "\n" + BLOCKS[block["kind"]](block["name"] or "") + "\n" + block["end"]
        ),
        page,
    )


def pages() -> dict[Path, str]:
    """Every page that is written from the code, wholly or in part, as it should be."""
    wanted = {DOCS / "cli.md": cli_page(), DOCS / "api.md": api_page()}
    for path in sorted(DOCS.rglob("*.md")):
        if path not in wanted:
            text = path.read_text(encoding="utf-8")
            if _BLOCK.search(text):
                wanted[path] = filled(text)
    return wanted


def write_gallery() -> None:
    """The report of the built-in sample; without the time, so that the same scores are the same."""
    from adequa.cli.demo import sample_path
    from adequa.metrics import DEFAULT, resolve
    from adequa.report import write_report
    from adequa.run import open_run, score_run

    GALLERY.parent.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder:
        run = Path(folder) / "sample"
        score_run(
            readers.open_source(sample_path()), resolve([*DEFAULT, "bleu", "chrf", "ter"]), run
        )
        manifest = run / "manifest.json"
        known = json.loads(manifest.read_text(encoding="utf-8"))
        manifest.write_text(json.dumps(known | {"created": ""}), encoding="utf-8")
        write_report([open_run(run)], GALLERY, title="The built-in sample", force=True)


def run_cells(notebook: dict[str, Any]) -> None:
    """Run the code of a notebook in the current folder, and give each cell its output."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"cell {number}", "exec"), namespace)
        cell["execution_count"], cell["outputs"] = number, []
        value = None
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {number}", "eval"), namespace)
        if value is not None:
            data = {"text/plain": repr(value).splitlines(keepends=True)}
            if hasattr(value, "_repr_html_"):
                data["text/html"] = value._repr_html_().splitlines(keepends=True)
            kind = {"output_type": "execute_result", "execution_count": number, "metadata": {}}
            cell["outputs"].append({**kind, "data": data})


def write_notebook() -> None:
    """Run the notebook in a folder of its own, and write it with its outputs."""
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    with TemporaryDirectory() as folder:
        os.chdir(folder)
        run_cells(notebook)
        os.chdir(DOCS)
    written = json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"
    NOTEBOOK.write_text(written, encoding="utf-8", newline="\n")


def main() -> None:
    """Write the pages that differ, and say which."""
    if sys.argv[1:] == ["notebook"]:
        write_notebook()
        return
    if sys.argv[1:] == ["gallery"]:
        write_gallery()
        print(f"{GALLERY.relative_to(DOCS)} written", file=sys.stderr)
        return
    for path, text in pages().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"{path.relative_to(DOCS)} written", file=sys.stderr)


if __name__ == "__main__":
    main()
