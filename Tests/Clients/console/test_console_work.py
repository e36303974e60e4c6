"""What people do in the console: queries, live changes, replications, applications, documents; and hostile data in each page."""

import json
import pathlib
import subprocess

import pytest
from selenium.webdriver import ActionChains

import browser as browsers
from applications import soon
from conftest import GODWIT, ROOT, Server
from consoles import HOSTILE, chromium, console  # noqa: F401

IDS = [HOSTILE, "a/b?c#d%e+f g\"h'", "‮txt.exe", "ünïcödé", "-", "%2F", "a" * 200]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("work") / "data")
    server.json("PUT", "/trips")
    for number in range(60):
        server.json("PUT", f"/trips/trip-{number:02}", json={"type": "trip", "km": number, "driver": {"name": "ana"}})
    server.json("PUT", "/trips/_design/all", json={"views": {"by-km": {
        "map": "function (doc) { if (doc.km) emit(doc.km, null); }", "reduce": "_count"}}})
    server.json("PUT", "/odd")
    for id in IDS:
        server.json("POST", "/odd", json={"_id": id, HOSTILE: HOSTILE, "list": [HOSTILE, {"a": HOSTILE}]})
    yield server
    server.stop()


def test_a_query_is_run_explained_and_gets_its_index(console, server):
    console.enter("queries?db=trips&kind=mango")
    selector = console.until(lambda: console.all("textarea"))[0]
    console.write(selector, '{"km": {"$gt": 50}}')
    console.button("Run").click()
    console.until(lambda: len(console.rows()) == 9)
    console.write(selector, '{"km": {"$gt": 50}')
    console.button("Run").click()
    console.until(lambda: "line 1" in console.one(".json-field .refusal").text.lower())
    console.write(selector, '{"km": {"$gt": 50}}')
    console.button("Explain").click()
    console.until(lambda: "Reads all documents" in console.text())
    console.until(lambda: [b for b in console.all("button") if "ndex" in b.text and "ake" in b.text])[0].click()
    assert soon(lambda: any(index["def"]["fields"] == [{"km": "asc"}] for index in server.json("GET", "/trips/_index")["indexes"]))
    console.button("Explain").click()
    console.until(lambda: "Reads the index" in console.text())
    for summary in console.all(".same summary"):
        summary.click()
    console.until(lambda: "curl -X POST" in console.text() and "CouchDatabase" in console.text())
    assert console.complaints() == []


def test_the_warning_makes_the_index_and_it_is_listed_and_deleted(console, server):
    server.json("PUT", "/indexed")
    server.json("POST", "/indexed/_bulk_docs", json={"docs": [{"a/b": number, "n": number} for number in range(5)]})
    console.enter("queries?db=indexed&kind=mango")
    console.write(console.until(lambda: console.all("textarea"))[0], '{"a/b": {"$gt": 2}}')
    console.press("Run")
    console.until(lambda: "No matching index found" in console.text())
    console.press("Make the index")
    console.until(lambda: len(console.rows()) == 2 and "No matching index found" not in console.text())
    # The filter of the documents has the same button. An index of another order does not replace one.
    server.json("POST", "/indexed/_index", json={"index": {"fields": ["x"]}, "ddoc": "indexes", "name": "by-n"})
    console.open("database/indexed?selector=%7B%22n%22%3A%203%7D")
    console.until(lambda: "No matching index found" in console.text())
    console.press("Make the index")
    console.until(lambda: len(console.rows()) == 1 and "No matching index found" not in console.text())
    names = lambda: {index["name"]: index["def"]["fields"] for index in server.json("GET", "/indexed/_index")["indexes"]}
    assert names() == {"_all_docs": [{"_id": "asc"}], "by-a/b": [{"a/b": "asc"}], "by-n": [{"x": "asc"}], "by-n-2": [{"n": "asc"}]}
    console.open("database/indexed?tab=design")
    console.until(lambda: any("by-a/b" in row and "a/b asc" in row and "Delete" in row for row in console.rows()))
    console.press("Delete the index by-a/b")
    console.until(lambda: console.all("dialog .danger"))[0].click()
    console.until(lambda: console.rows() and not any("by-a/b" in row for row in console.rows()))
    assert set(names()) == {"_all_docs", "by-n", "by-n-2"}
    assert console.complaints() == []


def test_pages_begin_with_the_database_that_was_opened_last(console, server):
    server.json("PUT", "/last-one")
    console.enter("database/last-one")
    console.until(lambda: [link for link in console.all(".head a") if link.text == "Permissions"])
    for page, heading in [("queries", "Queries of last-one"), ("changes", "Changes of last-one")]:
        console.open(page)
        console.until(lambda: console.heading() == heading)
    server.request("DELETE", "/last-one")
    for page, heading in [("queries", "Queries"), ("changes", "Changes")]:
        console.open("databases")
        console.open(page)
        console.until(lambda: console.heading() == heading and "Choose a database first." in console.text())


def test_a_link_to_a_view_shows_its_reduced_rows(console, server):
    console.enter("queries?db=trips&kind=view&index=all%2Fby-km")
    console.until(lambda: len(console.rows()) == 50)
    assert console.labelled("For each key (group)").is_selected()
    console.browser.execute_script("arguments[0].click()", console.labelled("Apply the reduce function (reduce)"))
    console.press("Run")
    console.until(lambda: "trip-01" in console.text())


def test_a_double_click_on_create_does_no_harm_and_an_old_draft_says_so(console, server):
    server.json("PUT", "/drafts")
    console.enter("document/drafts/")
    console.until(lambda: console.all(".editor-box"))
    console.set_text('{"kept": 1}')
    console.open("databases")
    console.until(lambda: console.heading() == "Databases")
    console.open("document/drafts/")
    console.until(lambda: "that you did not save" in console.text())
    console.press("Discard this text")
    console.until(lambda: "that you did not save" not in console.text())
    console.set_text('{"created": 2}')
    console.write(console.labelled("Id"), "double-click")
    ActionChains(console.browser).double_click(console.button("Create")).perform()
    console.until(lambda: console.heading() == "double-click")
    assert console.all("dialog") == []
    dangerous = [b.text for b in console.all(".head button, .head a") if b.text in ("Delete", "Purge")]
    assert dangerous == [] and [b for b in console.all(".danger-part button") if b.text == "Purge"]
    assert server.json("GET", "/drafts/double-click")["created"] == 2


def test_a_phone_has_the_buttons_of_a_database_in_a_menu(console):
    browsers.resize(console.browser, 390, 844)
    console.enter("database/trips")
    first = console.until(lambda: [row for row in console.all(".data-table tbody tr") if row.is_displayed()])[0]
    assert first.location["y"] < 560
    assert not [b for b in console.all("button") if b.text == "Compact" and b.is_displayed()]
    console.one(".head .more summary").click()
    console.until(lambda: [b for b in console.all("button") if b.text == "Compact" and b.is_displayed()])
    console.open("log")
    console.until(lambda: console.rows())
    widths = console.browser.execute_script("return [...document.querySelectorAll('.log-table td:nth-child(n + 3)')].filter(c => c.textContent).map(c => c.offsetWidth)")
    assert min(widths) > 200
    assert console.complaints() == []


def test_changes_arrive_live(console, server):
    console.enter("changes?db=trips")
    console.until(lambda: len(console.rows()) > 10)
    server.json("PUT", "/trips/live-one", json={"n": 1})
    console.until(lambda: any("live-one" in row for row in console.rows()[:1]))
    console.button("Pause").click()
    server.json("PUT", "/trips/live-two", json={"n": 1})
    console.button("Continue").click()
    console.until(lambda: any("live-two" in row for row in console.rows()[:1]))
    for id in ["live-one", "live-two"]:
        document = server.json("GET", f"/trips/{id}")
        server.json("DELETE", f"/trips/{id}", params={"rev": document["_rev"]})
    assert console.complaints() == []


def test_a_replication_is_started_and_seen_to_its_end(console, server):
    console.enter("replications")
    console.until(lambda: [b for b in console.all("button") if b.text.startswith("Start")])[0].click()
    source, target = [field for field in console.all("dialog input[list]")][:2]
    source.send_keys("trips")
    target.send_keys("copy")
    console.until(lambda: console.all("dialog button.primary"))[0].click()
    assert soon(lambda: "copy" in server.json("GET", "/_all_dbs") and server.json("GET", "/copy")["doc_count"] >= 61, 30)
    console.until(lambda: "completed" in console.text().lower())
    assert console.complaints() == []


def test_a_replication_that_fails_is_seen_edited_and_tried_again(console, server):
    wrong = server.database("trips").replace("secret", "wrong")
    server.json("PUT", "/_replicator/nightly", json={"source": wrong, "target": "elsewhere", "create_target": True, "continuous": True})
    assert soon(lambda: server.json("GET", "/_scheduler/docs/_replicator/nightly")["state"] == "crashing", 30)
    console.enter()
    warning = console.until(lambda: [a for a in console.all(".warnings a") if "A replication fails" in a.text])[0]
    assert "nightly" in console.text()
    warning.click()
    console.until(lambda: "tries again" in console.text())
    row = console.until(lambda: [row for row in console.all("main tbody tr") if "nightly" in row.text])[0]
    [edit] = [a for a in row.find_elements("css selector", "td a") if a.text == "Edit"]
    assert edit.get_attribute("href").endswith("#/document/_replicator/nightly")
    document = server.json("GET", "/_replicator/nightly")
    before = server.json("GET", "/_scheduler/docs/_replicator/nightly")["start_time"]
    console.press("Try now")
    assert soon(lambda: server.json("GET", "/_replicator/nightly")["_rev"] != document["_rev"], 30)
    # A correct address ends the failure at once, without the wait of the retries.
    document = server.json("GET", "/_replicator/nightly")
    server.json("PUT", "/_replicator/nightly", json=document | {"source": "trips"})
    assert soon(lambda: "elsewhere" in server.json("GET", "/_all_dbs"), 30)
    assert before and console.complaints() == []
    server.json("DELETE", f"/_replicator/nightly?rev={server.json('GET', '/_replicator/nightly')['_rev']}")


def test_an_application_is_created_in_the_wizard_and_its_code_compiles(console, server, tmp_path):
    console.enter("applications")
    console.button("Create an application").click()
    name = console.until(lambda: console.all("main form input"))[0]
    name.send_keys("fleet")
    for _ in range(5):
        if "fleet" in server.json("GET", "/_apps"):
            break
        console.until(lambda: console.all("main button.primary"))[0].click()
        soon(lambda: "fleet" in server.json("GET", "/_apps"), 1)
    assert "fleet" in server.json("GET", "/_apps")
    console.until(lambda: "AccessManager" in console.text())
    code = next(pre.get_attribute("textContent") for pre in console.all(".code pre") if "import Godwit" in pre.text)
    assert errors_of(code, tmp_path) == ""
    assert "databaze" in errors_of(code.replace("access.database", "access.databaze"), tmp_path)
    console.open("applications")
    console.until(lambda: any(row.startswith("fleet") for row in console.rows()))
    assert console.complaints() == []


def errors_of(code, folder):
    """The errors of the compiler for a source file that imports Godwit."""
    build = pathlib.Path(GODWIT).parent
    maps = [*ROOT.glob("Sources/C/*/module.modulemap"), *build.glob("*/module.modulemap")]
    (folder / "App.swift").write_text(code)
    run = subprocess.run(
        ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-I", build / "Modules",
         *(part for path in maps for part in ("-Xcc", f"-fmodule-map-file={path}")), folder / "App.swift"],
        capture_output=True, text=True, timeout=300)
    return run.stdout + run.stderr


PAGES = ["database/odd", "queries?db=odd&kind=mango", "changes?db=odd"]


@pytest.mark.parametrize("page", PAGES)
def test_hostile_data_is_text_on_every_page(console, server, page):
    console.enter(page)
    if "queries" in page:
        console.button("Run").click()
    console.until(lambda: len(console.rows()) == len(IDS))
    assert any(HOSTILE in row for row in console.rows())
    assert console.browser.execute_script("return document.querySelectorAll('main img, main script').length") == 0
    assert console.complaints() == []


@pytest.mark.parametrize("id", IDS, ids=range(len(IDS)))
def test_a_document_of_any_id_is_opened_changed_and_saved(console, server, id):
    console.enter("database/odd")
    link = console.until(lambda: [a for a in console.all(".data-table a") if a.text == id or a.get_attribute("textContent") == id])[0]
    console.browser.execute_script("arguments[0].click()", link)
    console.until(lambda: "document/" in console.browser.current_url and console.all(".CodeMirror, main textarea"))
    before = next(row for row in server.json("GET", "/odd/_all_docs", params={"include_docs": "true"})["rows"] if row["id"] == id)["doc"]
    console.set_text(json.dumps({**before, "changed": True}))
    console.button("Save").click()
    for confirm in soon(lambda: console.all("dialog button.primary"), 2) or []:
        confirm.click()
    after = lambda: next(
        row for row in server.json("GET", "/odd/_all_docs", params={"include_docs": "true"})["rows"] if row["id"] == id)["doc"]
    assert soon(lambda: after().get("changed") is True)
    assert after()[HOSTILE] == HOSTILE and after()["_rev"].startswith("2-")
    assert console.complaints() == []


def test_conflicts_are_merged_with_their_common_ancestor(console, server):
    base = server.json("PUT", "/trips/torn", json={"name": "base", "deep": {"x": 1, "y": 1}, "same": 1})["rev"]
    generation = base.split("-")[1]
    sides = [{"name": "left", "deep": {"x": 2, "y": 1}, "same": 1}, {"name": "right", "deep": {"x": 1, "y": 3}, "same": 1}]
    server.json("POST", "/trips/_bulk_docs", json={"new_edits": False, "docs": [
        {"_id": "torn", "_rev": f"2-{digit}", "_revisions": {"start": 2, "ids": [digit, generation]}, **side}
        for digit, side in zip(["aa", "bb"], sides)]})
    console.enter("document/trips/torn?view=merge")
    console.until(lambda: len(console.all(".merge-choice input")) == 2)
    # What one side changed is taken; only the name is a choice.
    submit = console.button("Save the result")
    assert not submit.is_enabled()
    console.all(".merge-choice input")[0].click()
    submit.click()
    merged = lambda: server.json("GET", "/trips/torn", params={"conflicts": "true"})
    assert soon(lambda: "_conflicts" not in merged() and merged()["deep"] == {"x": 2, "y": 3})
    assert merged()["name"] in ("left", "right") and merged()["_rev"].startswith("3-")
    assert console.complaints() == []


def test_a_deleted_document_is_brought_back(console, server):
    revision = server.json("PUT", "/trips/gone", json={"worth": "keeping"})["rev"]
    server.json("DELETE", "/trips/gone", params={"rev": revision})
    console.enter("database/trips?tab=deleted")
    link = console.until(lambda: [a for a in console.all(".data-table a") if a.text == "gone"])[0]
    link.click()
    console.button("Bring the document back").click()
    assert soon(lambda: server.request("GET", "/trips/gone").status_code == 200)
    assert server.json("GET", "/trips/gone")["worth"] == "keeping"


def test_several_documents_are_deleted_at_once_after_a_question(console, server):
    for number in range(3):
        server.json("PUT", f"/trips/zz-{number}", json={"n": number})
    console.enter("database/trips")
    console.one("[data-search]").send_keys("zz-")
    console.until(lambda: len(console.rows()) == 3)
    console.button("Select all shown").click()
    console.until(lambda: console.all(".selection button"))
    next(b for b in console.all(".selection button") if b.text == "Delete").click()
    assert "3" in console.one("dialog").text
    next(b for b in console.all("dialog button") if b.text == "Delete").click()
    assert soon(lambda: not [row for row in server.json("GET", "/trips/_all_docs")["rows"] if row["id"].startswith("zz-")])


def test_a_document_above_the_limit_is_not_opened(console, server):
    server.json("PUT", "/trips/huge", json={"text": "x" * 1_200_000})
    console.enter("document/trips/huge")
    console.until(lambda: "larger than 1 MB" in console.text())
    assert not console.all(".CodeMirror") and console.complaints() == []


def test_what_is_typed_while_a_save_runs_is_not_lost(console, server):
    server.json("PUT", "/trips/slow", json={"n": 1})
    console.enter("document/trips/slow")
    console.until(lambda: console.all(".CodeMirror"))
    # The answer of the save comes late, and the text changes meanwhile.
    console.browser.execute_script("""
        const send = window.fetch
        window.fetch = async (...request) => {
            const answer = await send(...request)
            if (request[1]?.method === 'PUT') await new Promise(resolve => setTimeout(resolve, 800))
            return answer
        }""")
    console.set_text('{"n": 2}')
    console.button("Save").click()
    console.set_text('{"n": 3}')
    console.until(lambda: "The document was saved." in console.one("#toasts").text)
    console.browser.execute_script("location.hash = '#/databases'")
    console.until(lambda: console.heading() == "Databases")
    console.browser.execute_script("location.hash = '#/document/trips/slow'")
    console.until(lambda: "not saved yet" in console.text())
    assert '"n": 3' in console.browser.execute_script("return document.querySelector('.CodeMirror').CodeMirror.getValue()")
    assert server.json("GET", "/trips/slow")["n"] == 2


def test_a_kept_text_does_not_overwrite_a_newer_revision(console, server):
    revision = server.json("PUT", "/trips/shared", json={"n": 1})["rev"]
    console.enter("document/trips/shared")
    console.until(lambda: console.all(".CodeMirror"))
    console.set_text('{"n": 1, "mine": true}')
    console.browser.execute_script("location.hash = '#/databases'")
    console.until(lambda: console.heading() == "Databases")
    server.json("PUT", "/trips/shared", json={"n": 1, "theirs": True}, params={"rev": revision})
    console.browser.execute_script("location.hash = '#/document/trips/shared'")
    console.until(lambda: console.all(".CodeMirror"))
    console.button("Save").click()
    console.until(lambda: console.all("dialog[open]"))
    console.button("Combine both").click()
    console.button("Save").click()
    assert soon(lambda: {"mine", "theirs"} <= set(server.json("GET", "/trips/shared")))


def test_a_selector_keeps_the_digits_of_its_numbers(console, server):
    server.request("PUT", "/trips/precise-1", data='{"big": 9007199254740993}')
    server.request("PUT", "/trips/precise-2", data='{"big": 9007199254740992}')
    console.enter("queries?db=trips&kind=mango")
    selector = console.until(lambda: console.all("textarea"))[0]
    console.write(selector, '{"big": 9007199254740993}')
    console.button("Run").click()
    console.until(lambda: len(console.rows()) == 1 and "precise-1" in console.rows()[0])


def test_the_log_is_live(console, server):
    console.enter("log")
    console.until(lambda: console.all("h1"))
    server.request("PUT", "/_node/_local/_config/log/slow_query_milliseconds", json="1000")
    console.until(lambda: any("slow_query_milliseconds" in row for row in console.rows()))
    assert console.complaints() == []


def test_a_backup_is_restored_as_a_new_database(console, server, tmp_path):
    backup = server.request("GET", "/trips/_godwit/backup")
    (tmp_path / "trips.backup").write_bytes(backup.content)
    console.enter("databases")
    console.button("Open a database file").click()
    name, file = console.all("dialog input")
    name.send_keys("restored")
    file.send_keys(str(tmp_path / "trips.backup"))
    next(b for b in console.all("dialog button.primary")).click()
    console.until(lambda: console.heading() == "restored")
    assert server.json("GET", "/restored")["doc_count"] == server.json("GET", "/trips")["doc_count"]
