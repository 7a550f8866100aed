"""The report in a real Chromium, opened from disk, as a reader uses it."""

from __future__ import annotations

import copy
import os
import shutil
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from adequa.cli import app
from adequa.report import write_report

from .made_runs import HOSTILE, made_lines, write_lines

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("there is no chromium on the path", allow_module_level=True)

SHOTS = os.environ.get("ADEQUA_SCREENSHOTS")
Open = Callable[..., Any]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def demo_report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    found = CliRunner().invoke(app, ["demo", "--out", str(folder / "sample")])
    assert found.exit_code == 0, found.output
    write_report([folder / "sample"], folder / "report.html", title="The sample")
    return folder / "report.html"


@pytest.fixture
def changed_report(tmp_path: Path) -> Path:
    """Two runs of two systems, forty texts each; of each the first four lost what they said."""
    then = made_lines(1, inputs=40)
    for line in then:
        line["scores"]["esa"] = 0.9
        for fact in line["facts"]:
            fact["status"] = "stated"
    now = copy.deepcopy(then)
    for line in now[:8]:
        line["scores"]["esa"] = 0.2
        line["text"] = "It sails."
        line["mentions"], line["findings"] = [], []
        for fact in line["facts"]:
            fact["status"] = "missing"
    out = tmp_path / "report.html"
    runs = [write_lines(tmp_path / name, lines) for name, lines in (("new", now), ("old", then))]
    write_report(runs[:1], out, baseline=runs[1])
    return out


@pytest.fixture
def opened(chromium: Any) -> Iterator[Open]:
    """Opens a report; no request but for the file itself, and no script may fail."""
    problems: list[str] = []
    contexts = []

    def start(path: Path, address: str = "", **options: Any) -> Any:
        context = chromium.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: problems.append(message.text))
        page.on("pageerror", lambda error: problems.append(str(error)))
        wanted = []
        page.on("request", lambda request: wanted.append(request.url))
        page.goto(f"{path.as_uri()}{address}")
        page.wait_for_selector("body.ready")
        assert [url.partition("#")[0] for url in wanted] == [path.as_uri()]
        page.wanted = wanted
        return page

    yield start
    for context in contexts:
        for page in context.pages:
            assert len(page.wanted) == 1, page.wanted
        context.close()
    assert problems == []


def shoot(page: Any, name: str) -> None:
    """A picture for whoever wants to look, where ADEQUA_SCREENSHOTS names a folder."""
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=Path(SHOTS) / f"report-{name}.png")


def choose(page: Any, **values: str) -> None:
    """Set filters, and wait until what they let through is drawn."""
    for name, value in values.items():
        if name == "search":
            page.fill("[name=search]", value)
            page.wait_for_timeout(400)
        else:
            page.select_option(f"[name={name}]", value)
            page.wait_for_timeout(150)
    sync_api.expect(page.locator("#count")).not_to_contain_text("searching")


def cards(page: Any) -> Any:
    return page.locator("#list .card")


def test_filter_sort_and_search(opened, demo_report):
    page = opened(demo_report)
    shoot(page, "top")
    assert "120 of 120 texts, 1 to 50 shown" in page.inner_text("#count")
    choose(page, system="hasty", verdict="omission")
    assert set(page.locator("#list .system").all_text_contents()) == {"hasty"}
    verdicts = page.locator("#list .verdict").all_text_contents()
    assert {one.partition(",")[0] for one in verdicts} == {"− omission"}
    choose(page, sort="worst:nli")
    scores = page.locator("#list .score").all_text_contents()
    values = [float(score.split()[1]) for score in scores if score.startswith("nli")]
    assert len(values) == cards(page).count()
    assert values == sorted(values)
    choose(page, search="tarn hollow")
    assert page.locator("#list h3").all_text_contents() == ["airport-2"]
    assert "search=tarn+hollow" in page.url
    shoot(page, "filtered")
    page.click("[type=reset]")
    page.wait_for_timeout(200)
    assert cards(page).count() == 50
    choose(page, search="no text has these words")
    assert "No matching texts" in page.inner_text("#count")


def test_the_least_sure_verdicts_can_be_read_first(opened, demo_report):
    page = opened(demo_report)
    page.get_by_role("link", name="read the least sure first").click()
    sync_api.expect(page.locator("[name=sort]")).to_have_value("unsure")
    sync_api.expect(page.locator("[name=verdict]")).to_have_value("OK")
    sync_api.expect(page.locator("#count")).not_to_contain_text("120 of")
    told = page.locator("#list .verdict").all_text_contents()
    assert all(one.startswith("✓ OK, confidence ") for one in told)
    shares = [int(one.split()[-2]) for one in told]
    assert shares == sorted(shares)
    assert "No fault found" in cards(page).first.inner_text()
    cards(page).first.locator(".verdict").hover()
    assert f"right with a probability of {shares[0]} %" in page.locator(".adequa-tip").inner_text()


def test_pages(opened, demo_report):
    page = opened(demo_report)
    page.click("#next")
    sync_api.expect(page.locator("#count")).to_contain_text("51 to 100 shown")
    page.keyboard.press("n")
    sync_api.expect(page.locator("#count")).to_contain_text("101 to 120 shown")
    assert page.is_disabled("#next")


def test_every_mark_is_explained_on_hover_and_to_a_screen_reader(opened, demo_report):
    page = opened(demo_report, "#/texts?system=dreamer&search=airport-1")
    mark = page.locator("#list mark.unsupported").first
    mark.scroll_into_view_if_needed()
    mark.hover()
    tip = page.locator(".adequa-tip")
    assert "nothing in the data supports" in tip.inner_text()
    shoot(page, "hover")
    named = page.locator("#list mark.entity").first
    assert "names Velmora_Airport (found by name)" in named.text_content()
    named.hover()
    assert page.locator("#list .lit").count() >= 2  # in the text and in the table
    page.mouse.move(2, 2)
    sync_api.expect(tip).to_be_hidden()


def test_missing_facts_are_struck_out_and_labelled(opened, demo_report):
    page = opened(demo_report, "#/item/hasty/airport-2")
    row = page.locator("#item tr.missing").first
    assert "missing" in row.inner_text()
    decoration = row.locator("td").first.evaluate("one => getComputedStyle(one).textDecorationLine")
    assert decoration == "line-through"
    assert "not named in the text" in row.text_content()


def test_link_to_one_item_and_compare_two_systems(opened, demo_report):
    page = opened(demo_report, "#/item/dreamer/airport-2")
    assert page.inner_text("#item h2") == "airport-2"
    assert page.is_hidden("#systems")
    page.locator("#item select").nth(1).select_option("careful")
    page.wait_for_url("**/vs/careful")
    sync_api.expect(page.locator("#item .columns-2 .adequa-column")).to_have_count(2)
    heads = page.locator("#item .adequa-data th").all_inner_texts()
    assert heads[-2:] == ["dreamer", "careful"]
    shoot(page, "compare")
    page.click(".back a")
    sync_api.expect(page.locator("#systems")).to_be_visible()
    choose(page, system="dreamer", compare="hasty")
    assert cards(page).first.locator(".adequa-column h4").all_text_contents() == [
        "dreamer",
        "hasty",
    ]
    shoot(page, "side-by-side")
    absent = opened(demo_report, "#/item/nobody/%zz")
    assert "This file has no text of nobody" in absent.inner_text("#item")


def test_it_opens_with_the_faults_and_counts_are_links(opened, demo_report):
    page = opened(demo_report, viewport={"width": 1000, "height": 900})
    shoot(page, "at-1000")
    sections = page.locator("main > section").evaluate_all("all => all.map((one) => one.id)")
    assert sections[:3] == ["glance", "worst", "systems"]
    too_wide = "all => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length"
    assert page.locator(".scroll").evaluate_all(too_wide) == 0
    first = page.locator("#worst .worst").first
    shown = cards(page).first.locator("h3")
    assert first.locator("h3").text_content() == shown.text_content()
    assert first.locator(".verdict .sure").inner_text().endswith("%")
    faults = cards(page).first.locator(".adequa-findings li").all_text_contents()
    assert len(faults) == first.locator("li").count()
    page.get_by_text("How to read this").click()
    explained = page.locator(".reading dt").all_text_contents()
    assert explained == ["esa", "nli", "similarity", "bleu", "chrf", "ter"]
    assert "OK means that none was found" in page.inner_text(".reading")
    link = page.locator("#glance .headlines a", has_text="leave something out")
    count = int(link.inner_text().split()[0])
    link.click()
    page.wait_for_url("**verdict=omission**")
    sync_api.expect(page.locator("#count")).to_contain_text(f"{count} of 120 texts")


def test_keyboard(opened, demo_report):
    page = opened(demo_report, "#/texts?sort=run")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "search"
    page.keyboard.press("Escape")
    for key in ("j", "j", "ArrowDown", "k"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.dataset.row") == "1"
    page.keyboard.press("Tab")  # its link, then its marks
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "MARK"
    assert page.locator(".adequa-tip").is_visible()
    page.keyboard.press("k")
    page.keyboard.press("Enter")
    sync_api.expect(page.locator("#item h2")).to_be_visible()
    page.keyboard.press("ArrowRight")
    page.wait_for_url("**/item/hasty/**")
    page.keyboard.press("Escape")
    sync_api.expect(page.locator("#item")).to_be_hidden()
    page.keyboard.press("?")
    assert page.locator("#help").is_visible()


def test_slices_lead_to_their_texts(opened, demo_report):
    page = opened(demo_report)
    box = page.locator("[data-slices=category]")
    box.locator("select").select_option(label="texts with an omission")
    shoot(page, "slices")
    shown = box.locator("tbody tr").first.locator("td").nth(3).inner_text()
    box.locator("tbody tr").first.locator("td").nth(3).locator("a").click()
    page.wait_for_url("**verdict=omission**")
    page.wait_for_timeout(200)
    own = cards(page).count()
    assert shown == f"{100 * own / 4:.0f} %"
    page.locator("#systems th button", has_text="Texts").click()
    assert page.locator("#systems th[aria-sort]").count() == 1


def test_texts_are_shown_and_never_run(opened, tmp_path):
    lines = made_lines(3, systems=["Anna", HOSTILE])
    for line in lines:
        line["text"] = f"🛳🛳 {HOSTILE}"
        line["mentions"][0] |= {"start": 3, "end": 3 + len("</script>")}
        line["findings"] = []
        line["category"] = HOSTILE if line["id"] == "Id0" else "Ferry"
    out = tmp_path / "report.html"
    write_report([write_lines(tmp_path / "run", lines)], out, title=HOSTILE)
    page = opened(out, "#/texts?sort=run")
    assert page.evaluate("window.hacked") is None
    assert HOSTILE in cards(page).first.locator(".adequa-text").text_content().replace(
        "1 [names Ferry_0 (found by name)] ", ""
    )
    # Offsets count characters, of which the browser takes two for a ship.
    marked = page.locator("#list mark").first.evaluate("one => one.firstChild.data")
    assert marked == "</script>"
    choose(page, system=HOSTILE, category=HOSTILE, search="onerror")
    cards(page).first.locator("h3 a").click()
    sync_api.expect(page.locator("#item h2")).to_have_text("Id0")
    assert page.evaluate("window.hacked") is None


def test_changes_since_a_baseline(opened, changed_report):
    page = opened(changed_report)
    section = page.locator("#changes")
    assert "10 facts broke" in section.inner_text()
    section.scroll_into_view_if_needed()
    page.evaluate("document.querySelector('#changes').scrollIntoView()")
    shoot(page, "changes")
    section.locator("a", has_text="Read the texts").first.click()
    page.wait_for_url("**changed=broken**")
    sync_api.expect(cards(page)).to_have_count(4)
    assert cards(page).first.locator("h4").all_text_contents() == ["Anna", "Anna (baseline)"]
    shoot(page, "broken")
    choose(page, system="", changed="worse:esa", sort="lost:esa")
    sync_api.expect(cards(page)).to_have_count(8)


def test_dark_and_light(opened, demo_report):
    size = {"width": 1120, "height": 780}
    page = opened(demo_report, "#/texts", color_scheme="dark", viewport=size)
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    shoot(page, "dark")
    page.click("#theme")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (dark, light) == ("rgb(20, 23, 27)", "rgb(255, 255, 255)")


def test_phone_width(opened, demo_report):
    page = opened(demo_report, "#/texts", viewport={"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    shoot(page, "phone")
    page.locator("#list h3 a").first.click()
    sync_api.expect(page.locator("#item h2")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    shoot(page, "phone-item")


def test_print(opened, demo_report):
    page = opened(demo_report, color_scheme="dark")
    page.emulate_media(media="print")
    assert page.is_hidden("#filters")
    assert page.is_hidden("nav")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    if SHOTS:
        page.pdf(path=Path(SHOTS) / "report-print.pdf")


def test_without_a_script_the_tables_are_there(chromium, demo_report):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(demo_report.as_uri())
    assert page.is_visible("#systems table")
    assert page.is_visible("[data-slices=category] table")
    assert page.is_hidden("#filters")
    assert "needs JavaScript" in page.inner_text("#texts")
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", ["", "#/item/dreamer/airport-2/vs/careful"])
def test_axe_finds_no_violation(opened, demo_report, scheme, address):
    assert violations(opened(demo_report, address, color_scheme=scheme)) == []


def test_axe_finds_no_violation_in_the_changes(opened, changed_report):
    assert violations(opened(changed_report)) == []


def violations(page: Any) -> list[str]:
    """What axe-core finds at levels A and AA."""
    spec = find_spec("axe_playwright_python")
    if spec is None or spec.origin is None:
        pytest.skip("axe-playwright-python, which carries axe-core, is not installed")
    # What is not drawn yet would not be looked at.
    page.evaluate(
        "document.querySelectorAll('.card').forEach(x => { x.style.contentVisibility = 'visible' })"
    )
    page.evaluate((Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8"))
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    found = page.evaluate("tags => axe.run(document, {runOnly: {type: 'tag', values: tags}})", tags)
    assert len(found["passes"]) > 10
    return [
        f"{one['id']}: {one['nodes'][0]['html'][:200]} {one['nodes'][0]['failureSummary']}"
        for one in found["violations"]
    ]
