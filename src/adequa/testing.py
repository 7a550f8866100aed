"""Adequacy as an assertion, for the tests of programs that generate texts.

    from adequa.testing import assert_adequate

    def test_the_description_says_what_the_record_says():
        assert_adequate("Blue_Spice | eatType | pub", describe(record))

The pytest plug-in of adequa offers the same as the fixture `assert_adequate`.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adequa.data import Result

__all__ = ["assert_adequate"]


def assert_adequate(
    data: Any,
    text: str,
    *,
    metrics: Any = None,
    allow: Collection[str] = (),
    coverage: str | None = None,
    min_confidence: float = 0.0,
) -> Result:
    """Raise an AssertionError with all faults unless the text says what it should of its data.

    `data`, `metrics` and `coverage` are those of `adequa.score`; `allow` names kinds of faults that
    are accepted: omission, hallucination. `min_confidence` is the least confidence of an OK
    verdict. Returns the result, for further assertions.
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    from adequa.api import score
    from adequa.errors import SettingError, require_known

    kinds = ("omission", "hallucination")
    require_known("fault", allow, kinds)
    result = score(data, text, metrics=metrics, coverage=coverage)
    if result.verdict is None:
        raise SettingError("no metric gave a verdict on the text; use esa or nli")
    faults = [kind for kind in kinds if kind in result.verdict and kind not in allow]
    if faults:
        raise AssertionError(_message(result, faults))
    if min_confidence and result.verdict == "OK":
        if result.confidence is None:
            raise SettingError("no metric knows how sure its verdict is; use nli")
        if result.confidence < min_confidence:
            raise AssertionError(_unsure(result, min_confidence))
    return result


def _unsure(result: Result, least: float) -> str:
    lines = [
        f"no fault was found, but the confidence is {result.confidence:.3f}, below {least:g}:",
        f"  text: {result.item.text!r}",
    ]
    lines += [f"  not sure of: {' | '.join(fact.triple)}" for fact in result.doubtful]
    return "\n".join(lines)


def _message(result: Result, faults: Collection[str]) -> str:
    lines = [f"the text is not adequate ({' and '.join(faults)}):", f"  text: {result.item.text!r}"]
    for fault in result.faults:
        kinds = [kind for kind in fault.kind.split("+") if kind in faults]
        lines += [f"  {'wrong' if len(kinds) > 1 else kinds[0]}: {fault.why}"] if kinds else []
    scores = ", ".join(
        f"{name} {'not scorable' if value is None else format(value, '.3f')}"
        for name, value in result.scores.items()
    )
    return "\n".join([*dict.fromkeys(lines), f"  scores: {scores}"])
