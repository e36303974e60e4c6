"""The overview: figures, conflicts, the history as charts and numbers, slow queries, backups; the number of conflicts elsewhere; keys."""

import json
import os

import pytest
from selenium.webdriver.common.keys import Keys

import browser as browsers
from conftest import Server, eventually
from consoles import HOSTILE, OVERFLOW, chromium, console  # noqa: F401

LONG = bool(os.environ.get("GODWIT_LONG"))
TORN = "torn/one"
TORN_PATH = "/torn%2Fone"
CONFLICTS = 12
# Three minutes, the second one without a request.
HISTORY = {
    "seconds": 60, "newest": 1_800_000_000, "requests": [30, 0, 90], "failures": [0, 0, 2], "p50": [1.5, None, 2.25], "p99": [20.5, None, 1234],
    "memory": [50_000_000, 51_000_000, 52_500_000], "documents_written": [7, 0, 1200], "documents_replicated": [0, 0, 600]}
# Answers that replace the server's, for states that a test cannot cause or wait for.
ANSWERS = """
    window.answers = %s
    const send = window.fetch
    window.fetch = async (address, options) => {
        const answer = window.answers[String(address).split('?')[0]]
        return answer === undefined ? send(address, options) : new Response(JSON.stringify(answer), { headers: { 'Content-Type': 'application/json' } })
    }"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("overview")
    (folder / "backups").mkdir()
    server = Server(folder / "data", arguments=["--backups", str(folder / "backups")])
    fill(server)
    yield server
    server.stop()


def fill(server):
    server.json("PUT", "/trips")
    server.json("PUT", "/trips/_design/all", json={"views": {"by-km": {"map": "function (doc) { emit(doc.km, null); }"}}})
    for number in range(3):
        server.json("PUT", f"/trips/trip-{number}", json={"km": number})
    revision = server.json("PUT", "/trips/gone", json={})["rev"]
    server.json("DELETE", "/trips/gone", params={"rev": revision})
    server.json("PUT", TORN_PATH)
    server.json("POST", TORN_PATH + "/_bulk_docs", json={"new_edits": False, "docs": [
        {"_id": f"torn-{number}", "_rev": f"1-{side * 32}", "side": side} for number in range(CONFLICTS) for side in "ab"]})


@pytest.fixture
def answering(chromium):
    """Gives answers to the pages that are opened afterwards."""
    added = []

    def begin(**answers):
        source = ANSWERS % json.dumps({f"/_godwit/{name}": answer for name, answer in answers.items()})
        added.append(chromium.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": source})["identifier"])
        # A page with another fragment is the same document.
        chromium.get("about:blank")

    yield begin
    for identifier in added:
        chromium.execute_cdp_cmd("Page.removeScriptToEvaluateOnNewDocument", {"identifier": identifier})


def cards(console):
    """The figures by the titles of their cards."""
    return console.browser.execute_script("""
        return Object.fromEntries([...document.querySelectorAll('.card')].filter(card => card.querySelector('.figure'))
            .map(card => [card.querySelector('h2').textContent, [card.querySelector('.figure').textContent, card.querySelector('.note')?.textContent || '']]))""")


def shown(console, title):
    return console.until(lambda: cards(console).get(title))


def test_figures_are_those_of_the_server(console, server):
    server.json("POST", "/_replicate", json={"source": "trips", "target": "copy", "create_target": True})
    console.enter()
    statistics = server.json("GET", "/_node/_local/_stats")
    assert shown(console, "Databases")[0] == str(statistics["godwit"]["databases"]["value"])
    infos = server.json("POST", "/_dbs_info", json={"keys": server.json("GET", "/_all_dbs")})
    assert shown(console, "Documents")[0] == str(sum(item["info"]["doc_count"] for item in infos))
    assert shown(console, "Documents in conflict")[0] == str(CONFLICTS)
    assert statistics["godwit"]["documents_replicated"]["value"] >= 4
    written = f"{statistics['couchdb']['document_writes']['value']:,} since the start"
    console.until(lambda: cards(console)["Writes a second"][1] == written)
    console.until(lambda: cards(console)["Requests a second"][0] != "…")
    assert console.complaints() == []


def test_conflicts_are_named_and_lead_to_their_list(console, server):
    console.enter()
    warning = console.until(lambda: [w for w in console.all(".warning") if "Conflicts wait" in w.text])[0]
    assert warning.text == f"Conflicts wait for a decision: {TORN} ({CONFLICTS})"
    warning.find_element("css selector", "a").click()
    console.until(lambda: console.heading() == TORN and len(console.rows()) == CONFLICTS)
    console.until(lambda: f"Conflicts\n{CONFLICTS}" in console.one("dl.figures").text)
    assert console.complaints() == []


def test_the_list_of_databases_has_the_number_of_conflicts(console, server):
    console.enter("databases")
    console.until(lambda: any(row.startswith(TORN) for row in console.rows()))
    titles = [title.text for title in console.all(".data-table thead th")]
    column = titles.index("Conflicts")
    numbers = {row.find_elements("css selector", "th, td")[0].text: row.find_elements("css selector", "th, td")[column].text
               for row in console.all(".data-table tbody tr")}
    assert numbers[TORN] == str(CONFLICTS) and numbers["trips"] == "0"
    link = next(a for a in console.all(".data-table a") if a.get_attribute("aria-label") == f"Documents of {TORN} in conflict: {CONFLICTS}")
    link.click()
    console.until(lambda: len(console.rows()) == CONFLICTS and "tab=conflicts" in console.browser.current_url)


def test_a_number_at_the_bound_of_the_server_may_be_larger(console, server):
    console.enter("settings")
    console.browser.execute_script("""
        const send = window.fetch
        window.fetch = async (address, options) => {
            const response = await send(address, options)
            if (address !== '/_dbs_info') return response
            const items = await response.json()
            for (const item of items) if (item.key === 'trips') item.info.godwit.conflicts = 10000
            return new Response(JSON.stringify(items), { headers: { 'Content-Type': 'application/json' } })
        }
        location.hash = '#/databases'""")
    console.until(lambda: any("10,000 or more" in row for row in console.rows()))
    console.browser.execute_script("location.hash = '#/'")
    console.until(lambda: cards(console).get("Documents in conflict", [""])[0] == f"{10_000 + CONFLICTS:,} or more")
    # Those with most of them are the first.
    console.until(lambda: f"trips (10,000 or more), {TORN} ({CONFLICTS})" in console.text())


def test_the_history_is_a_list_for_each_number(server):
    history = server.json("GET", "/_godwit/history")
    lists = [value for value in history.values() if isinstance(value, list)]
    assert set(history) == set(HISTORY) and len({len(values) for values in lists}) == 1 and history["seconds"] == 60


@pytest.mark.skipif(not LONG, reason="it waits for a complete minute: GODWIT_LONG=1")
def test_the_history_survives_a_restart(tmp_path):
    server = Server(tmp_path / "data")
    for _ in range(20):
        server.json("GET", "/_all_dbs")
    history = eventually(lambda: (found := server.json("GET", "/_godwit/history"))["requests"] and found, 90)
    assert sum(history["requests"]) >= 20
    server.stop()
    server.start()
    again = server.json("GET", "/_godwit/history")
    assert again["newest"] >= history["newest"]
    assert all(again[name][:len(history[name])] == history[name] for name in history if isinstance(history[name], list))
    server.stop()


def test_the_history_has_charts_and_the_same_as_numbers(console, server, answering):
    answering(history=HISTORY)
    console.enter()
    console.until(lambda: len(console.all("godwit-chart")) == 4)
    titles = [title.text for title in console.all(".charts h3")]
    assert titles == ["Requests a minute", "Time of requests", "Documents written a minute", "Memory"]
    if server.request("GET", "/_utils/lib/chart.js/chart.min.js").ok:
        console.until(lambda: len(console.all("godwit-chart canvas[role=img][aria-label]")) == 4)
    else:
        console.until(lambda: len(console.all("godwit-chart .chart-missing")) == 4)
    assert numbers(console, 0) == [["30", "0"], ["0", "0"], ["90", "2"]]
    assert numbers(console, 1) == [["1.5 ms", "21 ms"], ["–", "–"], ["2.3 ms", "1,234 ms"]]
    assert numbers(console, 2) == [["7", "0"], ["0", "0"], ["1,200", "600"]]
    assert [row[0] for row in numbers(console, 3)] == ["50 MB", "51 MB", "53 MB"]
    assert shown(console, "Replications running")[1] == "10 documents a second"
    times = [cell.text for cell in console.all("godwit-chart")[0].find_elements("css selector", "tbody th")]
    assert [int(time[-2:]) for time in times] == [58, 59, 0]
    console.press("6 hours")
    # Three minutes are one point of five: the mean of the requests, and the most failures.
    console.until(lambda: numbers(console, 0) == [["40", "2"]])
    assert console.complaints() == [] or not server.request("GET", "/_utils/lib/chart.js/chart.min.js").ok


def numbers(console, place):
    """The cells of the table of a chart, without the times."""
    chart = console.all("godwit-chart")[place]
    console.browser.execute_script("arguments[0].open = true", chart.find_element("css selector", "details"))
    console.until(lambda: chart.find_elements("css selector", "tbody tr"))
    return [[cell.text for cell in row.find_elements("css selector", "td")] for row in chart.find_elements("css selector", "tbody tr")]


def test_a_server_that_was_just_started_says_when_its_history_begins(console, answering):
    answering(history={name: value if isinstance(value, int) else [] for name, value in HISTORY.items()})
    console.enter()
    console.until(lambda: "The first numbers come a minute after the start" in console.text())
    assert not console.all("godwit-chart")


def test_slow_queries_are_listed_without_their_values(console, server):
    server.json("PUT", "/_node/_local/_config/log/slow_query_milliseconds", json="0")
    server.json("POST", "/trips/_find", json={"selector": {"km": {"$gt": 1}}})
    server.json("GET", "/trips/_design/all/_view/by-km", params={"key": '"private"'})
    server.request("GET", "/trips/_design/all/_view/%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E")
    server.json("PUT", "/_node/_local/_config/log/slow_query_milliseconds", json="123456")
    slow = server.json("GET", "/_godwit/slow")["requests"]
    console.enter()
    console.until(lambda: len(console.all(".slow-requests tbody tr")) == len(slow))
    text = console.one(".slow-requests").text
    assert "POST /trips/_find" in text and "GET /trips/_design/all/_view/by-km" in text and "admin" in text
    assert "private" not in text and "$gt" not in text and "123,456 ms or longer" in console.text()
    assert console.browser.execute_script("return document.querySelectorAll('main img, main script').length") == 0
    assert console.complaints() == []


@pytest.mark.parametrize("backups, words", [
    ({"failure": {"time": 1, "reason": HOSTILE}}, f"The last backup failed: {HOSTILE}"),
    ({"backups": [{"id": "a", "started": 1, "ended": 2, "failures": 3}]}, "The last backup has 3 failures."),
    ({"backups": [{"id": "a", "started": 1, "ended": 2, "failures": 0}]}, "There should be one every 24 hours."),
    ({"backups": []}, "There is no complete backup of this server yet."),
], ids=["failed", "incomplete", "old", "none"])
def test_what_is_wrong_with_the_backups(console, answering, backups, words):
    answering(backups={"directory": "/backups", "every_hours": 24, "keep": 7, "next": 1, "running": None, "failure": None, "backups": [], **backups})
    console.enter()
    console.until(lambda: words in console.text())
    next(a for a in console.all("main a") if a.text == "Show the backups").click()
    console.until(lambda: "#/backups" in console.browser.current_url)


def test_a_server_with_a_new_backup_has_no_warning_about_it(console, server):
    eventually(lambda: any(backup["ended"] for backup in server.json("GET", "/_godwit/backups")["backups"]))
    console.enter()
    shown(console, "Databases")
    assert "backup" not in console.text().replace("Backups", "")


def test_the_overview_fits_a_phone(console, answering):
    answering(history=HISTORY)
    browsers.resize(console.browser, 390, 844)
    console.enter()
    console.until(lambda: len(console.all("godwit-chart")) == 4 and shown(console, "Databases"))
    assert console.browser.execute_script(OVERFLOW) <= 0


def test_single_keys_can_be_turned_off(console):
    console.enter()
    console.press("Keyboard shortcuts")
    console.one("dialog [role=switch]").click()
    console.one("dialog .dialog-head button").click()
    console.until(lambda: not console.all("dialog"))
    console.one("body").send_keys("?")
    console.one("body").send_keys("gd")
    # The next request of the page is over: a key that did something would have been seen.
    console.browser.execute_script("location.hash = '#/settings'")
    console.until(lambda: console.heading() == "Settings")
    assert not console.all("dialog")
    console.browser.refresh()
    console.until(lambda: console.heading() == "Settings")
    console.one("body").send_keys("gd")
    console.press("Keyboard shortcuts")
    assert console.heading() == "Settings"
    console.one("dialog [role=switch]").click()
    console.browser.switch_to.active_element.send_keys(Keys.ESCAPE)
    console.until(lambda: not console.all("dialog"))
    console.one("body").send_keys("gd")
    console.until(lambda: console.heading() == "Databases")
