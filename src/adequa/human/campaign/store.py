"""The store of a campaign while people answer: assignments, answers, progress, and judgments.

Each method is one transaction. Any number of threads and processes may work on one database: its
constraints rule out more than N answers to a text and a second answer of a rater to a text.

Judgments can be exported at any time: in the long form, or for factgenie. The records for factgenie
have the fields that its `save_record` writes and its readers need (repository ufal/factgenie,
`factgenie/workflows.py`, versions 1.x), one record per annotated output. Omitted facts have no
place in a text, so they are in `text_fields`.
"""

from __future__ import annotations

import hashlib
import json
import statistics
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from adequa.codec import item_to_object, rating_to_object
from adequa.data import Rating
from adequa.errors import DataError, UnknownName
from adequa.files import dump_line, replacing, write_errors
from adequa.human.campaign import answers as given
from adequa.human.campaign import model
from adequa.human.campaign.assignment import Assignment, Layout, Plan, is_number, rater_of
from adequa.human.campaign.database import Database, answers, campaign, raters, slots, sql
from adequa.human.campaign.settings import campaign_to_object, is_own_file, read_campaign
from adequa.tables import csv_cell

_BATCH = 1000
"""Answers that are read from the database at once."""


def look_over(connection: sql.Connection, plan: Plan) -> model.Overview:
    """Totals of judgments by task, system, cell and rater."""
    query = (
        sql.select(slots.c.text, slots.c.state, sql.func.count())
        .where(slots.c.state != "void")
        .group_by(slots.c.text, slots.c.state)
    )
    counts = [(text, state, count) for text, state, count in connection.execute(query)]
    layout = plan.layout
    cells = _tallies((layout.cells[text], state, count) for text, state, count in counts)
    return model.Overview(
        round=connection.execute(sql.select(campaign.c.round)).scalar_one(),
        total=_tallies(("", state, count) for _, state, count in counts).get(
            "", model.AnswerTally()
        ),
        tasks=_tallies((layout.tasks[text], state, count) for text, state, count in counts),
        systems=_tallies((layout.systems[text], state, count) for text, state, count in counts),
        cells=tuple(
            model.CellTally(task, json.loads(cell), tally) for (task, cell), tally in cells.items()
        ),
        raters=_raters(connection),
        not_shown=sum(not text.is_shown for text in plan.texts),
    )


def ratings_of(connection: sql.Connection, plan: Plan, *, every: bool = False) -> Iterator[Rating]:
    """The judgments by text and rater; with `every`, also those that no longer count."""
    states = ("answered", "void") if every else ("answered",)
    query = (
        sql.select(answers, slots.c.round, slots.c.state)
        .join(slots, slots.c.number == answers.c.slot)
        .where(slots.c.state.in_(states))
        .order_by(answers.c.text, answers.c.rater)
    )
    empty = deque(number for number, text in enumerate(plan.texts) if not text.is_shown)
    streaming = connection.execution_options(yield_per=_BATCH)
    for row in streaming.execute(query):
        while empty and empty[0] < row.text:
            yield from _not_shown(plan, empty.popleft())
        yield from _answer(plan, row)
    for text in empty:
        yield from _not_shown(plan, text)


def _answer(plan: Plan, row: Any) -> Iterator[Rating]:
    sampled, values = plan.texts[row.text], json.loads(row.given)
    for question in plan.campaign.questions:
        meta: dict[str, Any] = {}
        if question.name in sampled.control:
            meta["control"] = sampled.control[question.name]
        if row.state == "void":
            meta["excluded"] = True
        if sampled.pair is not None:
            meta["pair"] = sampled.pair
        value = values[question.name]
        yield Rating(
            id=sampled.item.id,
            system=sampled.item.system,
            rater=model.name_of(row.rater),
            criterion=question.name,
            value=given.value_of(value),
            seconds=round(row.seconds, 3),
            round=str(row.round),
            spans=given.spans_of(value, sampled.item),
            meta=meta,
        )


def _not_shown(plan: Plan, text: int) -> Iterator[Rating]:
    sampled = plan.texts[text]
    item = sampled.item
    for question in plan.campaign.questions:
        value = question.lowest
        meta: dict[str, Any] = {"not_shown": "empty"}
        if value is None:
            continue
        if sampled.rival is not None:
            first, second = bool(item.text.strip()), bool(sampled.rival.strip())
            value = 0.0 if first == second else value if second else -value
            meta["pair"] = sampled.pair
        yield Rating(item.id, item.system, "", question.name, value, meta=meta)


def _tallies(counts: Iterable[tuple[Any, str, int]]) -> dict[Any, model.AnswerTally]:
    found: dict[Hashable, Counter[str]] = defaultdict(Counter)
    for key, state, count in counts:
        found[key][state] += count
    return {
        key: model.AnswerTally(states.total(), states["answered"], states["held"])
        for key, states in found.items()
    }


def _raters(connection: sql.Connection) -> tuple[model.RaterTally, ...]:
    seconds: dict[int, list[float]] = defaultdict(list)
    for rater, spent in connection.execute(sql.select(answers.c.rater, answers.c.seconds)):
        seconds[rater].append(spent)
    return tuple(
        model.RaterTally(
            rater_of(row),
            len(seconds[row.number]),
            statistics.median(seconds[row.number]) if seconds[row.number] else None,
            row.seen,
        )
        for row in connection.execute(sql.select(raters).order_by(raters.c.number))
    )


class CampaignStore:
    """A campaign's database, opened; `clock` gives seconds since the epoch."""

    def __init__(
        self, folder: Path, plan: Plan, database: Database, clock: Callable[[], float]
    ) -> None:
        self.folder = folder
        self._plan = plan
        self._database = database
        self._clock = clock

    @classmethod
    def open(
        cls, folder: Path, *, url: str | None = None, clock: Callable[[], float] = time.time
    ) -> CampaignStore:
        """Open the database, by default `campaign.db` in the folder; created if missing."""
        campaign, texts = read_campaign(folder)
        plan = Plan(campaign, tuple(texts), Layout.of(texts, campaign.raters_per_text))
        database = Database.open(Path(folder), url)
        try:
            with database.setting_up() as connection:
                _set_up(connection, plan)
        except BaseException:
            database.close()
            raise
        return cls(Path(folder), plan, database, clock)

    @property
    def campaign(self) -> model.Campaign:
        """The questions and the rules."""
        return self._plan.campaign

    @property
    def texts(self) -> Sequence[model.SampledText]:
        """The texts, in the order of the sample."""
        return self._plan.texts

    def add_raters(self, count: int) -> list[model.Rater]:
        """Add new raters, who then need their links."""
        if count < 0:
            raise DataError(f"{count} raters cannot be added", remedy="give a positive number")
        with self._database.writing() as connection:
            return [self._new_rater(connection, None) for _ in range(count)]

    def rater(self, number: int) -> model.Rater | None:
        """A rater by number."""
        if not is_number(number):
            return None
        with self._database.reading() as connection:
            row = connection.execute(sql.select(raters).where(raters.c.number == number)).first()
        return None if row is None else rater_of(row)

    def raters(self) -> list[model.Rater]:
        """All raters, in the order in which they were added."""
        with self._database.reading() as connection:
            rows = connection.execute(sql.select(raters).order_by(raters.c.number)).all()
        return [rater_of(row) for row in rows]

    def join(self, external: str) -> tuple[model.Rater, bool]:
        """The rater with an external id, and whether they were added now."""
        if not external.strip():
            raise DataError("the external id of the rater is empty", remedy="give an id")
        query = sql.select(raters).where(raters.c.external == external)
        try:
            with self._database.writing() as connection:
                row = connection.execute(query).first()
                if row is None:
                    return self._new_rater(connection, external), True
                return rater_of(row), False
        except sql.exc.IntegrityError:  # another request added them at this moment
            with self._database.reading() as connection:
                return rater_of(connection.execute(query).one()), False

    def judge_eligibility(self, number: int, answers: Mapping[str, str]) -> model.Rater:
        """Decide once, by their answers, whether a new rater may take part."""
        eligible = True
        for question in self.campaign.eligibility:
            chosen = answers.get(question.name)
            if chosen not in question.options:
                raise DataError(
                    f"the answer to {question.name!r} is {chosen!r}",
                    remedy=f"choose one of {', '.join(question.options)}",
                )
            eligible = eligible and chosen in question.accepted
        asked = {question.name: answers[question.name] for question in self.campaign.eligibility}
        with self._database.writing() as connection:
            rater = self._desk(connection).rater(number)
            if rater is None:
                raise DataError(f"there is no rater {number}", remedy="add raters first")
            if rater.status == "new":
                values = {
                    "status": "eligible" if eligible else "refused",
                    "eligibility": json.dumps(asked),
                    "seen": self._clock(),
                }
                mine = raters.c.number == number
                connection.execute(sql.update(raters).where(mine).values(values))
            row = connection.execute(sql.select(raters).where(raters.c.number == number)).one()
        return rater_of(row)

    def next_page(
        self, number: int, *, another_task: bool = False
    ) -> model.Page | model.NothingLeft:
        """The text the rater holds, or the next; from another task only when this one is done."""
        with self._database.writing(lasting=False) as connection:
            desk = self._desk(connection)
            rater = desk.rater(number)
            if rater is None:
                raise DataError(f"there is no rater {number}", remedy="add raters first")
            return desk.hand_out(rater, another_task=another_task)

    def page(self, number: int, slot: int) -> model.Page | None:
        """A text that this rater holds or has answered; None for the texts of others."""
        with self._database.writing(lasting=False) as connection:
            rater = self._desk(connection).rater(number)
            text = given.text_of(connection, slot)
            if rater is None or rater.status != "eligible" or text is None:
                return None
            own = given.own_slot_of(connection, number, text)
            if own is None:
                return None
            if own.state == "held":
                seen = {"seen": self._clock()}
                mine = slots.c.number == own.number
                connection.execute(sql.update(slots).where(mine).values(seen))
            return self._page(connection, number, own)

    def save_draft(self, number: int, slot: int, draft: Mapping[str, Any], seconds: float) -> bool:
        """Keep what is entered so far, as a sign of activity; False if the text is gone.

        `seconds` are all seconds on this text, with those of earlier visits. While an answer is
        being corrected, nothing is kept until it is sent.
        """
        seconds = given.validated_seconds(seconds)
        try:
            written = json.dumps(dict(draft), allow_nan=False)
        except (TypeError, ValueError, RecursionError):
            raise DataError("the draft is not JSON", remedy="send an object") from None
        with self._database.writing(lasting=False) as connection:
            return given.keep_draft(self._desk(connection), number, slot, written, seconds)

    def answer(
        self, number: int, slot: int, raw: Mapping[str, Any], seconds: float
    ) -> model.Outcome:
        """Store an answer; another answer to the same text replaces it, and the first is kept.

        A DataError names the question where `raw` is wrong. An answer to a text that was returned
        to the pool is stored while one of its slots is open; otherwise it is `gone`.
        """
        seconds = given.validated_seconds(seconds)
        with self._database.writing() as connection:
            text = given.text_of(connection, slot)
            if text is None:
                return "gone"
            values = given.validated(self.campaign.questions, self.texts[text].item, raw)
            return given.store_answer(self._desk(connection), number, text, values, seconds)

    def previous(self, number: int) -> model.Page | None:
        """The text the rater answered last, with their answer, for correction."""
        query = (
            sql.select(slots.c.number, slots.c.text, slots.c.task, slots.c.state)
            .join(answers, answers.c.slot == slots.c.number)
            .where(answers.c.rater == number, slots.c.state == "answered")
            .order_by(answers.c.at.desc(), answers.c.slot.desc())
            .limit(1)
        )
        with self._database.reading() as connection:
            own = connection.execute(query).first()
            return None if own is None else self._page(connection, number, model.OwnSlot(*own))

    def return_stale(self) -> int:
        """Return what is held without activity to the pool; `next_page` does so as well."""
        with self._database.writing(lasting=False) as connection:
            return self._desk(connection).return_stale()

    def start_round(self, *, exclude: Sequence[str], after: int | None = None) -> model.RoundReport:
        """Start another round without some raters, whose answers no longer count.

        With `after`, a RoundStarted unless that is the current round.
        """
        with self._database.writing() as connection:
            return self._desk(connection).begin_round(exclude, after=after)

    def overview(self) -> model.Overview:
        """The progress of the campaign."""
        with self._database.reading() as connection:
            return look_over(connection, self._plan)

    def ratings(self, *, every: bool = False) -> Iterator[Rating]:
        """The judgments in the long form by text and rater, as of the moment of the first.

        Those of excluded raters are included only with `every`, and marked in `meta`. An empty
        text, which nobody was shown, has the lowest value of each scale and no rater.
        """
        with self._database.reading() as connection:
            yield from ratings_of(connection, self._plan, every=every)

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    def _desk(self, connection: sql.Connection) -> Assignment:
        return Assignment(connection, self._plan, self._clock())

    def _new_rater(self, connection: sql.Connection, external: str | None) -> model.Rater:
        status = "new" if self.campaign.eligibility else "eligible"
        inserting = sql.insert(raters).values(external=external, status=status).returning(raters)
        return rater_of(connection.execute(inserting).one())

    def _page(self, connection: sql.Connection, number: int, own: model.OwnSlot) -> model.Page:
        desk = self._desk(connection)
        page = desk.page(number, own, desk.progress(own.task, desk.slots_of(number)))
        if own.state != "answered":
            return page
        columns = sql.select(answers.c.given, answers.c.seconds)
        values, seconds = connection.execute(columns.where(answers.c.slot == own.number)).one()
        return model.Page(page.slot, page.text, json.loads(values), page.progress, seconds)


def _set_up(connection: sql.Connection, plan: Plan) -> None:
    """Create the slots of the first round, once; refuse a database created for other texts."""
    fingerprint, raters_per_text = _fingerprint(plan), plan.campaign.raters_per_text
    row = connection.execute(sql.select(campaign)).first()
    if row is None:
        values = {"number": 1, "fingerprint": fingerprint, "raters_per_text": raters_per_text}
        connection.execute(sql.insert(campaign), values | {"round": 1})
        shown = [number for number, text in enumerate(plan.texts) if text.is_shown]
        places = range(1, raters_per_text + 1)
        every = [(text, place) for place in places for text in shown]
        Assignment(connection, plan).add_slots(every, round_=1)
    elif row.fingerprint != fingerprint:
        raise DataError(
            "the database was created for other texts or questions",
            remedy="restore the campaign's files, or start with a new database",
        )
    elif row.raters_per_text != raters_per_text:
        raise DataError(
            f"the database was created for {row.raters_per_text} raters per text, "
            f"campaign.json has {raters_per_text}",
            remedy=f"write {row.raters_per_text} again, or start with a new database",
        )


def _fingerprint(plan: Plan) -> str:
    digest = hashlib.sha256()
    digest.update(dump_line({"questions": campaign_to_object(plan.campaign)["questions"]}).encode())
    for text in plan.texts:
        row = {"task": text.task, "cell": dict(text.cell), "control": dict(text.control)}
        digest.update(dump_line(row | {"item": item_to_object(text.item)}).encode())
    return digest.hexdigest()


_COLUMNS = ("id", "system", "rater", "criterion", "value", "seconds", "round", "spans", "meta")
_COLOURS = ("#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9")


def export_lines(store: CampaignStore, format: str, *, every: bool = False) -> Iterator[str]:  # noqa: A002
    """The lines of an export, streamed; `every` includes the answers of excluded raters."""
    if format not in FORMATS:
        raise UnknownName("format of an export", format, FORMATS)
    return FORMATS[format](store, store.ratings(every=every))


def format_of(path: Path) -> str:
    """The format of a file by its name; a name that contains `factgenie` means factgenie."""
    if "factgenie" in path.name:
        return "factgenie"
    ending = path.suffix.lower().removeprefix(".")
    if ending not in ("csv", "jsonl"):
        raise UnknownName("ending of an export", path.suffix, (".csv", ".jsonl"))
    return ending


def export_answers(
    store: CampaignStore,
    path: Path | str,
    format: str | None = None,  # noqa: A002
    *,
    every: bool = False,
) -> int:
    """Write the judgments to a file, whole or not at all; the number of lines.

    A file that the campaign itself needs is never replaced.
    """
    path = Path(path)
    if is_own_file(path, store.folder):
        remedy = "name another file, such as ratings.jsonl"
        raise DataError("is a file of the campaign itself", path=path, remedy=remedy)
    written = 0
    lines = export_lines(store, format or format_of(path), every=every)
    with write_errors(path), replacing(path) as stream:
        for line in lines:
            stream.write(line.encode())
            written += 1
    return written


def _jsonl(_store: CampaignStore, ratings: Iterable[Rating]) -> Iterator[str]:
    for rating in ratings:
        yield dump_line(rating_to_object(rating))


def _csv(_store: CampaignStore, ratings: Iterable[Rating]) -> Iterator[str]:
    yield ",".join(_COLUMNS) + "\n"
    for rating in ratings:
        raw = rating_to_object(rating)
        for name in raw.keys() & {"spans", "meta"}:
            raw[name] = json.dumps(raw[name], ensure_ascii=False)
        yield ",".join(csv_cell(raw.get(name)) for name in _COLUMNS) + "\n"


def _factgenie(store: CampaignStore, ratings: Iterable[Rating]) -> Iterator[str]:
    texts = {text.item.key: text for text in store.texts}
    ids: dict[str, int] = {}
    for text in store.texts:
        ids.setdefault(text.item.id, len(ids))
    judged = (rating for rating in ratings if rating.rater)
    for (system, name, rater), group in groupby(
        judged, key=lambda rating: (rating.system, rating.id, rating.rater)
    ):
        text = texts[system, name]
        record = _record(store.campaign, text, rater, ids[name], list(group))
        yield dump_line(record)


def _record(
    campaign: model.Campaign, text: model.SampledText, rater: str, index: int, ratings: list[Rating]
) -> dict[str, Any]:
    labels = [label for question in campaign.questions for label in question.labels]
    questions = {question.name: question for question in campaign.questions}
    record: dict[str, Any] = {
        "dataset": campaign.name,
        "split": "sample",
        "setup_id": text.item.system or "unnamed",
        "example_idx": index,
        "metadata": {
            "campaign_id": campaign.name,
            "annotator_id": rater,
            "annotator_group": 0,
            "annotation_span_categories": [
                {"name": label, "color": _COLOURS[number % len(_COLOURS)], "description": ""}
                for number, label in enumerate(labels)
            ],
            "id": text.item.id,
            "round": ratings[0].round,
            "seconds": ratings[0].seconds,
        },
        "output": text.item.text,
        "annotations": [],
        "flags": [],
        "options": [],
        "sliders": [],
        "text_fields": [],
    }
    first = 0
    for rating in ratings:
        question = questions[rating.criterion]
        if question.kind == "choice":
            index = [choice.value for choice in question.choices].index(rating.value)
            chosen = {"index": index, "value": question.choices[index].label}
            record["options"].append({"label": question.name, **chosen})
        elif question.kind == "slider":
            record["sliders"].append({"label": question.name, "value": rating.value})
        else:
            record["annotations"] += [
                {
                    "start": span["start"],
                    "text": span["text"],
                    "type": first + question.labels.index(span["label"]),
                }
                for span in rating.spans
                if "start" in span
            ]
            record["text_fields"] += [
                {"label": f"{question.name}: left out", "value": " | ".join(span["triple"])}
                for span in rating.spans
                if "triple" in span
            ]
        first += len(question.labels)
    return record


FORMATS: Mapping[str, Callable[[CampaignStore, Iterable[Rating]], Iterator[str]]] = {
    "jsonl": _jsonl,
    "csv": _csv,
    "factgenie": _factgenie,
}
"""By name: the long form as JSON lines or a table, and factgenie's records."""
