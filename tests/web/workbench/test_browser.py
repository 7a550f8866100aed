"""The workbench in a real Chromium with a real server, as people use it."""

from __future__ import annotations

import json
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("there is no chromium on the path", allow_module_level=True)

Make = Callable[..., Any]
SHOTS = os.environ.get("ADEQUA_SCREENSHOTS")
FERRY = "MV_Alba | homePort | Oban\nMV_Alba | builtIn | 1974"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def served(place: Make) -> Iterator[Make]:
    """Starts a workbench on a free port; gives its place and its address."""
    from adequa.web.limits import RequestLimits
    from adequa.web.server import listen, server_of, url_of

    running: list[tuple[Any, threading.Thread]] = []

    def start(*folders: Path, **options: Any) -> tuple[Any, str]:
        here = place(*folders, **options)
        bound = listen("127.0.0.1", 0)
        server = server_of(here.app, RequestLimits())
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]}, daemon=True)
        thread.start()
        running.append((server, thread))
        while not server.started:
            time.sleep(0.01)
        return here, url_of(bound, "127.0.0.1")

    yield start
    for server, thread in running:
        server.should_exit = True
        thread.join(10)


@pytest.fixture
def device(chromium: Any) -> Iterator[Make]:
    """Opens a browser of its own; no request may go elsewhere, and no script may fail."""
    problems: list[str] = []
    contexts = []
    meant = re.compile("status of (401|404|422)")  # what a test lets the server answer on purpose

    def look(request: Any) -> None:
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            problems.append(request.url)

    def said(line: Any) -> None:
        if line.type in ("error", "warning") and not meant.search(line.text):
            problems.append(line.text)

    def open_page(**options: Any) -> Any:
        context = chromium.new_context(**({"viewport": {"width": 1280, "height": 900}} | options))
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(8000)
        page.on("request", look)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", said)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert problems == []


def shot(page: Any, name: str, *, whole: bool = False) -> None:
    """A picture for whoever wants to look, where ADEQUA_SCREENSHOTS names a folder."""
    if SHOTS:
        Path(SHOTS).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(SHOTS) / f"workbench-{name}.png"), full_page=whole)


def ready(page: Any, address: str) -> Any:
    page.goto(address)
    page.wait_for_selector("body.ready")
    return page


def answered(page: Any, count: int) -> None:
    page.wait_for_function("count => Number(document.body.dataset.answers) >= count", arg=count)


def is_narrow(page: Any) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


def test_the_live_page_follows_what_one_types(served, device):
    _, url = served()
    page = ready(device(), f"{url}/live")
    page.get_by_role("textbox", name="Data").fill(FERRY)
    page.get_by_role("textbox", name="Text").press_sequentially("MV Alba sails from Oban", delay=5)
    said = page.locator("#said")
    sync_api.expect(said).to_contain_text("omission")
    assert said.get_attribute("aria-live") == "polite"
    sync_api.expect(page.locator("#graph .fact.missing .predicate")).to_have_text("✗ builtIn")
    assert page.locator("#graph .thing.not-found title").text_content() == (
        "1974: not mentioned in the text"
    )
    assert page.locator("#body mark.entity").count() == 2
    page.keyboard.type(", built in 1974.")
    sync_api.expect(said).to_contain_text("OK")
    sync_api.expect(page.locator("#graph .fact.missing")).to_have_count(0)
    assert "of 2 facts" in page.locator("#graph svg").get_attribute("aria-label")
    shot(page, "live", whole=True)
    page.locator("#body mark").first.hover()
    assert "names MV_Alba" in page.locator(".adequa-tip").inner_text()
    page.reload()
    sync_api.expect(said).to_contain_text("OK")  # what was typed is still there


def test_errors_of_the_live_page_stand_beside_the_field(served, device):
    _, url = served()
    page = ready(device(), f"{url}/live")
    page.fill("#triples", "@prefix : <http://e.org/> .\n:Alba :port")
    problem = page.locator("#triples-problem")
    sync_api.expect(problem).to_contain_text("Line 2 cannot be read as RDF")
    assert page.locator("#triples").get_attribute("aria-invalid") is not None
    shot(page, "live-error")
    page.fill("#triples", "@prefix : <http://e.org/> .\n:Alba :port :Oban .")
    page.fill("#text", "The Alba sails from Oban.")
    sync_api.expect(problem).to_be_empty()
    sync_api.expect(page.locator("#said")).to_contain_text("OK")
    page.uncheck("[name=metric]")
    sync_api.expect(page.locator("#text-problem")).to_contain_text("at least one metric")


def test_the_last_question_wins(served, device):
    _, url = served()
    page = device()
    held = []

    def hold(route: Any) -> None:
        if "slowly" in (route.request.post_data or ""):
            held.append(route)  # its answer comes after the next one, or never
        else:
            route.continue_()

    page.route("**/live/score", hold)
    ready(page, f"{url}/live")
    page.fill("#triples", FERRY)
    page.fill("#text", "slowly")
    page.wait_for_timeout(500)
    page.fill("#text", "MV Alba of 1974 sails from Oban.")
    sync_api.expect(page.locator("#said")).to_contain_text("OK")
    assert len(held) == 1
    assert held[0].request.failure is not None  # aborted
    sync_api.expect(page.locator("#body .adequa-text")).to_contain_text("sails")


def test_examples_by_keyboard_alone(served, device):
    _, url = served()
    page = ready(device(), f"{url}/live")
    page.get_by_role("button", name="Complete").focus()
    for number in range(1, 6):
        page.keyboard.press("Enter")
        answered(page, number)
        assert page.locator("#triples-problem").inner_text() == ""
        page.keyboard.press("Tab")
    assert "The Quiet Kettle" in page.locator("#graph").text_content()
    page.get_by_role("button", name="Hallucination").click()
    sync_api.expect(page.locator("#body mark.unsupported")).to_have_text(re.compile("Tulloch"))


def test_from_upload_to_download(served, device, tmp_path):
    _, url = served()
    file = tmp_path / "ferries.jsonl"
    lines = [
        {"id": str(one), "triples": [["MV_Alba", "homePort", "Oban"]], "text": f"Alba {one}."}
        for one in range(150)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    page = ready(device(accept_downloads=True), url)
    page.set_input_files("#file", file)
    sync_api.expect(page.locator("#chosen")).to_contain_text("ferries.jsonl")
    shot(page, "home", whole=True)
    page.get_by_role("button", name="Score", exact=True).click()
    page.wait_for_url("**/runs/*")
    if page.locator("#progress").count():
        shot(page, "progress")
    page.get_by_role("link", name="Read the texts").wait_for(timeout=30_000)
    assert page.get_by_role("heading", level=1).inner_text() == "ferries.jsonl"
    shot(page, "result", whole=True)
    found = {}
    for name in ("HTML report", "scores.jsonl", "summary.json"):
        with page.expect_download(timeout=30_000) as download:
            page.get_by_role("link", name=name).click()
        found[name] = Path(download.value.path()).read_text(encoding="utf-8")
    assert len(found["scores.jsonl"].splitlines()) == 150
    assert json.loads(found["summary.json"])["items"] == 150
    assert "Adequacy of ferries.jsonl" in found["HTML report"]
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("button", name="Confirm deletion").click()
    page.wait_for_url(f"{url}/")
    assert page.get_by_text("No runs yet").is_visible()


def test_a_run_is_cancelled_on_its_page(served, device, tmp_path):
    here, url = served()
    file = tmp_path / "many.jsonl"
    line = {"triples": [["MV_Alba", "homePort", "Oban"]] * 1, "text": "Alba of Oban. " * 40}
    file.write_text("".join(json.dumps({"id": str(one)} | line) + "\n" for one in range(1500)))
    page = ready(device(), url)
    page.set_input_files("#file", file)
    page.get_by_role("button", name="Score", exact=True).click()
    page.get_by_role("button", name="Cancel").click()
    sync_api.expect(page.get_by_text("was cancelled")).to_be_visible()
    assert here.runs.list()[0]["status"] == "cancelled"


def test_a_wrong_file_is_refused_beside_the_form(served, device, tmp_path):
    _, url = served()
    (tmp_path / "wrong.xml").write_text("<html></html>")
    page = ready(device(), url)
    page.set_input_files("#file", tmp_path / "wrong.xml")
    page.get_by_role("button", name="Score", exact=True).click()
    problem = page.locator("#upload-problem")
    sync_api.expect(problem).to_contain_text("neither WebNLG nor RDF/XML")
    assert page.get_by_role("button", name="Score", exact=True).is_enabled()


def test_browse_filter_and_deep_link(served, device, sample_run):
    here, url = served(sample_run)
    run = here.id_of("sample")
    page = device()
    page.goto(url)
    page.get_by_role("link", name="sample").click()
    shot(page, "overview", whole=True)
    page.get_by_role("link", name="hasty").first.click()
    page.wait_for_selector("body.ready")
    count = page.locator("#count")
    assert "40 of 120 texts" in count.inner_text()
    page.select_option("[name=verdict]", "omission")
    page.select_option("[name=sort]", "worst:esa")
    sync_api.expect(page.locator("#list .verdict").first).to_have_text("− omission")
    assert set(page.locator("#list .system").all_text_contents()) == {"hasty"}
    page.wait_for_url("**verdict=omission**")
    page.fill("[name=search]", "tarn hollow")
    sync_api.expect(page.locator("#list h2")).to_have_text(["airport-2"])
    assert page.evaluate("document.activeElement.name") == "search"
    shot(page, "texts")
    page.reload()
    sync_api.expect(page.locator("#list h2")).to_have_text(["airport-2"])
    assert page.input_value("[name=search]") == "tarn hollow"
    page.locator("#list h2 a").click()
    page.wait_for_selector("body.ready")
    assert page.get_by_role("heading", level=1).inner_text() == "airport-2"
    link = page.url
    page.get_by_label("Compare with").select_option("dreamer")
    page.wait_for_url("**vs=dreamer*")
    page.wait_for_selector("body.ready")
    assert page.locator(".adequa-column").count() == 2
    shot(page, "item", whole=True)
    page.get_by_role("link", name="texts", exact=True).click()
    page.wait_for_selector("body.ready")
    assert "search=tarn+hollow" in page.url
    other = ready(device(), link)
    assert other.locator(".adequa-data").count() == 1
    other.get_by_role("link", name="Try it live").click()
    answered(other, 1)
    assert "Tarn_Hollow_Airfield | runwayLength" in other.input_value("#triples")
    assert f"run={run}" in other.url


def test_keys_and_pages(served, device, sample_run):
    here, url = served(sample_run)
    page = ready(device(), f"{url}/runs/{here.id_of('sample')}/texts?sort=run")
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.dataset.card") == "1"
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "MARK"
    page.keyboard.press("n")
    page.wait_for_url("**page=2")
    page.wait_for_selector("body.ready")
    assert "51 to 100 shown" in page.locator("#count").inner_text()
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.name") == "search"
    page.keyboard.press("Escape")
    page.locator("h1").click()
    page.keyboard.press("?")
    sync_api.expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    page.wait_for_url("**/item?*")
    page.wait_for_selector("body.ready")
    here_now = page.url
    page.keyboard.press("n")
    page.wait_for_url(lambda address: address != here_now)


def test_campaigns_are_linked_and_shown(served, device, campaign):
    from adequa.human.campaign.store import CampaignStore

    store = CampaignStore.open(campaign)
    store.add_raters(1)
    given = {one.name: one.choices[0].value for one in store.campaign.questions}
    store.answer(1, store.next_page(1).slot, given, 2.0)
    store.close()
    _, url = served(campaigns=(campaign,))
    page = device()
    page.goto(url)
    page.get_by_role("link", name="Texts about <ferries>").click()
    assert page.get_by_text("1 of 12 judgments").is_visible()
    assert page.get_by_text("adequa human serve campaign").is_visible()
    shot(page, "campaign", whole=True)


def test_scripts_in_texts_are_shown_and_not_run(served, device, hostile_run):
    here, url = served(hostile_run)
    run = here.id_of("run")
    page = device()
    for address in (f"/runs/{run}", f"/runs/{run}/texts"):
        page.goto(url + address)
        page.wait_for_selector("body.ready")
    assert "<script>window.hacked = true</script>" in page.locator("#list").inner_text()
    page.locator("#list h2 a").first.click()
    page.wait_for_selector("body.ready")
    assert page.locator(".adequa-text").first.is_visible()
    page.get_by_role("link", name="Try it live").click()
    answered(page, 1)
    assert "<script>" in page.locator("#graph").text_content()
    assert page.evaluate("window.hacked") is None


def test_with_a_token_the_link_lets_in(served, device):
    here, url = served(token="a-token-that-is-long-enough")
    page = device()
    page.goto(url)
    assert page.get_by_role("heading", name="Sign in first").is_visible()
    shot(page, "locked")
    page.goto(url + here.workbench.access.first_page)
    assert page.url == f"{url}/"
    ready(page, f"{url}/live")
    page.get_by_role("button", name="Complete").click()
    answered(page, 1)


def test_dark_by_the_system_and_by_choice(served, device, sample_run):
    here, url = served(sample_run)
    page = ready(device(color_scheme="dark"), f"{url}/live")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(ground) == "rgb(20, 23, 27)"
    page.get_by_role("button", name="Wrong number").click()
    answered(page, 1)
    shot(page, "live-dark", whole=True)
    page.get_by_role("button", name="Dark colours").click()
    assert page.evaluate(ground) == "rgb(255, 255, 255)"
    ready(page, f"{url}/runs/{here.id_of('sample')}/texts")
    assert page.evaluate(ground) == "rgb(255, 255, 255)"  # it is remembered
    page.get_by_role("button", name="Dark colours").click()
    shot(page, "texts-dark")


def test_a_phone_is_wide_enough(served, device, sample_run, campaign):
    here, url = served(sample_run, campaigns=(campaign,))
    run = here.id_of("sample")
    page = device(viewport={"width": 360, "height": 740})
    for name, address in {
        "home": "/",
        "overview": f"/runs/{run}",
        "texts": f"/runs/{run}/texts",
        "item": f"/runs/{run}/item?system=dreamer&id=astronaut-4&vs=careful",
        "live": "/live",
    }.items():
        page.goto(url + address)
        if name == "live":
            page.get_by_role("button", name="Omission").click()
            answered(page, 1)
            assert page.locator("#graph svg").bounding_box()["width"] < 340
        assert is_narrow(page), name
        shot(page, f"phone-{name}", whole=name == "live")


def test_it_can_be_read_without_scripts(served, device, sample_run):
    here, url = served(sample_run)
    run = here.id_of("sample")
    page = device(java_script_enabled=False)
    page.goto(f"{url}/runs/{run}/texts?system=careful&sort=run")
    assert page.locator("#list article p").first.inner_text().startswith("Velmora")
    page.locator("[name=search]").fill("tarn hollow")
    page.get_by_role("button", name="Show").click()
    assert page.locator("#list h2").all_inner_texts() == ["airport-2"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(served, device, sample_run, campaign, scheme):
    spec = find_spec("axe_playwright_python")
    if spec is None or spec.origin is None:
        pytest.skip("axe-playwright-python, which carries axe-core, is not installed")
    axe = (Path(spec.origin).parent / "axe.min.js").read_text(encoding="utf-8")
    here, url = served(sample_run, campaigns=(campaign,))
    run, opened = here.id_of("sample"), here.client.get("/").text
    folder = re.findall(r"/campaigns/[0-9a-f]{16}", opened)[0]
    page = device(color_scheme=scheme)
    tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
    told = []
    item = f"/runs/{run}/item?system=dreamer&id=airport-2&vs=careful"
    light = ("/", f"/runs/{run}", f"/runs/{run}/texts?search=airport-2", folder, "/nothing")
    for address in ("/live", item, *(light if scheme == "light" else ())):
        page.goto(url + address)
        if address == "/live":
            page.get_by_role("button", name="Hallucination").click()
            answered(page, 1)
        page.evaluate(axe)
        found = page.evaluate(
            "tags => axe.run(document, {runOnly: {type: 'tag', values: tags}})", tags
        )
        told += [
            f"{address} {one['id']}: {one['nodes'][0]['html'][:200]} "
            f"{one['nodes'][0]['failureSummary']}"
            for one in found["violations"]
        ]
        assert len(found["passes"]) > 8
    assert told == []


def test_the_columns_of_a_table_are_asked_for(served, device, tmp_path):
    _, url = served()
    said = "The Alba is a ship of 1998."
    file = tmp_path / "ships.csv"
    file.write_text(f"name,built,url,one,two\nAlba,1998,https://e.org/,{said},{said}\n")
    page = ready(device(), url)
    page.set_input_files("#file", file)
    sync_api.expect(page.locator("#preview summary")).to_contain_text("facts")
    page.get_by_role("button", name="Score", exact=True).click()
    sync_api.expect(page.locator("#upload-problem")).to_have_text("Choose the column of the text.")
    page.select_option("[name=text]", "two")
    sync_api.expect(page.locator("#preview")).not_to_contain_text("fact: two")
    sync_api.expect(page.locator("#preview")).to_contain_text("left out: an address")
    shot(page, "columns")
    page.get_by_role("button", name="Score", exact=True).click()
    page.wait_for_url("**/runs/*")
