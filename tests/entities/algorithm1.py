"""Algorithm 1 of the paper's appendix A.2 as it stands there: slow, and plain to check by eye."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import inf


def levenshtein(first: str, second: str) -> int:
    """The textbook table, row by row."""
    row = list(range(len(second) + 1))
    for i, one in enumerate(first, 1):
        above = row
        row = [i]
        for j, other in enumerate(second, 1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (one != other)))
    return row[-1]


def normalised(string: str) -> str:
    """Lower case, no punctuation; the underscores stay, as the distances of A.3 show."""
    return re.sub(r"[^\w\s]", "", string.lower())


def distance(entity: str, ngram: str) -> float:
    one, other = normalised(entity).strip("_ "), normalised(ngram)
    if not one or not other:
        return inf
    return levenshtein(one, other) / max(len(one), len(other))


def algorithm1(
    entities: Mapping[str, Sequence[str]], text: str, d_max: float
) -> list[tuple[str, int, int, float]]:
    """Entity, start, end and distance of each mention, in the order of the text."""
    words = [(match.start(), match.end()) for match in re.finditer(r"\S+", text)]
    tokens = [text[start:end] for start, end in words]
    names = list(entities)
    all_forms = [form for forms in entities.values() for form in forms]
    used = [form for form in all_forms if normalised(form).strip("_ ")]
    max_length = max((len(re.findall(r"[^\s_]+", form)) for form in used), default=0) + 1

    # First word and last word + 1, from the longest to the shortest.
    ngrams = [
        (start, start + n) for n in range(max_length, 0, -1) for start in range(len(words) - n + 1)
    ]

    # A row an n-gram, a column an entity: "set the kth row of D to infinity".
    matrix = [[inf] * len(names) for _ in ngrams]
    for j, name in enumerate(names):
        for k, (first, last) in enumerate(ngrams):
            ngram = " ".join(tokens[first:last])
            matrix[k][j] = min((distance(form, ngram) for form in entities[name]), default=inf)

    mentions = []
    while True:
        least, k, j = min(
            ((value, k, j) for k, row in enumerate(matrix) for j, value in enumerate(row)),
            default=(inf, 0, 0),
        )
        if least == inf or least > d_max:
            break
        first, last = ngrams[k]
        mentions.append((names[j], words[first][0], words[last - 1][1], least))
        for other, (start, end) in enumerate(ngrams):
            if start < last and first < end:  # the n-gram itself, and what overlaps with it
                matrix[other] = [inf] * len(names)
    return sorted(mentions, key=lambda mention: mention[1])
