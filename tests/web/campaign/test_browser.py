"""The pages in a real Chromium with a real server, as a rater and an organiser use them."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from adequa.data import Item
from adequa.human.campaign.model import SampledText
from adequa.human.campaign.settings import PRESETS

from .conftest import FACTS

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("there is no chromium on the path", allow_module_level=True)

Make = Callable[..., Any]
SHOTS = os.environ.get("ADEQUA_SCREENSHOTS")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def served(place: Make) -> Iterator[Make]:
    """Starts the server of a campaign on a free port; gives its place and its address."""
    import uvicorn

    running: list[tuple[Any, threading.Thread]] = []

    def start(**options: Any) -> tuple[Any, str]:
        here = place(**options)
        bound = socket.create_server(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(here.app, log_level="error", lifespan="off"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        running.append((server, thread))
        while not server.started:
            time.sleep(0.01)
        return here, f"http://127.0.0.1:{bound.getsockname()[1]}"

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join(10)


@pytest.fixture
def device(chromium: Any) -> Iterator[Make]:
    """Opens a browser of its own; no request may go elsewhere, and no script may fail."""
    problems: list[str] = []
    contexts = []
    # What a test lets the server answer on purpose.
    meant = re.compile("status of (503|409)")

    def look(request: Any) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            problems.append(request.url)

    def said(line: Any) -> None:
        if line.type == "error" and not meant.search(line.text):
            problems.append(line.text)

    def open_page(**options: Any) -> Any:
        size = {"width": 1280, "height": 860}
        context = chromium.new_context(**({"viewport": size} | options))
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on("request", look)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", said)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def shot(page: Any, name: str, *, whole: bool = False) -> None:
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(SHOTS) / f"{name}.png"), full_page=whole)


def begin(page: Any, address: str, here: Any, number: int = 1) -> None:
    page.goto(address + here.rater_link(number))
    if page.get_by_label("yes").count():
        page.get_by_label("yes").check()
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector("html.js #answers")


def saved(page: Any) -> None:
    sync_api.expect(page.locator("#state")).to_have_text("Saved")


def text_of(page: Any) -> str:
    return str(page.locator(".text").text_content())


def test_a_preference_between_two_texts(served: Make, device: Make) -> None:
    rival = {"systems": ["T5", "LSTM"], "text": "Another text, which says something else."}
    item = Item("Id0", FACTS, "A text that says it all.", "T5 vs LSTM", meta={"rival": rival})
    rules = {"eligibility": ()}
    texts = [SampledText(item, "pairs")]
    here, address = served(questions=PRESETS["preference"], texts=texts, rules=rules)
    page = device(viewport={"width": 1000, "height": 800})
    begin(page, address, here)
    shot(page, "pair")
    boxes = [page.locator(".pair section").nth(place).bounding_box() for place in (0, 1)]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"], "the texts are side by side"
    heads = page.locator(".pair h2").all_text_contents()
    answers = page.locator(".choice span").all_text_contents()
    assert heads == ["Text 1", "Text 2"]
    # The names hold where texts are stacked.
    assert answers == ["Text 1", "No difference", "Text 2"]
    spec = find_spec("axe_playwright_python")
    if spec is not None and spec.origin is not None:
        page.evaluate((Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8"))
        found = page.evaluate("axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa']})")
        assert [one["id"] for one in found["violations"]] == []
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    sync_api.expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    (rating,) = here.store.ratings()
    assert rating.value in (1.0, -1.0)


def test_by_mouse_from_the_link_to_the_export(served: Make, device: Make) -> None:
    here, address = served()
    page = device()
    page.goto(address + here.rater_link(1))
    assert page.url == address + "/"
    shot(page, "welcome")
    page.get_by_text("yes", exact=True).click()
    page.get_by_role("button", name="Start").click()
    given = {}
    for done in range(3):
        # First that the next page is there: the last one has answers too.
        sync_api.expect(page.locator(".progress")).to_contain_text(f"{done} of 3")
        page.wait_for_selector("html.js #answers")
        if done == 0:
            shot(page, "text")
        given[text_of(page)] = {"semantics": done + 1, "grammar": 3, "fluency": 2}
        page.get_by_text(["Incorrectly", "Medium", "Correctly"][done], exact=True).first.click()
        if done == 0:
            page.get_by_role("button", name="Submit and continue").click()
            sync_api.expect(page.locator("#problem-grammar")).to_have_text("Choose one.")
            shot(page, "problems")
        page.get_by_text("Grammatical", exact=True).click()
        page.get_by_text("Medium").last.click()
        page.get_by_role("button", name="Submit and continue").click()
        page.wait_for_load_state()
    sync_api.expect(page.get_by_role("heading", name="Thank you")).to_be_visible()
    shot(page, "done")

    organiser = device()
    organiser.goto(address + here.organiser_link)
    assert "3 of 12 judgments" in " ".join(organiser.locator(".figures").inner_text().split())
    shot(organiser, "organiser", whole=True)
    with organiser.expect_download() as download:
        organiser.get_by_role("link", name="JSON lines").click()
    rows = [json.loads(line) for line in Path(download.value.path()).read_text().splitlines()]
    texts = {(text.item.system, text.item.id): text.item.text for text in here.store.texts}
    exported: dict[str, dict[str, float]] = {}
    for row in rows:
        exported.setdefault(texts[row["system"], row["id"]], {})[row["criterion"]] = row["value"]
        assert row["rater"] == "r001"
        assert 0 < row["seconds"] < 30
    assert exported == given
    organiser.get_by_role("link", name="Raters and links").click()
    shot(organiser, "raters")
    organiser.get_by_role("link", name="New round").click()
    organiser.get_by_label("Exclude r001").check()
    shot(organiser, "round")
    organiser.get_by_role("button", name="Continue").click()
    shot(organiser, "confirm")
    organiser.get_by_role("button", name="Start round 2").click()
    sync_api.expect(organiser.get_by_role("heading", name="Round 2 has started")).to_be_visible()
    assert not list(here.store.ratings())


def test_by_keyboard_alone(served: Make, device: Make, every_kind: Any) -> None:
    here, address = served(questions=every_kind, texts=("The MV Alba was built in 1999.",))
    page = device()
    page.goto(address + here.rater_link(1))
    page.keyboard.press("Tab")  # to skip to the content
    page.keyboard.press("Tab")  # the rater's own link
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    page.wait_for_selector("html.js #answers")
    page.keyboard.press("?")
    assert page.locator("#keys").is_visible()
    shot(page, "keys")
    page.keyboard.press("Escape")
    sync_api.expect(page.locator("#keys")).to_be_hidden()
    # The dialog has let go of the focus. (wait_for_function evaluates strings, which the page's
    # policy forbids, as soon as it has to wait.)
    sync_api.expect(page.locator("body :focus")).to_have_count(0)
    page.keyboard.press("Enter")
    sync_api.expect(page.locator("#problem-semantics")).to_have_text("Choose one.")
    page.keyboard.press("2")  # answers the first question and goes on to the slider
    assert page.evaluate("document.activeElement.type") == "range"
    page.keyboard.press("Enter")  # not set, so not sent
    sync_api.expect(page.locator("#problem-DataCoverage")).to_have_text("Set a value.")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    assert page.locator("input[type=number]").input_value() == "53"
    shot(page, "keyboard", whole=True)
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("1")
    assert "Select a part" in page.locator("#problem-errors").inner_text()
    page.locator("#text").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    shot(page, "keyboard-marking")
    page.keyboard.press("1")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("2")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=1 of 2")
    spans = next(one for one in here.store.ratings() if one.criterion == "errors").spans
    assert [(one["start"], one["end"], one["text"], one["label"]) for one in spans] == [
        (4, 11, "MV Alba", "not in the data"),
        (25, 29, "1999", "contradicts the data"),
    ]
    assert [one.value for one in here.store.ratings()] == [2, 53, 2]


def test_a_reload_and_a_second_device_keep_the_draft(
    served: Make, device: Make, every_kind: Any
) -> None:
    here, address = served(questions=every_kind)
    first = device()
    begin(first, address, here)
    assert "untouched" in first.locator(".ask-slider").get_attribute("class")
    first.get_by_text("Correctly", exact=True).click()
    slider = first.locator("input[type=range]").bounding_box()
    first.mouse.click(slider["x"] + slider["width"] * 0.8, slider["y"] + slider["height"] / 2)
    first.locator(".word").nth(1).click()
    first.get_by_role("button", name="not in the data").click()
    first.locator("input[type=checkbox]").nth(1).check()
    saved(first)
    value = first.locator("input[type=number]").input_value()
    assert 75 < float(value) < 85
    text = text_of(first)
    second = device()
    second.goto(address + here.rater_link(1))
    first.reload()
    for page in (first, second):
        page.wait_for_selector("html.js #answers")
        assert text_of(page) == text
        assert page.get_by_role("radio", name="Correctly", exact=True).is_checked()
        assert page.locator("input[type=number]").input_value() == value
        assert page.locator(".marks li").count() == 1
        assert page.locator("input[type=checkbox]").nth(1).is_checked()
    second.get_by_role("button", name="Submit and continue").click()
    second.wait_for_selector("text=1 of 3")
    first.get_by_role("button", name="Submit and continue").click()
    first.wait_for_selector("text=1 of 3")
    assert text_of(first) == text_of(second) != text
    assert len(list(here.store.ratings())) == 3
    first.get_by_role("link", name="Back to the last text").click()
    first.wait_for_selector("html.js #answers")
    assert text_of(first) == text
    first.get_by_role("button", name="Remove").click()
    first.get_by_role("button", name="Save changes").click()
    first.wait_for_selector("text=Submit and continue")
    assert [one.value for one in here.store.ratings()][2] == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            "MV Alba 🚢👩‍👩‍👧 was built in cafe\u0301-loving O\u0308ban.",
            "built in cafe\u0301-loving",
        ),
        ("Line one.\r\nLine\x00 two 😀 here.", "two 😀"),
        ("بنيت السفينة في أوبان عام 1974.", "السفينة في"),
    ],
    ids=["emoji", "line ends", "arabic"],
)
def test_marks_by_mouse_count_as_python_does(
    served: Make, device: Make, every_kind: Any, text: str, words: str
) -> None:
    here, address = served(questions=every_kind, texts=(text,))
    page = device()
    begin(page, address, here)
    first, last = words.split(" ")[0], words.split(" ")[-1]
    start = page.locator(".word", has_text=re.compile(f"^{first}$")).first.bounding_box()
    end = page.locator(".word", has_text=re.compile(f"^{last}$")).first.bounding_box()
    right_to_left = start["x"] > end["x"]
    near, far = (1, 0) if right_to_left else (0, 1)
    page.mouse.move(start["x"] + near * start["width"], start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(end["x"] + far * end["width"], end["y"] + end["height"] / 2, steps=4)
    page.mouse.up()
    page.get_by_role("button", name="contradicts the data").click()
    assert page.locator(".marks q").inner_text() == words
    shot(page, f"marks-{'rtl' if right_to_left else 'ltr'}")
    page.get_by_text("Medium").click()
    page.locator("input[type=number]").fill("7")
    page.get_by_role("button", name="Submit and continue").click()
    page.wait_for_selector("text=1 of 2")
    span = next(one for one in here.store.ratings() if one.criterion == "errors").spans[0]
    assert (span["text"], text[span["start"] : span["end"]]) == (words, words)


def test_a_script_in_a_text_is_shown_and_not_run(served: Make, device: Make) -> None:
    text = (
        "<script>document.title = 'taken'</script><img src=/x onerror=\"document.title='taken'\">"
    )
    here, address = served(texts=(text,), rules={"title": "<i>Ferries</i>"})
    page = device()
    begin(page, address, here)
    assert text_of(page) == text
    assert "taken" not in page.title()
    assert page.locator("main script, main img, i").count() == 0


def test_a_phone_in_the_dark(served: Make, device: Make, every_kind: Any) -> None:
    long = "Donaudampfschifffahrtsgesellschaftskapitän" * 4
    here, address = served(questions=every_kind, texts=(f"The ferry {long} sails. " * 6,))
    options = {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"}
    page = device(**options, has_touch=True, is_mobile=True)
    organiser = device(**options)
    organiser.goto(address + here.organiser_link)
    begin(page, address, here)
    page.locator(".drawing summary").click()
    page.locator(".word").nth(2).tap()
    page.get_by_role("button", name="not in the data").tap()
    assert page.locator(".marks li").count() == 1
    for one, name in ((page, "phone"), (organiser, "phone-organiser")):
        shot(one, name, whole=True)
        assert one.evaluate("document.documentElement.scrollWidth") <= 360
        red, green, blue = one.evaluate(
            "getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
        )[:3]
        assert max(red, green, blue) < 60
    organiser.goto(address + "/organise/raters")
    assert organiser.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_phone_held_upright(served: Make, device: Make) -> None:
    here, address = served()
    page = device(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    begin(page, address, here)
    page.get_by_text("Correctly", exact=True).tap()
    saved(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.evaluate("scrollTo(0, 0)")  # the bar goes along, and would lie over the text
    shot(page, "phone-upright", whole=True)


def test_time_counts_only_in_view_and_a_lost_server_is_reported(served: Make, device: Make) -> None:
    here, address = served()
    page = device()
    begin(page, address, here)
    page.evaluate(
        """() => {
          Object.defineProperty(document, 'hidden', { value: true, configurable: true });
          document.dispatchEvent(new Event('visibilitychange'));
        }"""
    )
    page.wait_for_timeout(1500)
    page.context.route("**/draft", lambda route: route.fulfill(status=503))
    page.get_by_text("Correctly", exact=True).click()
    sync_api.expect(page.locator("#state")).to_have_text("Not saved yet")
    page.context.unroute("**/draft")
    page.context.route("**/draft", lambda route: route.fulfill(status=409))
    page.get_by_text("Grammatical", exact=True).click()
    sync_api.expect(page.locator("#conflict")).to_be_visible()
    page.context.unroute("**/draft")
    page.get_by_text("Fluent", exact=True).click()
    saved(page)
    assert page.locator("#conflict").is_hidden()
    page.get_by_role("button", name="Submit and continue").click()
    page.wait_for_selector("text=1 of 3")
    assert next(here.store.ratings()).seconds < 1.4
