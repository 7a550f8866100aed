"""Hugging Face models (extra `hf`): sentence-transformers encoders and classifiers of text pairs.

A model is a local folder, or a name on the hub with a revision. Its labels are read from its
configuration; code that comes with a model is never run.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from adequa.data import Term, Triple
from adequa.errors import MissingExtra, ModelError
from adequa.models.runtime import PerProcess, short_error
from adequa.text import MARKERS, mark_triples, readable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from adequa.models.encoder import Graph

_MODELS: PerProcess[Any] = PerProcess(inherited=False)


@dataclass(frozen=True)
class HubEncoder:
    """A sentence-transformers model with the interface of our encoder.

    A model with our markers in its vocabulary reads a graph with them, any other as plain words. An
    input that is too long is halved until it fits; its vector is the mean, weighted by length.
    """

    model: str
    revision: str | None = None
    device: str = "cpu"
    batch_size: int = 32

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """A row of length one for each text, in the order of the texts."""
        import numpy as np

        model = self._loaded()
        parts = [list(self._fitting(model, text)) for text in texts]
        flat = [text for own in parts for text, _ in own]
        options = {"normalize_embeddings": True, "convert_to_numpy": True}
        try:
            rows = model.encode(
                flat, batch_size=self.batch_size, show_progress_bar=False, **options
            )
        except (IndexError, RuntimeError, TypeError, ValueError) as error:
            raise ModelError(f"{self.model}: fails on a text ({short_error(error)})") from error
        if not flat:
            return np.zeros((0, 0), dtype=np.float32)
        if not np.isfinite(rows).all():
            raise ModelError(f"{self.model}: gives numbers that are not finite")
        vectors, place = [], 0
        for own in parts:
            lengths = [length for _, length in own]
            vector = np.average(rows[place : place + len(own)], axis=0, weights=lengths)
            vectors.append(vector / max(float(np.linalg.norm(vector)), 1e-12))
            place += len(own)
        return np.stack(vectors).astype(np.float32)

    def encode_graphs(self, graphs: Iterable[Graph]) -> NDArray[np.float32]:
        """A row of length one for each graph, in the order of the graphs."""
        tokenizer = self._loaded().tokenizer
        marked = all(marker in tokenizer.get_vocab() for marker in MARKERS)
        written = mark_triples if marked else _plainly
        return self.encode([written(triples, terms) for triples, terms in graphs])

    def _fitting(self, model: Any, text: str) -> Iterator[tuple[str, int]]:
        """The text, or its halves where it is too long, with their lengths in word pieces."""
        length = len(model.tokenizer(text, truncation=False, verbose=False)["input_ids"])
        if model.max_seq_length is None or length <= model.max_seq_length or len(text) < 2:
            yield text, length
            return
        middle = len(text) // 2
        space = text.rfind(" ", 1, middle + 1)  # a word is cut only if there is no space
        middle = space if space > 0 else middle
        yield from self._fitting(model, text[:middle])
        yield from self._fitting(model, text[middle:])

    def _loaded(self) -> Any:
        key = "encoder", self.model, self.revision, self.device
        return _MODELS.get(key, self._load)

    def _load(self) -> Any:
        package = _package("sentence_transformers", "sentence-transformers")
        with _loading(self.model, self.revision):
            return package.SentenceTransformer(
                self.model, revision=self.revision, device=self.device, trust_remote_code=False
            )


def _plainly(triples: Sequence[Triple], terms: Mapping[str, Term] | None) -> str:
    return ". ".join(" ".join(readable(triple, terms)) for triple in triples)


@dataclass(frozen=True)
class HubPairs:
    """A cross-encoder or any other classifier of two texts."""

    model: str
    revision: str | None = None
    device: str = "cpu"
    batch_size: int = 32

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the columns, from the model's configuration."""
        names = self._loaded()[1].config.id2label
        return tuple(str(names[number]) for number in sorted(names))

    def probabilities(self, pairs: Sequence[tuple[str, str]]) -> list[tuple[float, ...] | None]:
        """One probability per label for each pair; None for a pair too long for the model.

        Probabilities of exclusive labels sum to one.
        """
        tokenizer, model = self._loaded()
        whole = (tokenizer(*pair, truncation=False, verbose=False) for pair in pairs)
        lengths = [len(one["input_ids"]) for one in whole]
        found: list[tuple[float, ...] | None] = [None] * len(pairs)
        positions = getattr(model.config, "max_position_embeddings", None)
        limit = int(min(tokenizer.model_max_length, positions or tokenizer.model_max_length))
        fitting = (number for number, length in enumerate(lengths) if length <= limit)
        order = sorted(fitting, key=lambda number: -lengths[number])
        for start in range(0, len(order), self.batch_size):
            batch = order[start : start + self.batch_size]
            rows = self._run(tokenizer, model, [pairs[number] for number in batch])
            for number, row in zip(batch, rows, strict=True):
                found[number] = tuple(row)
        return found

    def _run(
        self, tokenizer: Any, model: Any, pairs: Sequence[tuple[str, str]]
    ) -> list[list[float]]:
        torch = _package("torch", "torch")
        first, second = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        try:
            feed = tokenizer(first, second, padding=True, truncation=False, return_tensors="pt")
            with torch.inference_mode():
                logits = model(**feed.to(self.device)).logits.float()
        except (IndexError, RuntimeError, TypeError, ValueError) as error:
            raise ModelError(f"{self.model}: fails on a pair ({short_error(error)})") from error
        if not bool(torch.isfinite(logits).all()):
            raise ModelError(f"{self.model}: gives numbers that are not finite")
        several = logits.shape[1] > 1
        if several and model.config.problem_type != "multi_label_classification":
            logits = logits.softmax(dim=1)
        else:
            logits = logits.sigmoid()
        rows: list[list[float]] = logits.tolist()
        return rows

    def _loaded(self) -> tuple[Any, Any]:
        key = "pairs", self.model, self.revision, self.device
        loaded: tuple[Any, Any] = _MODELS.get(key, self._load)
        return loaded

    def _load(self) -> tuple[Any, Any]:
        package = _package("transformers", "transformers")
        _package("torch", "torch")
        place = {"revision": self.revision} if self.revision else {}
        with _loading(self.model, self.revision):
            tokenizer = package.AutoTokenizer.from_pretrained(
                self.model, trust_remote_code=False, **place
            )
            model, report = package.AutoModelForSequenceClassification.from_pretrained(
                self.model, trust_remote_code=False, output_loading_info=True, **place
            )
        # transformers would give a model without a classifier one of random numbers.
        if missing := ", ".join(sorted(report["missing_keys"])):
            raise ModelError(
                f"{self.model}: is not a classifier of texts: it lacks {missing}; "
                "name a cross-encoder or a model for natural language inference"
            )
        return tokenizer, model.float().to(self.device).eval()


@contextmanager
def _loading(model: str, revision: str | None) -> Iterator[None]:
    """Silence the loading, and turn any failure into an error that names the model."""
    logging = _package("transformers.utils.logging", "transformers")
    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    except Exception as error:  # the disk, the network or the content of a foreign file
        name = model if revision is None else f"{model} at {revision}"
        raise ModelError(
            f"the model {name} cannot be loaded ({short_error(error)}); give a local folder, "
            "or a name and revision of the hub"
        ) from error
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()


def _package(module: str, name: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingExtra("hf", name) from None
