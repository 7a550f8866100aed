"""A process of raters at work, for the tests of concurrency: `worker.py FOLDER URL SETTINGS`.

Settings: `raters` (numbers), `clock` (seconds by which this process's clock is ahead), `threads`.
Prints what became of each answer.
"""

from __future__ import annotations

import json
import random
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from adequa.human.campaign.model import NothingLeft
from adequa.human.campaign.store import CampaignStore


def work(store: CampaignStore, rater: int) -> list[tuple[int, str, str, int, str]]:
    """Answer what comes, some of it twice, until nothing has come for a while."""
    chance = random.Random(rater)
    outcomes, idle = [], 0
    while idle < 5:
        page = store.next_page(rater, another_task=True)
        if isinstance(page, NothingLeft):
            if page.reason != "waiting":
                break
            idle += 1
            time.sleep(0.02)
            continue
        value = chance.choice([1, 2])
        if chance.random() < 0.3:
            store.save_draft(rater, page.slot, {"sense": value}, 1.0)
        for _ in range(1 + (chance.random() < 0.2)):
            outcome = store.answer(rater, page.slot, {"sense": value}, 1.0)
            outcomes.append((rater, *page.text.item.key, value, outcome))
    return outcomes


def main() -> None:
    """Run the raters and print the outcomes."""
    folder, url, settings = Path(sys.argv[1]), sys.argv[2] or None, json.loads(sys.argv[3])
    store = CampaignStore.open(folder, url=url, clock=lambda: time.time() + settings["clock"])
    missing = max(settings["raters"]) - len(store.raters())
    if missing > 0:
        store.add_raters(missing)
    with ThreadPoolExecutor(settings["threads"]) as threads:
        found = list(threads.map(lambda rater: work(store, rater), settings["raters"]))
    store.close()
    sys.stdout.write(json.dumps([outcome for one in found for outcome in one]))


if __name__ == "__main__":
    main()
