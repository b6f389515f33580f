"""The report of a batch in a browser: it filters, sorts and opens, from the keyboard too, at three widths, and prints.

`--update-golden` writes docs/report.png anew."""

from __future__ import annotations

import re
import shutil
from html import unescape
from pathlib import Path

import pytest

from lifter.main import main

pytestmark = pytest.mark.few(9)

ROOT = Path(__file__).parent.parent.parent
FIGURES = ROOT / "corpus" / "dexter" / "figures.cpp"
PROGRAM = {
    "src/io/log.c": """\
#include <stdio.h>
void report(const char *what) { printf("%s\\n", what); }
void warn(const char *what) { fprintf(stderr, "%s\\n", what); }
""",
    "src/old \"<b>&amp;</b>.c": "int sum(int n, ...) { return n; }\n",
    "src/wrong.c": "int f( {\n",
}


@pytest.fixture(scope="module")
def page_file(tmp_path_factory):
    folder = tmp_path_factory.mktemp("page")
    for name, text in PROGRAM.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "src" / "filters").mkdir()
    shutil.copy(FIGURES, folder / "src" / "filters")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("LIFT_CACHE_DIR", "")
        patch.setattr("sys.argv", ["lift", "batch", "src", "-q"])
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code == 2
    return folder / "lifted" / "report.html"


def test_nothing_comes_from_the_network(page_file):
    text = page_file.read_text()
    assert not re.search(r"(src|href)\s*=|@import|url\(|https?://", re.sub(r"<pre.*?</pre>", "", text, flags=re.DOTALL))


def test_text_of_the_program_is_text(page_file):
    text = page_file.read_text()
    assert "<b>&amp;</b>.c" not in text
    assert unescape("old &#34;&lt;b&gt;&amp;amp;&lt;/b&gt;.c") == 'old "<b>&amp;</b>.c'
    assert "&lt;b&gt;&amp;amp;&lt;/b&gt;.c" in text


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if found is None:
        pytest.skip("no Chromium is here: make browser-tools")
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(params=[1400, 820, 390])
def page(browser, page_file, request):
    page = browser.new_page(viewport={"width": request.param, "height": 900})
    problems: list[str] = []
    page.on("pageerror", lambda e: problems.append(str(e)))
    page.on("console", lambda m: problems.append(m.text) if m.type == "error" else None)
    page.goto(page_file.as_uri())
    yield page
    assert not problems
    page.close()


def names(page) -> list[str]:
    return page.locator("tbody tr:not(.detail):visible button.open").all_inner_texts()


ALL = ["BoxBlur", "AdjustOpacity", "DissolveMask", "DarkenTiled", "report", "warn", "sum"]


def test_it_filters(page):
    assert names(page) == ALL
    page.get_by_label("Filter").fill("LOG.C war")
    assert names(page) == ["warn"]
    assert page.locator("#shown").inner_text() == "1 of 8"
    page.get_by_role("button", name="Show all").click()
    assert names(page) == ALL
    page.get_by_role("button", name="4 verified").click()
    assert names(page) == ALL[:4]
    page.get_by_role("button", name="3 unsupported").click()
    assert names(page) == ALL
    page.get_by_role("button", name="4 verified").click()
    page.get_by_role("button", name="variadic function").first.click()
    assert names(page) == ["sum"]


def test_it_sorts(page):
    page.get_by_role("button", name="Function", exact=True).click()
    assert names(page) == sorted(ALL, key=str.lower)
    page.get_by_role("button", name="Function", exact=True).click()
    assert names(page) == sorted(ALL, key=str.lower, reverse=True)
    assert page.locator("th[aria-sort=descending]").count() == 1


def test_it_opens_from_the_keyboard(page):
    button = page.get_by_role("button", name="BoxBlur")
    button.focus()
    page.keyboard.press("Enter")
    detail = page.locator("tr.detail")
    assert button.get_attribute("aria-expanded") == "true"
    assert "dst[x, y] = hl.u8(" in detail.locator(".halide").inner_text()
    assert "cols <= rowBytes" in detail.inner_text()
    loops = [text.split() for text in detail.locator(".loop").all_inner_texts()]
    assert [words[:2] for words in loops] == [["17", "for"], ["18", "for"], ["25", "for"], ["26", "for"]]
    page.keyboard.press("Space")
    assert detail.count() == 0


def test_nothing_sticks_out(page):
    for name in ("BoxBlur", "report"):
        page.get_by_role("button", name=name, exact=True).click()
    width = page.viewport_size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_prints(page):
    page.emulate_media(media="print")
    assert not page.get_by_label("Filter").is_visible()
    assert names(page) == ALL


def test_the_picture_in_the_documentation(browser, page_file, request):
    picture = ROOT / "docs" / "report.png"
    if request.config.getoption("update_golden"):
        page = browser.new_page(viewport={"width": 1200, "height": 1000})
        page.goto(page_file.as_uri())
        page.get_by_role("button", name="BoxBlur").click()
        page.screenshot(path=picture)
        page.close()
    assert picture.read_bytes().startswith(b"\x89PNG")
