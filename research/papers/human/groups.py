"""Which test and data reproduce the significance groups of Tables 2 and 3 of paper 004.

According to the paper, the judgments of a text were averaged and systems were compared by
Wilcoxon's rank-sum test. Its groups are finer than this gives on 223 averages per system, so other
readings are tried as well:

    averaged       one value per text, the mean of its judgments
    single         one value per judgment
    single-thrice  the same, but a text that was shown to nobody counts three times
    repeated       the mean of the text for each judgment, as in a table of judgments with a column
                   of averages; adds no information, but gives smaller p
    thrice         the mean of each text three times

`repeated` and `thrice` only test what the authors may have done and are not to be used: counting a
value several times adds no evidence. The closest of many settings is close by selection; only
`PAPER`, which follows the paper's text, was fixed in advance.

Groups are compared as pairs of systems that share a letter, since the same groups can be lettered
in several ways.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from adequa.data import Rating
from adequa.errors import DataError
from adequa.human.analysis import Sample, significance_groups
from adequa.tables import Cell, Column, Table
from research.papers.human.printed import HEADINGS, HUMAN, alike

DATA = ("averaged", "single", "single-thrice", "repeated", "thrice")
_TIMES = 3
"""The number of judgments per text in the paper."""

_SHOWN = 2
"""The number of settings named when several are equally close."""

Part = tuple[str, str | None]
"""One of the nine rankings: a criterion, and `seen`, `unseen` or None for both."""


@dataclass(frozen=True, slots=True)
class GroupSetting:
    """The data, test and correction that give groups."""

    data: str
    test: str
    correction: str


SETTINGS = tuple(
    GroupSetting(data, test, correction)
    for data in DATA
    for test in ("rank-sum", "signed-rank")
    if test == "rank-sum" or data == "averaged"  # only averages are paired by text
    for correction in ("none", "bh", "holm", "bonferroni")
)


PAPER = SETTINGS[0]


@dataclass(frozen=True, slots=True)
class GroupAgreement:
    """One ranking of the paper under one setting."""

    part: Part
    setting: GroupSetting
    letters: Mapping[str, str]
    pairs: int
    equal_pairs: int
    """Pairs that share a letter in both results or in neither."""
    neighbours: int
    """Those of them that are adjacent in the paper's ranking."""
    equal_systems: int
    """Systems that share letters with exactly the same systems as in the paper."""

    @property
    def equal(self) -> bool:
        """Whether the groups are the paper's."""
        return self.equal_pairs == self.pairs


def group_agreements(
    averages: Iterable[Rating],
    judgments: Iterable[Rating],
    settings: Sequence[GroupSetting] = SETTINGS,
) -> list[GroupAgreement]:
    """The nine rankings under each setting, from the two files of 2017's judgments."""
    means = list(averages)
    singles = list(judgments)
    counts = Counter((one.criterion, one.system, one.id) for one in singles)
    found = []
    for part in HUMAN:
        samples = {
            data: _samples(data, part, means, singles, counts)
            for data in dict.fromkeys(setting.data for setting in settings)
        }
        found += [_agreement(part, setting, samples[setting.data]) for setting in settings]
    return found


def _samples(
    data: str,
    part: Part,
    averages: Sequence[Rating],
    judgments: Sequence[Rating],
    counts: Mapping[tuple[str, str, str], int],
) -> dict[str, Sample]:
    criterion, kind = part
    chosen = [
        rating
        for rating in (judgments if data.startswith("single") else averages)
        if rating.criterion == criterion and kind in (None, rating.meta.get("type"))
    ]
    if not chosen:
        raise DataError(
            f"there are no ratings of {' '.join(filter(None, part))}",
            remedy="give both files of webnlg2017/human",
        )
    by_text: dict[str, dict[str, float]] = {}
    lists: dict[str, list[float]] = {}
    for rating in chosen:
        by_text.setdefault(rating.system, {})[rating.id] = rating.value
        times = 1
        if data == "thrice" or (data == "single-thrice" and not rating.rater):
            times = _TIMES
        elif data == "repeated":
            times = max(1, counts.get((criterion, rating.system, rating.id), 0))
        lists.setdefault(rating.system, []).extend([rating.value] * times)
    if data == "averaged":
        return dict(by_text)
    return dict(lists)


def _agreement(part: Part, setting: GroupSetting, samples: Mapping[str, Sample]) -> GroupAgreement:
    paper = {system: row.group for system, row in HUMAN[part].items()}
    if set(samples) != set(paper):
        raise DataError(
            f"the ratings are of {', '.join(sorted(samples))}, not of the paper's ten systems",
            remedy="give the files of webnlg2017/human",
        )
    found = significance_groups(samples, test=setting.test, correction=setting.correction)
    theirs, ours = alike(paper), found.alike
    pairs = len(found.differences)
    unequal = theirs ^ ours
    touched = {system for pair in unequal for system in pair}
    return GroupAgreement(
        part,
        setting,
        {system: found.letters.get(system, "") for system in paper},
        pairs,
        pairs - len(unequal),
        sum(frozenset(pair) not in unequal for pair in pairwise(paper)),
        len(paper) - len(touched),
    )


def best(found: Iterable[GroupAgreement]) -> dict[Part, list[GroupAgreement]]:
    """For each ranking, the settings that are closest to the paper, several if they are equal."""
    by_part: dict[Part, list[GroupAgreement]] = {}
    for one in found:
        by_part.setdefault(one.part, []).append(one)
    return {
        part: [one for one in some if one.equal_pairs == max(each.equal_pairs for each in some)]
        for part, some in by_part.items()
    }


def settings_table(found: Sequence[GroupAgreement]) -> Table:
    """One row per setting: the pairs that equal the paper's, by ranking and in total."""
    parts = list(dict.fromkeys(one.part for one in found))
    cells = {(one.setting, one.part): one for one in found}
    rows: list[list[Cell]] = []
    for setting in dict.fromkeys(one.setting for one in found):
        each = [cells[setting, part] for part in parts]
        rows.append(
            [
                setting.data,
                setting.test,
                setting.correction,
                *(one.equal_pairs for one in each),
                sum(one.equal_pairs for one in each),
                sum(one.equal for one in each),
            ]
        )
    pairs = sum(cells[one.setting, part].pairs for one in found[:1] for part in parts)
    title = (
        f"Pairs of systems (of {found[0].pairs} per ranking, {pairs} in total) that share a letter "
        "both in the paper and in our result, or in neither"
    )
    columns = ["data", "test", "correction", *map(_short, parts), "all pairs", "equal rankings"]
    return Table(title, columns, rows)


def best_table(found: Sequence[GroupAgreement]) -> Table:
    """One row per ranking: whether its groups are reproduced, and the closest settings."""
    literal = {one.part: one for one in found if one.setting == PAPER}
    rows: list[list[Cell]] = []
    for part, nearest in best(found).items():
        first = nearest[0]
        by_paper = literal.get(part)
        rows.append(
            [
                _name(part),
                HEADINGS[part[0]],
                None if by_paper is None else by_paper.equal_pairs,
                first.equal_pairs,
                "equal" if first.equal else "different",
                "; ".join(_settings(nearest)),
                " ".join(first.letters.values()),
                " ".join(row.group for row in HUMAN[part].values()),
            ]
        )
    columns: list[str | Column] = [
        *("ranking", "paper's heading", "as the paper says", "best", "groups"),
        *("best under", "letters", "paper's letters"),
    ]
    tried = len({one.setting for one in found})
    title = f"The closest of {tried} settings to the paper's groups (of {found[0].pairs} pairs)"
    return Table(title, columns, rows)


def _settings(some: Iterable[GroupAgreement]) -> list[str]:
    """Short names of settings; corrections of the same test and data are joined."""
    corrections: dict[tuple[str, str], list[str]] = {}
    for one in some:
        key = one.setting.data, one.setting.test
        corrections.setdefault(key, []).append(one.setting.correction)
    names = [f"{data} {test} {'/'.join(each)}" for (data, test), each in corrections.items()]
    more = [f"and {len(names) - _SHOWN} more"] if len(names) > _SHOWN else []
    return names[:_SHOWN] + more


def _name(part: Part) -> str:
    return part[0] if part[1] is None else f"{part[0]}, {part[1]}"


def _short(part: Part) -> str:
    return part[0][:3] + ("" if part[1] is None else f" {part[1]}")
