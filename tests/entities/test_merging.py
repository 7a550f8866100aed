"""One list of mentions without overlaps."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from adequa.data import Mention
from adequa.entities.judgment import merge

MENTIONS = st.lists(
    st.builds(
        lambda entity, start, length, distance: Mention(
            entity, start, start + length, "name", distance
        ),
        st.sampled_from("abc"),
        st.integers(0, 12),
        st.integers(1, 6),
        st.sampled_from([0.0, 0.1, 0.2]),
    ),
    max_size=8,
)


def test_the_lowest_distance_then_the_longest() -> None:
    near = Mention("a", 5, 8, "name", 0.0)
    long = Mention("b", 0, 9, "linker", 0.1)
    apart = Mention("c", 9, 12, "fuzzy", 0.3)
    assert merge([long, apart, near]) == (near, apart)
    equal = Mention("b", 4, 8, "linker", 0.0)
    assert merge([near, equal]) == (equal,)
    assert merge([]) == ()


def overlap(one: Mention, other: Mention) -> bool:
    return bool(set(range(one.start, one.end)) & set(range(other.start, other.end)))


@given(MENTIONS, st.randoms(use_true_random=False))
def test_what_is_left_out_overlaps_with_what_is_better(mentions: list[Mention], random) -> None:  # type: ignore[no-untyped-def]
    merged = merge(mentions)
    assert list(merged) == sorted(merged, key=lambda mention: mention.start)
    for number, mention in enumerate(merged):
        assert not any(overlap(mention, other) for other in merged[number + 1 :])
    for mention in mentions:
        if mention not in merged:
            length = mention.end - mention.start
            assert any(
                overlap(mention, kept)
                and (kept.distance, kept.start - kept.end) <= (mention.distance, -length)
                for kept in merged
            )
    assert merge(merged) == merged
    shuffled = list(mentions)
    random.shuffle(shuffled)
    assert merge(shuffled) == merged
