"""The results of `nli`, `esa` and both together; each metric runs once."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from adequa.data import Item, Result
from adequa.metrics import load_metric
from adequa.run import join

__all__ = ["BOTH", "judge_items"]

BOTH = "nli+esa"
_BATCH = 64


def judge_items(items: Sequence[Item]) -> dict[str, list[Result]]:
    """The results by `nli`, `esa` and `nli+esa`; the last as a run with both has them."""
    esa, nli = load_metric("esa"), load_metric("nli")
    results: dict[str, list[Result]] = {"nli": [], "esa": [], BOTH: []}
    for start in range(0, len(items), _BATCH):
        batch = items[start : start + _BATCH]
        sys.stderr.write(f"\r  {start + len(batch)} of {len(items)} ")
        for item, one, other in zip(batch, esa.score(batch), nli.score(batch), strict=True):
            bare = Result(item, {})
            results["nli"].append(join(bare, {"nli": other}))
            results["esa"].append(join(bare, {"esa": one}))
            results[BOTH].append(join(bare, {"esa": one, "nli": other}))
    sys.stderr.write("\n")
    return results
