"""Each page of the console is checked for WCAG 2.2, level AA: contrast, names, roles, structure, focus, targets, in light and dark."""

import pytest

import accessibility
import browser as browsers
from consoles import OVERFLOW, chromium, console  # noqa: F401
from test_console import server  # noqa: F401

# The pages with what they show when they are complete.
PAGES = {
    "": ".card .figure", "databases": ".data-table tbody tr", "database/trips": ".data-table tbody tr", "database/trips?tab=design": "h1",
    "database/trips?tab=import": "h1", "document/trips/trip-1": ".CodeMirror-line, textarea", "queries?db=trips": ".CodeMirror-line, textarea",
    "queries?db=trips&kind=view": "h1", "queries?db=trips&kind=text": "h1", "queries?db=trips&kind=geo": "h1",
    "database/trips?rows=map": "h1", "changes": "h1", "replications": "h1", "backups": "h1", "applications": "h1", "applications?new=1": "h1", "security": "h1", "security/users": "h1", "security/keys": "h1",
    "security/sessions": "h1", "help": "h1", "settings": "h1",
    "log": "h1",
}


def show(console, page):
    console.browser.execute_script("location.hash = arguments[0]", f"#/{page}")
    console.until(lambda: console.all(f".page {PAGES[page]}") and not console.all(".page .state[role=status]"))


def scheme(browser, name):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": name}] if name else []})


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("size", [(390, 844), (1280, 800)], ids=lambda size: str(size[0]))
def test_contrast_names_roles_and_targets(console, size, colours):
    browsers.resize(console.browser, *size)
    scheme(console.browser, colours)
    console.open()
    console.until(lambda: console.all("form.login"))
    found = {"login": accessibility.findings(console.browser)}
    console.log_in()
    for page in PAGES:
        show(console, page)
        found[page] = accessibility.findings(console.browser)
    scheme(console.browser, None)
    assert {page: findings for page, findings in found.items() if findings} == {}


def test_the_focus_is_seen_and_goes_through_each_page_in_order(console):
    browsers.resize(console.browser, 1280, 800)
    console.open()
    console.until(lambda: console.all("form.login"))
    found = {"login": accessibility.focus_order(console.browser)}
    console.log_in()
    for page in PAGES:
        show(console, page)
        found[page] = accessibility.focus_order(console.browser)
    assert {page: findings for page, findings in found.items() if findings} == {}


def test_dialogs(console):
    console.enter("databases")
    for open_dialog in [lambda: console.button("Create a database").click(), lambda: console.one("body").send_keys("?")]:
        open_dialog()
        console.one("dialog")
        assert accessibility.findings(console.browser) == []
        assert accessibility.focus_order(console.browser) == []
        console.button("Close").click()
        console.until(lambda: not console.all("dialog"))


@pytest.mark.parametrize("width, colours", [(320, "dark"), (390, "dark"), (1280, "light")])
def test_the_steps_of_the_wizard(console, width, colours):
    browsers.resize(console.browser, width, 844)
    scheme(console.browser, colours)
    console.browser.execute_script("sessionStorage.clear()")
    console.enter("applications?new=1")
    console.write(console.labelled("Name of the app"), "Owls")
    found = {}

    def check(name):
        console.browser.execute_script("for (const d of document.querySelectorAll('main details, dialog details')) d.open = true")
        found[name] = accessibility.findings(console.browser) + accessibility.focus_order(console.browser)
        found[name] += ["too wide"] * (console.browser.execute_script(OVERFLOW) > 0)

    for step in range(1, 5):
        check(step)
        if step < 4:
            heading = console.one("main h2").text
            console.press("Next")
            console.until(lambda: console.one("main h2").text != heading)
    console.press("Add a login with GitHub")
    for label in ["Client ID", "Client secret"]:
        console.write(console.labelled(label, "dialog"), "x" * 100)
    check("form of a provider")
    console.one("dialog form .primary").click()
    console.until(lambda: not console.all("dialog"))
    check("a provider")
    console.browser.refresh()
    console.until(lambda: "Enter the secret again" in console.one(".login-list").text)
    check("a secret that is entered again")
    console.press("Next")
    console.until(lambda: console.all("main .facts"))
    check(5)
    scheme(console.browser, None)
    assert {name: findings for name, findings in found.items() if findings} == {}


def test_nothing_needs_to_be_scrolled_sideways_at_320_pixels(console):
    browsers.resize(console.browser, 320, 640)
    console.open()
    console.log_in()
    wide = []
    for page in PAGES:
        show(console, page)
        if console.browser.execute_script("return document.documentElement.scrollWidth - innerWidth") > 0:
            wide.append(page)
    assert wide == []
