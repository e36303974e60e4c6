"""The table of documents: nested columns, rows of one line, filters and orders; the form of an index; the code of a web app."""

import http.server
import threading

import pytest
import requests
from selenium.webdriver.common.by import By

import browser as browsers
from conftest import Server, eventually
from consoles import OVERFLOW, chromium, console  # noqa: F401

KEEPS_SESSION = True
CITIES = ["Bern", "Ulm", "Graz"]
LONG = "a long note " * 60
POLYGON = {"type": "Polygon", "coordinates": [[[7 + i / 1000, 46] for i in range(400)]]}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("table") / "data")
    server.json("PUT", "/people")
    people = [{"_id": f"p{i:03}", "name": f"N{i * 7 % 60:02}", "address": {"city": CITIES[i % 3], "geo": {"zone": i}}, "note": LONG} for i in range(60)]
    server.json("POST", "/people/_bulk_docs", json={"docs": [*people, {"_id": "q", "name": "homeless"}]})
    server.json("PUT", "/lands")
    lands = [{"_id": f"land-{i:02}", "type": "Feature", "properties": {"name": f"Land {i}"}, "geometry": POLYGON} for i in range(30)]
    server.json("POST", "/lands/_bulk_docs", json={"docs": lands})
    yield server
    server.stop()


def heads(console):
    """The titles of the columns, without the mark of the order."""
    return console.until(lambda: [title.text.strip(" ▲▼") for title in console.all(".data-table thead th")])


def ids(console):
    return [link.text for link in console.all(".data-table tbody .pick a")]


def heights(console):
    return console.browser.execute_script("return [...document.querySelectorAll('.data-table tbody tr')].map(row => row.offsetHeight)")


def press_title(console, name):
    console.until(lambda: next(button for button in console.all("thead .sort") if button.text.strip(" ▲▼") == name)).click()


def test_fields_of_objects_are_columns(console):
    console.visit("database/people")
    assert heads(console) == ["Id", "name", "note", "address.city", "address.geo.zone"]
    first = console.until(lambda: console.all(".data-table tbody tr"))[0]
    assert [cell.text for cell in first.find_elements(By.CSS_SELECTOR, "td")][0::2] == ["N00", "Bern"]
    offered = [label.get_attribute("textContent") for label in console.all(".column-list label")]
    assert offered == ["name", "address", "note", "address.city", "address.geo", "address.geo.zone"]
    console.visit("database/lands")
    assert heads(console) == ["Id", "type", "properties.name", "geometry.type", "geometry.coordinates"]


@pytest.mark.parametrize("kind", ["table", "json"])
@pytest.mark.parametrize("size", [(390, 844), (1280, 900)], ids=lambda size: str(size[0]))
def test_each_row_has_one_line(console, size, kind):
    browsers.resize(console.browser, *size)
    for database in ["people", "lands"]:
        console.visit(f"database/{database}?rows={kind}")
        found = console.until(lambda: heights(console))
        assert max(found) <= 40, found
        assert console.browser.execute_script(OVERFLOW) <= 0


def test_a_row_of_json_opens(console):
    console.visit("database/lands?rows=json")
    summary = console.until(lambda: console.all(".row-line summary"))[0]
    assert summary.text.startswith('{"type":"Feature","properties":{"name":"Land 0"}')
    summary.click()
    whole = console.until(lambda: console.one(".row-line[open] pre").text)
    assert '"_id": "land-00"' in whole and '"name": "Land 0"' in whole


def test_ids_are_listed_in_both_orders_page_by_page(console, server):
    console.visit("database/people")
    console.until(lambda: ids(console)[:1] == ["p000"])
    press_title(console, "Id")
    console.until(lambda: ids(console)[:2] == ["q", "p059"])
    console.press("Show more")
    console.until(lambda: len(ids(console)) == 61)
    assert ids(console)[-1] == "p000" and "sort=-_id" in console.browser.current_url
    press_title(console, "Id")
    console.until(lambda: ids(console)[:2] == ["p000", "p001"])
    assert "sort" not in console.browser.current_url
    console.visit("database/people?prefix=p01&sort=-_id")
    console.until(lambda: ids(console) == [f"p{i:03}" for i in range(19, 9, -1)])


def test_an_order_without_an_index_offers_one(console, server):
    console.visit("database/people")
    console.until(lambda: ids(console)[:1] == ["p000"])
    press_title(console, "address.city")
    console.until(lambda: "needs an index" in console.text())
    # The list stays until the order is known.
    assert ids(console)[:1] == ["p000"]
    console.press("Make an index on address.city")
    by_city = [f"p{i:03}" for city in sorted(CITIES) for i in range(60) if CITIES[i % 3] == city]
    console.until(lambda: ids(console) == by_city[:50])
    assert [(index["name"], index["def"]["fields"]) for index in server.json("GET", "/people/_index")["indexes"][1:]] == [("by-address.city", [{"address.city": "asc"}])]
    assert "Documents without this field are not in the list." in console.text()
    assert console.browser.switch_to.active_element.text.startswith("address.city")
    assert console.one("th[aria-sort]").get_attribute("aria-sort") == "ascending"
    press_title(console, "address.city")
    console.until(lambda: ids(console) == by_city[::-1][:50])
    assert console.one("th[aria-sort]").get_attribute("aria-sort") == "descending"
    # The address has the order.
    console.browser.refresh()
    console.until(lambda: ids(console) == by_city[::-1][:50])
    console.press("Show more")
    console.until(lambda: ids(console) == by_city[::-1])
    console.complaints()


def test_conditions_on_nested_fields_become_a_selector(console, server):
    console.visit("database/people")
    console.until(lambda: console.all(".data-table tbody tr"))
    next(summary for summary in console.all("main summary") if summary.text == "Filter").click()
    for name, comparison, value in [("address.city", "$eq", "Ulm"), ("address.geo.zone", "$gte", "50"), ("address.geo.zone", "$lt", "55")]:
        console.choose("Field", name)
        console.choose("Comparison", comparison)
        console.choose("Value", value)
        console.press("Add the condition")
    console.until(lambda: ids(console) == ["p052"])
    console.visit('database/people?selector={"address.city":{"$exists":false}}')
    console.until(lambda: ids(console) == ["q"])


def test_an_index_is_made_in_a_form(console, server):
    console.visit("database/lands?tab=design")
    console.press("New index")
    console.choose("Field 1", "properties.name", "dialog")
    console.press("Add a field")
    console.choose("Field 2", "type", "dialog")
    console.choose("Name", "names", "dialog")
    console.choose("Only documents of this selector (JSON)", '{"type": ', "dialog")
    console.press("Make the index")
    console.until(lambda: "line 1" in console.one("dialog").text)
    console.choose("Only documents of this selector (JSON)", '{"type": "Feature"}', "dialog")
    console.press("Make the index")
    console.until(lambda: not console.all("dialog") and any(row.startswith("names") for row in console.rows()))
    index = server.json("GET", "/lands/_index")["indexes"][1]
    assert (index["ddoc"], index["name"], index["def"]) == ("_design/indexes", "names", {
        "fields": [{"properties.name": "asc"}, {"type": "asc"}], "partial_filter_selector": {"type": {"$eq": "Feature"}}})
    # The server would replace an index of the same name.
    console.press("New index")
    console.choose("Field 1", "type", "dialog")
    console.choose("Name", "names", "dialog")
    console.press("Make the index")
    console.until(lambda: "The index names exists." in console.one("dialog .refusal:not([hidden])").text)
    console.choose("Name", "", "dialog")
    console.press("Make the index")
    eventually(lambda: [index["name"] for index in server.json("GET", "/lands/_index")["indexes"]] == ["_all_docs", "by-type", "names"])


# What the code of a web app uses of PouchDB: a synchronization that sends and reads with the given `fetch`.
POUCHDB = """
class PouchDB {
  static fetch(url, options) { return fetch(url, options) }
  constructor(name, options) { Object.assign(this, { name, options }) }
  sync(remote) {
    const send = (method, path, body) => remote.options.fetch(remote.name + path, { method, body, credentials: 'include', headers: new Headers({ 'Content-Type': 'application/json' }) })
    const end = send('POST', '/_bulk_docs', '{"docs": [{"_id": "of-the-browser"}]}').then(() => send('GET', '/_changes')).then(answer => answer.json())
    globalThis.ended = end
    return { on() {} }
  }
}
"""


@pytest.fixture
def site():
    """A site of another origin, whose files are in a dictionary."""
    files = {"/": "<!doctype html><title>app</title>"}

    class Site(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", "text/html" if self.path == "/" else "text/javascript")
            self.end_headers()
            self.wfile.write(files.get(self.path, "").encode())

        def log_message(self, *_):
            pass

    listener = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Site)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{listener.server_port}", files
    listener.shutdown()
    listener.server_close()


def test_the_code_of_a_web_app_works_after_its_address_is_allowed(console, server, site):
    origin, files = site
    server.json("PUT", "/_apps/notes", json={"database": {"prefix": "notes_user_"}, "registration": "open", "redirects": ["https://app.example.org/login"]})
    server.json("PUT", "/_apps/notes/users/ann", json={"password": "a long password"})
    console.visit("applications/notes?tab=code")
    console.choose("Platform", "web")
    assert console.labelled("Address of the web app").get_attribute("value") == "https://app.example.org"
    code = console.until(lambda: [pre.get_attribute("textContent") for pre in console.all(".code pre") if "PouchDB" in pre.text])[0]
    files["/app.js"] = code.replace("import PouchDB from 'pouchdb';", POUCHDB)
    run = "const done = arguments[0]; import('/app.js').then(app => app.synchronize('ann', arguments[1])).then(() => globalThis.ended).then(end => done(end.results.map(row => row.id)), error => done(String(error)))"
    run = run.replace("arguments[1]", "'a long password'")
    console.browser.get(origin)
    assert console.browser.execute_async_script(run) == "TypeError: Failed to fetch"
    console.visit("applications/notes?tab=code")
    console.choose("Platform", "web")
    console.choose("Address of the web app", origin)
    console.press("Allow its pages")
    console.until(lambda: f"Allowed: {origin}." in console.text())
    console.browser.get(origin)
    assert console.browser.execute_async_script(run) == ["of-the-browser"]
    assert server.request("GET", "/notes_user_ann/of-the-browser").ok
    # A wrong password is the server's sentence, and another site stays outside.
    wrong = console.browser.execute_async_script(run.replace("a long password", "wrong"))
    assert wrong.startswith("Error: ") and "Failed" not in wrong
    preflight = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    assert "Access-Control-Allow-Origin" not in requests.options(f"{server.url}/_apps/notes/login", headers=preflight, timeout=30).headers
    console.complaints()
