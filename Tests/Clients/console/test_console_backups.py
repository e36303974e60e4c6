"""Backups in the console: the schedule, a backup made, opened, checked, restored and removed; damage; a server without backups."""

import pathlib

import pytest
from selenium.webdriver.common.keys import Keys

import browser as browsers
from conftest import Server, eventually
from consoles import Console, NAMELESS, OVERFLOW, chromium, console  # noqa: F401

KEEPS_SESSION = True
MARK = b"flip-me-0"
ODD = "a/b+c(d)$"


def damage(folder):
    """Changes a byte of the marked text in each file."""
    files = [file for file in pathlib.Path(folder).rglob("*.godwit") if MARK in file.read_bytes()]
    assert files
    for file in files:
        file.write_bytes(file.read_bytes().replace(MARK, MARK[:-1] + b"\xff"))


def backups(server):
    """The ids of the backups, the newest first, when none is in progress."""
    found = eventually(lambda: (found := server.json("GET", "/_godwit/backups"))["running"] is None and found)
    return [backup["id"] for backup in found["backups"]]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("backups")


@pytest.fixture(scope="module")
def server(folder):
    """A server with a healthy backup of a database that is damaged now."""
    server = Server(folder / "data", arguments=["--backups", str(folder / "sets")])
    eventually(lambda: backups(server))
    for name in ["trips", "bad", "a%2Fb%2Bc(d)$"]:
        server.json("PUT", f"/{name}")
    for number in range(3):
        server.json("PUT", f"/trips/trip-{number}", json={"km": number})
    server.json("PUT", "/trips/_security", json={"members": {"names": ["mia"], "roles": []}})
    server.json("PUT", "/bad/doc", json={"text": "flip-me-0123456789"})
    first = backups(server)[0]
    # The name of a backup is its second.
    eventually(lambda: server.request("POST", "/_godwit/backups", json={}).ok and backups(server)[0] != first)
    server.stop()
    damage(server.data)
    server.start()
    yield server
    server.stop()


@pytest.fixture(scope="module")
def healthy(server):
    return backups(server)[0]


def table(console, caption):
    """The rows of a table, as lists of the texts of their cells."""
    return console.browser.execute_script("""
        return [...document.querySelectorAll('main table')].filter(t => t.caption.textContent === arguments[0] && t.checkVisibility())
            .flatMap(t => [...t.tBodies[0].rows].map(row => [...row.cells].map(cell => cell.textContent)))""", caption)


def has(console, *words):
    return console.until(lambda: all(word in console.text() for word in words))


def test_the_schedule_is_shown_and_changed(console, server, folder):
    console.visit("backups")
    has(console, "Every 24 hours. The newest 7 complete backups are kept.", "Next backup", str(folder / "sets"))
    settings = lambda: {key: server.json("GET", "/_node/_local/_config/backup").get(key) for key in ("every_hours", "keep")}
    console.press("Change")
    hours, keep = console.all("dialog input")
    assert [hours.get_attribute("value"), keep.get_attribute("value")] == ["24", "7"]
    for wrong in ["-1", "1.5", "8761", ""]:
        console.write(hours, wrong)
        keep.send_keys(Keys.ENTER)
        assert not console.browser.execute_script("return arguments[0].validity.valid", hours) and console.all("dialog[open]")
    console.write(hours, "12")
    console.write(keep, "3")
    keep.send_keys(Keys.ENTER)
    has(console, "Every 12 hours. The newest 3 complete backups are kept.")
    assert settings() == {"every_hours": "12", "keep": "3"}
    console.press("Change")
    hours, keep = console.all("dialog input")
    console.write(hours, "0")
    console.write(keep, "1")
    keep.send_keys(Keys.ENTER)
    has(console, "No schedule. The newest complete backup is kept.", "None: only when you start one.")
    assert settings() == {"every_hours": "0", "keep": "1"} and console.complaints() == []


def test_a_backup_is_made_and_opened_and_what_failed_is_named(console, server, healthy):
    console.visit("backups")
    before = backups(server)
    assert len(console.until(lambda: table(console, "Backups"))) == len(before)
    console.press("Back up now")
    made = console.until(lambda: (id := backups(server)[0]) not in before and id)
    console.until(lambda: len(table(console, "Backups")) == len(backups(server)) and table(console, "Backups")[0][1] == "1 failure")
    has(console, "Last backup", "1 failure", "No schedule.")
    console.until(lambda: console.all(".data-table a"))[0].click()
    console.until(lambda: console.heading() == f"Backup {made}" and table(console, "Databases"))
    [failed] = table(console, "Failures")
    assert failed[0] == "bad" and "damaged" in failed[1]
    listed = {name: (documents, state, action) for name, documents, _, state, action in table(console, "Databases")}
    assert set(listed) == {"_replicator", "_users", ODD, "bad", "trips"}
    assert listed["trips"] == ("3", "copied", "Restore") and listed["bad"][1] == failed[1]
    # A damaged copy can be restored too, after a warning.
    console.press("Restore bad")
    assert console.one("dialog .warning").text.startswith("This copy has damage:")
    console.press("Cancel")
    console.one("[data-search]").send_keys("tr")
    console.until(lambda: [row[0] for row in table(console, "Databases")] == ["trips"])
    console.one("[data-search]").send_keys("ee")
    has(console, "tree")
    console.until(lambda: not table(console, "Databases") and console.all(".backup-table .state"))
    # The complete backup stays, although only one is kept and a newer one exists.
    assert healthy in backups(server) and console.complaints() == []


def test_a_database_is_restored_under_a_new_name_and_never_over_another(console, server, healthy):
    console.visit(f"backups/{healthy}")
    for summary in console.all("main .same summary"):
        summary.click()
    has(console, "godwit restore --database NAME", f"_godwit/backups/{healthy}/restore")
    console.press("Restore trips")
    name = console.one("dialog input")
    assert name.get_attribute("value") == "trips"
    name.send_keys(Keys.ENTER)
    console.until(lambda: "A database with the name trips exists." in console.one("dialog .refusal").text)
    assert console.one("dialog .refusal a").text == "Open trips"
    console.write(name, "UPPER")
    name.send_keys(Keys.ENTER)
    console.until(lambda: "Only lowercase characters" in console.one("dialog .refusal").text)
    console.write(name, "copy/of+trips")
    console.complaints()
    name.send_keys(Keys.ENTER)
    console.until(lambda: console.heading() == "copy/of+trips" and "trip-2" in console.text())
    assert "copy/of+trips was restored." in console.one("#toasts").text
    assert server.json("GET", "/copy%2Fof%2Btrips")["doc_count"] == 3
    assert server.json("GET", "/copy%2Fof%2Btrips/_security")["members"]["names"] == ["mia"]
    # What is damaged now comes back from the older copy, also for a name with all signs.
    for database, target in [("bad", "mended"), (ODD, "odd")]:
        console.visit(f"backups/{healthy}")
        console.press(f"Restore {database}")
        console.write(console.one("dialog input"), target)
        console.one("dialog input").send_keys(Keys.ENTER)
        console.until(lambda: console.heading() == target)
    assert server.json("GET", "/mended/doc")["text"] == "flip-me-0123456789"
    assert console.complaints() == []


def test_checks_find_a_damaged_database_and_a_damaged_copy(console, server, folder, healthy):
    console.visit("backups")
    console.press("Check all databases")
    has(console, "Check of the databases, ended", "1 database is damaged.")
    [(database, fault)] = table(console, "Damage")
    assert database == "bad" and fault
    assert console.one(".faults a").get_attribute("href").endswith("#/database/bad")
    console.press(f"Check the backup {healthy}")
    has(console, f"Check of the backup {healthy}", "No damage was found.")
    assert not table(console, "Damage")
    # The page of another backup does not show the findings of this one.
    other = next(id for id in backups(server) if id != healthy)
    console.visit(f"backups/{other}")
    console.until(lambda: table(console, "Databases"))
    assert "No damage was found." not in console.text()
    damage(folder / "sets" / healthy)
    console.visit(f"backups/{healthy}")
    has(console, "No damage was found.")
    console.press("Check")
    has(console, "1 database is damaged.")
    assert [row[0] for row in table(console, "Damage")] == ["bad"] and not console.all(".faults a")
    assert console.complaints() == []


def test_a_backup_is_removed_after_its_name_was_typed(console, server, healthy):
    console.visit("backups")
    ids = backups(server)
    gone = next(id for id in ids if id != healthy)
    console.press(f"Remove the backup {gone}")
    submit, word = console.one("dialog .danger"), console.one("dialog input")
    assert not submit.is_enabled()
    word.send_keys(gone[:-1])
    assert not submit.is_enabled()
    word.send_keys(gone[-1], Keys.ENTER)
    console.until(lambda: f"The backup {gone} was removed." in console.one("#toasts").text)
    console.until(lambda: len(table(console, "Backups")) == len(ids) - 1)
    assert backups(server) == [id for id in ids if id != gone] and console.complaints() == []


def test_a_backup_that_does_not_exist_is_an_error_in_words(console):
    for id in ["20200101T000000Z", "..%2F..%2Fdata", "%3Cimg%20src=x%3E"]:
        console.visit(f"backups/{id}")
        console.until(lambda: console.all(".state-error p") and console.all(".state-error p")[0].text)
        assert not console.all("main img")
        assert not [button for button in console.all("main button") if button.text in ("Remove", "Check")]


def test_a_backup_in_progress_is_shown_and_cancelled(console):
    console.visit("databases")
    # The server's answer with a backup in progress, until it is cancelled.
    console.browser.execute_script("""
        const send = window.fetch
        window.deleted = []
        window.fetch = async (address, options) => {
            if (options?.method === 'DELETE') { window.deleted.push(address); return new Response('{"ok": true}') }
            const answer = await send(address, options)
            if (address !== '/_godwit/backups' || window.deleted.length) return answer
            return new Response(JSON.stringify({ ...await answer.json(), running: { id: '20300101T000000Z', started: 1, done: 3, databases: 10 } }))
        }
        location.hash = '#/backups'""")
    has(console, "A backup is being made", "3 of 10 databases", "One is being made now.")
    shown = lambda: [button.text for button in console.all("main button") if button.is_displayed()]
    assert "Back up now" not in shown() and console.one("main progress").get_attribute("value") == "3"
    console.press("Cancel the backup")
    console.until(lambda: "Back up now" in shown() and not console.all("main progress"))
    assert "The backup was cancelled." in console.one("#toasts").text
    assert console.browser.execute_script("return window.deleted") == ["/_godwit/backups/20300101T000000Z"]
    console.browser.get(console.server.url + "/_up")
    assert console.complaints() == []


def test_a_second_attempt_shows_the_whole_page(console, healthy):
    console.visit("backups")
    console.browser.execute_script("""
        const send = window.fetch
        window.fetch = (address, ...rest) => {
            if (!address.includes(arguments[0])) return send(address, ...rest)
            window.fetch = send
            return Promise.reject(new Error('no network'))
        }
        location.hash = `#/backups/${arguments[0]}`""", healthy)
    console.until(lambda: "The server did not respond." in console.text())
    console.press("Try again")
    console.until(lambda: table(console, "Databases"))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_pages_fit_a_phone(console, healthy, scheme):
    browsers.resize(console.browser, 390, 844)
    console.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    for page in ["backups", f"backups/{healthy}"]:
        console.visit(page)
        assert not console.all(".state-error") and console.until(lambda: console.all("main .data-table"))
        assert console.browser.execute_script(OVERFLOW) <= 0 and console.browser.execute_script(NAMELESS) == [], page
        browsers.picture(console.browser, f"console-{page.split('/')[0]}-{scheme}")
    console.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_a_server_without_a_directory_explains_it(chromium, tmp_path):
    server = Server(tmp_path / "data")
    browsers.resize(chromium, 1280, 900)
    console = Console(chromium, server)
    chromium.get(server.url + "/_up")
    chromium.delete_all_cookies()
    console.complaints()
    console.visit("backups")
    has(console, "This server makes no backups: it has no directory for them.", "godwit serve --backups DIRECTORY")
    buttons = [button.text for button in console.all("main button") if button.is_displayed()]
    assert "Back up now" not in buttons and "Change" not in buttons and not console.all("main .data-table")
    # The databases can be checked all the same.
    console.press("Check all databases")
    has(console, "2 databases were read. No damage was found.")
    assert console.complaints() == []
    server.stop()
