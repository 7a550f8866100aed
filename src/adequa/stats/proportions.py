"""How far a share can be trusted."""

from __future__ import annotations

import math
from statistics import NormalDist

from adequa.stats.means import Interval, check_level

__all__ = ["wilson_interval"]


def wilson_interval(count: int, total: int, level: float = 0.95) -> Interval | None:
    """Wilson's score interval (1927) of `count` out of `total`; None of nothing.

    Unlike the mean plus or minus some deviations it is never empty, not even of 0 out of 5.

    >>> low, high = wilson_interval(0, 20)
    >>> low, round(high, 3)
    (0.0, 0.161)
    """
    check_level(level)
    if not 0 <= count <= total:
        raise ValueError(f"{count} out of {total} is no share")
    if not total:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = count / total
    middle = share + z * z / (2 * total)
    half = z * math.sqrt(share * (1 - share) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    low = 0.0 if count == 0 else (middle - half) / scale
    high = 1.0 if count == total else (middle + half) / scale
    return low, high
