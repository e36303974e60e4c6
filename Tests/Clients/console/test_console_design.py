"""Design documents in the console: made from a template, tried, saved and queried; what the page does not show stays; conflicts and rights."""

import json

import pytest
from selenium.webdriver import ActionChains
from selenium.webdriver.common.keys import Keys

import browser as browsers
from applications import soon
from conftest import Server
from consoles import HOSTILE, NAMELESS, OVERFLOW, chromium, console  # noqa: F401

KEEPS_SESSION = True
BIG = "12345678901234567890.10"
ODD_NAME = "a/b ?#%+\"<é'"
# The first one in the order of ids has a view, so that another one must be chosen by its name.
DESIGNS = {"_design/AAA": {"views": {"first": {"map": "function (doc) { emit(1); }"}}}, "_design/kinds": {
    "filters": {"byType": "function (doc, req) { return doc.type === req.query.type; }"},
    "st_indexes": {"places": {"index": "function (doc) { if (doc.geometry) st_index(doc.geometry); }"}},
    "indexes": {"words": {"index": "function (doc) { index('kind', doc.type, { store: true }); }"}},
    "lists": {"csv": "function () { send('x'); }"}}}
EDITORS_ONLY = """function (newDoc, oldDoc, userCtx) {
  if (userCtx.roles.indexOf('editor') < 0) throw({ forbidden: 'Only editors, not ' + userCtx.name + '.' });
  if (!oldDoc) throw({ forbidden: 'Nothing new.' });
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("design") / "data")
    server.json("PUT", "/_users/org.couchdb.user:mia", json={
        "name": "mia", "type": "user", "roles": [], "password": "a long password"})
    server.json("PUT", "/trips")
    for number in range(5):
        server.json("PUT", f"/trips/trip-{number}", json={
            "type": "bus" if number % 2 else HOSTILE, "km": number, "geometry": {"type": "Point", "coordinates": [14 + number, 50]}})
    server.json("PUT", "/trips/_security", json={"members": {"names": ["mia"], "roles": []}})
    for id, design in DESIGNS.items():
        server.json("PUT", f"/trips/{id}", json=design)
    yield server
    server.stop()


def design(console, name, function=""):
    """Opens a design document, and waits for its editor."""
    console.visit(f"design/trips/{name}{'?function=' + function if function else ''}")
    console.until(lambda: console.all(".design-panel .CodeMirror"))


def code(console, number=0):
    return console.browser.execute_script("return document.querySelectorAll('.CodeMirror')[arguments[0]]?.CodeMirror.getValue()", number)


def set_code(console, text, number=0):
    console.until(lambda: len(console.all(".CodeMirror")) > number)
    console.browser.execute_script("document.querySelectorAll('.CodeMirror')[arguments[1]].CodeMirror.setValue(arguments[0])", text, number)


def tried(console):
    """Tries the function; returns the rows of the result."""
    console.browser.execute_script("for (const t of document.querySelectorAll('.trial-table')) t.remove()")
    console.press("Try")
    console.until(lambda: console.all(".trial-table"))
    return console.browser.execute_script(
        "return [...document.querySelectorAll('.trial-table tbody tr')].map(row => [...row.cells].slice(0, -1).map(cell => cell.textContent))")


def saved(console, button="Save"):
    console.browser.execute_script("document.getElementById('toasts').replaceChildren()")
    console.press(button)
    console.until(lambda: "The document was saved." in console.one("#toasts").text)


def control(console, key):
    ActionChains(console.browser).key_down(Keys.CONTROL).send_keys(key).key_up(Keys.CONTROL).perform()


def test_a_view_is_made_from_a_template_tried_saved_and_queried(console, server):
    console.visit("database/trips?tab=design")
    console.until(lambda: [a for a in console.all("main a") if a.text == "New design document"])[0].click()
    console.until(lambda: console.heading() == "New design document")
    console.press("Continue")
    console.until(lambda: console.heading() == "_design/counts")
    console.until(lambda: console.all(".CodeMirror") and "This design document is not saved yet." in console.text())
    # The text is typed, with a mistake in its second line.
    console.one(".CodeMirror-code").click()
    control(console, "a")
    ActionChains(console.browser).send_keys("function (doc) {\nemit(doc.type 1);\n}").perform()
    control(console, Keys.ENTER)
    console.until(lambda: "SyntaxError: Unexpected number" in console.one(".editor-mistake").text)
    console.press("Create")
    console.until(lambda: "The document was not saved." in console.text())
    assert server.request("GET", "/trips/_design/counts").status_code == 404
    console.complaints()
    set_code(console, """function (doc) {
  log('read ' + doc._id);
  if (doc.km === 2) throw new Error('odd');
  emit([doc.type, '<b>'], doc.km);
}""")
    console.choose("Reduce function", "own")
    set_code(console, "function (keys, values) { log(keys.length + ' keys'); return sum(values); }", 1)
    found = tried(console)
    assert [row[0] for row in found] == [f"trip-{number}" for number in range(5)]
    assert found[2][1] == "Error: Error: odd in line 3"
    assert found[0][1:] == [json.dumps([HOSTILE, "<b>"], separators=(",", ":")), "0"]
    text = console.text()
    assert "4 rows of 5 documents. For 1 document the function threw an error." in text
    assert "5 lines of the log" in text and "Result of the reduce function" in text and "4 keys" in text
    assert console.one(".plan .code-line").text == "8"
    console.until(lambda: [s for s in console.all(".trial summary") if "lines of the log" in s.text])[0].click()
    console.until(lambda: "trip-4: read trip-4" in console.text())
    console.choose("Reduce function", "_sum")
    saved(console, "Create")
    console.until(lambda: [a for a in console.all("main a") if a.text == "Query this view"])
    stored = server.json("GET", "/trips/_design/counts")
    assert stored["views"]["byType"]["reduce"] == "_sum" and "emit([doc.type" in stored["views"]["byType"]["map"]
    [a for a in console.all("main a") if a.text == "Query this view"][0].click()
    console.until(lambda: console.heading().startswith("Queries") and console.all(".query select"))
    assert console.browser.execute_script("return document.querySelector('.query select').selectedOptions[0].textContent") == "counts/byType"
    # The view begins with its reduced rows; the others are asked for.
    console.until(lambda: [row[-1] for row in console.rows()] == ["4", "4"])
    console.browser.execute_script("arguments[0].click()", console.labelled("Apply the reduce function (reduce)"))
    console.press("Run")
    console.until(lambda: len(console.rows()) == 4)
    assert console.browser.execute_script("return document.querySelectorAll('main b').length") == 0 and console.complaints() == []


def test_numbers_other_members_and_attachments_stay(console, server):
    body = (f'{{"language": "javascript", "big": {BIG}, "views": {{"lib": {{"a": "exports.n = 1"}}, "km": {{"map": "function (doc) {{ emit(doc.km) }}", "factor": 1.50}}}},'
            f' "other": {{"__proto__": [{BIG}], "{"<img src=x>"}": "\\u202e"}}}}')
    server.json("PUT", "/trips/_design/precise", data=body)
    revision = server.json("GET", "/trips/_design/precise")["_rev"]
    server.json("PUT", f"/trips/_design/precise/logo.txt?rev={revision}", data=b"a logo", headers={"Content-Type": "text/plain"})
    before = server.request("GET", "/trips/_design/precise").text
    design(console, "precise")
    assert not console.button("Save").is_enabled()
    console.until(lambda: "Other members, which “As JSON” shows: big, other, views.lib" in console.text())
    console.one(".CodeMirror-code").click()
    control(console, Keys.END)
    ActionChains(console.browser).send_keys(" // ünïcödé").perform()
    control(console, "s")
    console.until(lambda: "The document was saved." in console.one("#toasts").text)
    after = server.request("GET", "/trips/_design/precise").text
    assert after.count(BIG) == 2 and '"factor":1.50' in after and "// ünïcödé" in after
    strip = lambda text: {key: value for key, value in json.loads(text).items() if key not in ("_rev", "views")}
    assert strip(after) == strip(before) and json.loads(after)["views"]["lib"] == {"a": "exports.n = 1"}
    assert server.request("GET", "/trips/_design/precise/logo.txt").content == b"a logo"
    # The line for a shell has all digits, and keeps the attachment too.
    for summary in console.all("main .same > summary"):
        if "curl" in summary.text:
            summary.click()
    line = console.until(lambda: [pre.text for pre in console.all("main .same pre") if "-X PUT" in pre.text])[0]
    assert line.count(BIG) == 2 and "logo.txt" in line
    assert console.browser.execute_script("return document.querySelectorAll('main img').length") == 0
    assert console.complaints() == []


def put(server, name, **members):
    """Writes a design document over the stored one."""
    found = server.request("GET", f"/trips/_design/{name}").json()
    server.json("PUT", f"/trips/_design/{name}", json={**({"_rev": found["_rev"]} if "_rev" in found else {}), **members})


def view(text):
    return {"map": f"function (doc) {{ {text} }}"}


def test_a_conflict_of_a_save_is_combined_or_decided(console, server):
    put(server, "both", views={"one": view("emit(1)"), "two": view("emit(2)")})
    design(console, "both")
    set_code(console, view("emit('mine')")["map"])
    put(server, "both", views={"one": view("emit(1)"), "two": view("emit('theirs')"), "three": view("emit(3)")})
    console.press("Save")
    console.until(lambda: console.all("dialog[open] .buttons"))
    console.press("Combine both")
    console.until(lambda: "three" in console.one(".design-list").text)
    saved(console)
    views = server.json("GET", "/trips/_design/both")["views"]
    assert views == {"one": view("emit('mine')"), "two": view("emit('theirs')"), "three": view("emit(3)")}
    # Both changed one function: the user decides.
    set_code(console, view("emit('own')")["map"])
    put(server, "both", views={"one": view("emit('newer')")})
    console.press("Save")
    console.until(lambda: "Both changed the same function" in console.one("dialog").text)
    assert "Combine both" not in [button.text for button in console.all("dialog button")]
    console.press("Take the newer document")
    console.until(lambda: code(console) == view("emit('newer')")["map"])
    set_code(console, view("emit('own')")["map"])
    put(server, "both", views={"one": view("emit('newest')")})
    console.press("Save")
    console.press("Continue with my document")
    console.until(lambda: not console.all("dialog"))
    saved(console)
    assert server.json("GET", "/trips/_design/both")["views"] == {"one": view("emit('own')")}


def test_a_document_that_was_deleted_meanwhile_is_made_again(console, server):
    put(server, "brief", views={"one": view("emit(1)")})
    design(console, "brief")
    set_code(console, view("emit('kept')")["map"])
    server.json("DELETE", "/trips/_design/brief", params={"rev": server.json("GET", "/trips/_design/brief")["_rev"]})
    console.press("Save")
    console.press("Keep my text, to create the document again")
    console.until(lambda: not console.all("dialog"))
    saved(console, console.one(".head .primary").text)
    assert server.json("GET", "/trips/_design/brief")["views"] == {"one": view("emit('kept')")}


def test_what_is_not_saved_is_kept_until_the_page_is_opened_again(console, server):
    put(server, "later", views={"one": view("emit(1)")})
    design(console, "later")
    set_code(console, view("emit('unsaved')")["map"])
    console.browser.execute_script("location.hash = '#/databases'")
    console.until(lambda: console.heading() == "Databases")
    console.browser.execute_script("location.hash = '#/design/trips/later'")
    console.until(lambda: "not saved" in console.text() and console.all(".CodeMirror"))
    assert code(console) == view("emit('unsaved')")["map"]
    # The same text is in the editor of the JSON.
    console.until(lambda: [a for a in console.all("main a") if a.text == "As JSON"])[0].click()
    console.until(lambda: console.heading() == "_design/later" and "emit('unsaved')" in (code(console) or ""))
    console.set_text('{"views": {')
    console.browser.execute_script("location.hash = '#/design/trips/later'")
    console.until(lambda: "has a mistake" in console.text())
    assert code(console) == view("emit(1)")["map"] and not [b for b in console.all("button") if b.text == "Discard the changes"]
    console.browser.execute_script("location.hash = '#/document/trips/_design%2Flater'")
    console.until(lambda: '{"views": {' == code(console))
    console.press("Discard the changes")
    assert server.json("GET", "/trips/_design/later")["views"] == {"one": view("emit(1)")}


def test_a_new_document_never_overwrites_that_of_another_user(console, server):
    console.visit("design/trips/")
    console.choose("Name", "same")
    console.press("Continue")
    console.until(lambda: console.heading() == "_design/same" and console.all(".CodeMirror"))
    console.browser.execute_script("location.hash = '#/databases'")
    console.until(lambda: console.heading() == "Databases")
    put(server, "same", views={"theirs": view("emit(1)")}, updates={"kept": "function () {}"})
    console.browser.execute_script("location.hash = '#/design/trips/same'")
    console.until(lambda: console.heading() == "_design/same" and console.all(".CodeMirror"))
    console.until(lambda: console.all(".head .primary"))[0].click()
    console.until(lambda: console.all("dialog[open] .buttons"))
    assert list(server.json("GET", "/trips/_design/same")["views"]) == ["theirs"]
    console.press("Combine both")
    console.until(lambda: not console.all("dialog"))
    saved(console, console.one(".head .primary").text)
    stored = server.json("GET", "/trips/_design/same")
    assert set(stored["views"]) == {"theirs", "byType"} and list(stored["updates"]) == ["kept"]


def test_what_is_typed_while_a_save_runs_is_saved_next(console, server):
    put(server, "busy", views={"one": view("emit(1)")})
    design(console, "busy")
    # The answer of the save waits until the page has a newer text.
    console.browser.execute_script("""
        const send = window.fetch
        window.answers = new Promise(resolve => { window.answer = resolve })
        window.writes = 0
        window.fetch = async (...request) => {
            const answer = await send(...request)
            if (request[1]?.method === 'PUT') { window.writes += 1; await window.answers }
            return answer
        }""")
    set_code(console, view("emit(2)")["map"])
    console.press("Save")
    console.until(lambda: console.browser.execute_script("return window.writes") == 1)
    set_code(console, view("emit(3)")["map"])
    # A second save waits for the end of the first one.
    console.press("Save")
    console.browser.execute_script("window.answer()")
    console.until(lambda: "The document was saved." in console.one("#toasts").text)
    console.until(lambda: console.button("Save").is_enabled())
    assert not console.all("dialog") and server.json("GET", "/trips/_design/busy")["views"]["one"] == view("emit(2)")
    saved(console)
    assert server.json("GET", "/trips/_design/busy")["views"]["one"] == view("emit(3)")
    console.browser.get(server.url + "/_up")
    assert console.complaints() == []


def test_functions_are_added_renamed_and_removed(console, server):
    put(server, "many", views={"one": view("emit(1)")})
    design(console, "many")
    for kind, name in [("view", "<b>two</b>"), ("filter", "a/b"), ("update", "touch"), ("text", "words")]:
        console.press("Add a function")
        console.choose("Kind", kind, "dialog")
        console.one("dialog input").send_keys(name, Keys.ENTER)
        console.until(lambda: not console.all("dialog") and name in console.one(".design-panel h2").text)
    for wrong, words in [("one", "in use"), ("lib", "modules"), (" ", "Enter a name")]:
        console.press("Add a function")
        console.one("dialog input").send_keys(wrong, Keys.ENTER)
        console.until(lambda: words in console.one("dialog .refusal").text)
        console.press("Cancel")
    console.press("Rename words")
    console.write(console.one("dialog input"), "texts")
    console.one("dialog input").send_keys(Keys.ENTER)
    console.until(lambda: "texts" in console.one(".design-panel h2").text)
    console.one(".design-list [data-key='views/one']").click()
    console.press("Remove one")
    next(b for b in console.all("dialog button") if b.text == "Remove").click()
    console.until(lambda: not console.all("dialog") and not console.all(".design-list [data-key='views/one']"))
    saved(console)
    stored = server.json("GET", "/trips/_design/many")
    assert list(stored["views"]) == ["<b>two</b>"] and list(stored["filters"]) == ["a/b"]
    assert list(stored["updates"]) == ["touch"] and list(stored["indexes"]) == ["texts"]
    assert not console.all(".design-list b") and console.complaints() == []
    # A kind without functions leaves no empty member.
    console.one(".design-list [data-key='filters/a/b']").click()
    console.press("Remove a/b")
    next(b for b in console.all("dialog button") if b.text == "Remove").click()
    console.until(lambda: not console.all("dialog"))
    saved(console)
    assert "filters" not in server.json("GET", "/trips/_design/many")


def test_a_member_sees_it_read_only(console, server):
    put(server, "shown", views={"one": {**view("emit(1)"), "reduce": "_sum"}}, options={"local_seq": True})
    console.browser.delete_all_cookies()
    console.enter("design/trips/shown", name="mia", password="a long password")
    console.until(lambda: console.all(".CodeMirror"))
    assert "Only administrators" in console.text() or "administrator" in console.text()
    buttons = {button.text for button in console.all("main button")}
    assert not buttons & {"Save", "Try", "Add a function", "Rename", "Remove", "Create"}
    assert console.browser.execute_script("return document.querySelector('.CodeMirror').CodeMirror.getOption('readOnly')") is True
    assert not [s for s in console.all("main select, main input") if s.is_enabled() and s.is_displayed()]
    console.visit("database/trips?tab=design")
    console.until(lambda: "_design/shown" in console.text())
    assert "New design document" not in [link.text for link in console.all("main a")]
    console.visit("design/trips/")
    console.until(lambda: console.all(".page .warning"))
    assert not console.all("main form")
    # Those of the database's administrators may, without being administrators of the server.
    security = server.json("GET", "/trips/_security")
    server.json("PUT", "/trips/_security", json={**security, "admins": {"names": ["mia"], "roles": []}})
    design(console, "shown")
    assert len(tried(console)) == 5
    server.json("PUT", "/trips/_security", json=security)
    console.browser.delete_all_cookies()
    assert console.complaints() == []


def test_a_validation_is_tried_as_a_user(console, server):
    console.visit("design/trips/")
    console.choose("Name", "rules")
    console.until(lambda: [label for label in console.all("label.template") if label.text.startswith("A rule")])[0].click()
    console.press("Continue")
    console.until(lambda: console.heading() == "_design/rules" and console.all(".CodeMirror"))
    set_code(console, EDITORS_ONLY)
    console.choose("User", "mia")
    console.choose("Roles", "")
    found = tried(console)
    assert "0 of 5 documents are accepted." in console.text()
    assert all("forbidden" in result and "Only editors, not mia." in result for _, result in found)
    console.choose("Roles", "guest, editor")
    assert [result for _, result in tried(console)] == ["accepted"] * 5
    console.until(lambda: [label for label in console.all("label.check") if "As new documents" in label.text])[0].click()
    assert all("Nothing new." in result for _, result in tried(console))
    # Nothing was saved: the rule does not apply.
    assert server.request("GET", "/trips/_design/rules").status_code == 404
    assert server.request("PUT", "/trips/free", json={}).status_code == 201
    server.json("DELETE", "/trips/free", params={"rev": server.json("GET", "/trips/free")["_rev"]})
    # The text stays when the page is left; it is not wanted in later tests.
    console.browser.get(server.url + "/_up")
    assert console.complaints() == []


def test_a_function_of_places_is_tried_on_the_map(console, server):
    design(console, "kinds", "st_indexes%2Fplaces")
    found = tried(console)
    assert len(found) == 5 and "5 geometries of 5 documents." in console.text()
    console.until(lambda: len(console.all(".trial godwit-map path.hit")) == 5)
    pick = console.all(".trial-table button")[3]
    assert '"coordinates":[17,50]' in pick.text
    pick.click()
    console.until(lambda: [row.text for row in console.all(".trial-table tr[aria-current]")] and "trip-3" in console.one(".trial-table tr[aria-current]").text)
    console.choose("Documents", "ids")
    console.choose("Ids", "trip-4\nno-such-document\ntrip-1")
    assert [row[0] for row in tried(console)][0::2] == ["trip-4", "trip-1"] or [row[0] for row in tried(console)] == ["trip-4", "trip-1"]
    console.choose("Documents", "start")
    console.choose("First id", "trip-3")
    assert [row[0] for row in tried(console)] == ["trip-3", "trip-4"]
    console.choose("First id", "zzz")
    console.press("Try")
    console.until(lambda: "No document was found" in console.text())
    assert console.complaints() == []


def test_a_filter_and_a_text_index_are_tried(console, server):
    design(console, "kinds", "filters%2FbyType")
    console.choose("Parameters of the request", "type=bus\n\nother = a=b")
    assert [result for _, result in tried(console)] == ["left out", "passes", "left out", "passes", "left out"]
    assert "2 of 5 documents pass the filter." in console.text()
    for summary in console.all(".trial .same summary"):
        summary.click()
    console.until(lambda: '"query":{"type":"bus","other":" a=b"}' in console.text())
    design(console, "kinds", "indexes%2Fwords")
    found = tried(console)
    assert found[0] == ["trip-0", "kind", json.dumps(HOSTILE), "searched, stored"] and "5 fields of 5 documents." in console.text()
    assert console.complaints() == []


def test_a_function_that_does_not_end_is_an_error_in_words(console, server):
    put(server, "slow", views={"one": view("emit(1)")})
    server.json("PUT", "/_node/_local/_config/couchdb/os_process_timeout", json="1000")
    design(console, "slow")
    set_code(console, "function (doc) { while (true) {} }")
    console.press("Try")
    console.until(lambda: [e for e in console.all(".editor-mistake") if e.text])
    server.request("DELETE", "/_node/_local/_config/couchdb/os_process_timeout")
    # What is tried next has its own answer.
    set_code(console, view("emit('next')")["map"])
    assert len(tried(console)) == 5 and not [e for e in console.all(".editor-mistake") if e.text]


def test_a_design_document_of_any_name(console, server):
    console.visit("design/trips/")
    console.choose("Name", ODD_NAME)
    console.press("Continue")
    console.until(lambda: console.heading() == f"_design/{ODD_NAME}" and console.all(".CodeMirror"))
    assert len(tried(console)) == 5
    saved(console, "Create")
    listed = [row["id"] for row in server.json("GET", "/trips/_design_docs")["rows"]]
    assert f"_design/{ODD_NAME}" in listed
    console.until(lambda: [a for a in console.all("main a") if a.text == "Query this view"])[0].click()
    console.until(lambda: console.all(".query select"))
    assert console.browser.execute_script("return document.querySelector('.query select').selectedOptions[0].textContent") == f"{ODD_NAME}/byType"
    console.until(lambda: [row[-1] for row in console.rows()] == ["3", "2"])
    console.browser.back()
    console.until(lambda: console.heading() == f"_design/{ODD_NAME}" and console.all(".CodeMirror"))
    assert not [b for b in console.all("button") if b.text == "Discard the changes"]
    # A name that is taken is refused before anything is written.
    console.visit("design/trips/")
    console.choose("Name", ODD_NAME)
    console.press("Continue")
    console.until(lambda: "in use" in console.one("form .refusal").text)
    assert console.complaints() == []


def test_the_page_fits_a_phone(console):
    browsers.resize(console.browser, 390, 844)
    console.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    for page in ["kinds?function=st_indexes%2Fplaces", "kinds?function=filters%2FbyType", "kinds?function=indexes%2Fwords", "kinds?function=lists%2Fcsv", ""]:
        console.visit(f"design/trips/{page}")
        console.until(lambda: console.all(".CodeMirror, main form"))
        if console.all(".trial"):
            tried(console)
        assert console.browser.execute_script(OVERFLOW) <= 0 and console.browser.execute_script(NAMELESS) == [], page
        browsers.picture(console.browser, f"console-design-{page.split('=')[-1].replace('%2F', '-')}-dark")
    console.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert console.complaints() == []
