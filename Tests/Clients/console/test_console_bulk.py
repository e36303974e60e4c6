"""Work on many documents in the console: import of each format, export, change of a field, purge; hostile ids, numbers with all digits."""

import json

import pytest

from applications import soon
from conftest import Server
from consoles import HOSTILE, chromium, console  # noqa: F401

KEEPS_SESSION = True
BIG = "12345678901234567890.10"
RTL = "\u202etxt.exe"
ODD = [HOSTILE, RTL, "a/b?c#d%e+f g\"h'", "-", "%2F", "ünïcödé", "constructor", "comma,\"quote\""]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("bulk") / "data")
    yield server
    server.stop()


@pytest.fixture
def database(server, request):
    name = "db-" + request.node.name.split("[")[0].removeprefix("test_").replace("_", "-")[:60]
    server.request("DELETE", f"/{name}")
    server.json("PUT", f"/{name}")
    return name


def documents(server, database):
    found = server.json("GET", f"/{database}/_all_docs", params={"include_docs": "true"})["rows"]
    return {row["id"]: {key: value for key, value in row["doc"].items() if key not in ("_id", "_rev")} for row in found}


def text_of(server, database, id):
    """A document as the server sends it: its numbers have all their digits."""
    return server.request("GET", f"/{database}/{id}").text


def imported(console, folder, database, name, content, prepare=lambda: None):
    """Imports a file; returns the words of the result."""
    # A new page: the result of an earlier import is not that of this one.
    console.browser.get("about:blank")
    console.visit(f"database/{database}?tab=import")
    path = folder / str(len(list(folder.iterdir()))) / name
    path.parent.mkdir()
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    console.until(lambda: [f for f in console.all("main input[type=file]") if f.is_displayed()])[0].send_keys(str(path))
    # The preview appears above the button, which moves; a click at the same time would miss it.
    console.until(lambda: console.all(".import-preview"))
    prepare()
    console.press("Import")
    console.until(lambda: [h for h in console.all("main h2") if h.text.startswith("The import")])
    return console.text()


# ---- Import

IMPORTS = {
    "list.json": f'[{{"_id": "one", "_rev": "3-a", "big": {BIG}}}, {{"_id": "two"}}]',
    "bulk.json": f'{{"docs": [{{"_id": "one", "big": {BIG}}}, {{"_id": "two"}}]}}',
    "all-docs.json": f'{{"total_rows": 2, "rows": [{{"id": "one", "doc": {{"_id": "one", "big": {BIG}}}}}, {{"id": "two", "doc": {{"_id": "two"}}}}]}}',
    "lines.jsonl": f'\ufeff{{"_id": "one", "big": {BIG}}}\r\n\r\n{{"_id": "two"}}\n',
    "places.geojson": f'{{"type": "FeatureCollection", "features": [{{"type": "Feature", "id": "one", "geometry": null, "properties": {{"big": {BIG}}}}}, '
                      '{"type": "Feature", "id": "two", "geometry": {"type": "Point", "coordinates": [14.5, 50]}, "properties": {}}]}',
    "table.csv": f'id,lat,lon,big,name\r\none,50.25,14.5,{BIG},"a ""quoted"", name"\r\ntwo,,,,\r\n',
}


@pytest.mark.parametrize("name", IMPORTS)
def test_a_file_of_each_format_is_imported(console, server, database, tmp_path, name):
    text = imported(console, tmp_path, database, name, IMPORTS[name])
    assert "The import is complete" in text and "2 documents were written." in text
    assert set(documents(server, database)) == {"one", "two"}
    assert BIG in text_of(server, database, "one")
    if name.endswith(".csv"):
        one, two = documents(server, database)["one"], documents(server, database)["two"]
        assert one["geometry"]["coordinates"] == [14.5, 50.25] and one["properties"]["name"] == 'a "quoted", name'
        assert two["geometry"] is None
    # The same file again changes nothing.
    text = imported(console, tmp_path, database, name, IMPORTS[name])
    assert "2 documents exist, and were left as they are." in text
    assert console.complaints() == []


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_a_table_without_places_becomes_documents_that_are_shown_before(console, server, database, tmp_path, delimiter):
    rows = [["id", "code", "title", "price"], ["one", "007", HOSTILE.replace(";", ""), BIG], ["two", "", '"a; b, c"', ""]]
    shown = []

    def prepare():
        shown.append(console.until(lambda: [part.text for part in console.all(".import-preview") if "two" in part.text])[0])

    text = imported(console, tmp_path, database, "plain.csv", "\n".join(delimiter.join(row) for row in rows), prepare)
    assert "2 documents were written." in text
    assert "becomes a document with its columns as fields" in shown[0] and BIG in shown[0] and HOSTILE in shown[0]
    assert documents(server, database)["two"] == {"title": "a; b, c"}
    assert documents(server, database)["one"]["code"] == "007" and BIG in text_of(server, database, "one")
    assert console.browser.execute_script("return document.querySelectorAll('main img, main script').length") == 0
    assert console.complaints() == []


def test_the_preview_follows_the_choices_and_names_what_is_wrong(console, server, database, tmp_path):
    console.visit(f"database/{database}?tab=import")
    path = tmp_path / "places.csv"
    path.write_text("north,east,name\n50.25,14.5,Prague\n95,14.5,nowhere\n")
    console.until(lambda: console.all("main input[type=file]"))[0].send_keys(str(path))
    console.until(lambda: '"north": 50.25' in console.one(".import-preview").text)
    console.choose("Column of the latitude", "north")
    console.until(lambda: "Only one of the columns" in console.one(".import-preview").text)
    console.choose("Column of the longitude", "east")
    console.until(lambda: "[14.5, 50.25]" in console.one(".import-preview").text and "out of range" in console.one(".import-preview").text)
    assert documents(server, database) == {}
    assert console.complaints() == []


def test_odd_ids_are_imported_as_text(console, server, database, tmp_path):
    content = "".join(json.dumps({"_id": id, HOSTILE: RTL, "n": number}) + "\n" for number, id in enumerate(ODD))
    assert f"{len(ODD)} documents were written." in imported(console, tmp_path, database, "odd.jsonl", content)
    assert documents(server, database) == {id: {HOSTILE: RTL, "n": number} for number, id in enumerate(ODD)}
    console.press("Show the documents")
    console.until(lambda: len(console.rows()) == len(ODD))
    assert console.browser.execute_script("return document.querySelectorAll('main img, main script').length") == 0
    assert console.complaints() == []


def test_what_is_wrong_is_listed_with_its_line_and_the_rest_is_imported(console, server, database, tmp_path):
    content = "\n".join([
        '{"_id": "good"}', '{"_id": "broken", }', '[1]', '{"_id": 5}', '{"_id": "gone", "_deleted": true}',
        json.dumps({"_id": f"_{HOSTILE}"}), '{"_id": "good", "n": 2}', '{"_id": "last"}'])
    text = imported(console, tmp_path, database, "mixed.jsonl", content)
    assert "2 documents were written." in text and "6 documents were refused" in text
    assert sorted(row.split()[0] for row in console.rows()) == list("234567")
    assert "(line 2, column" in text and "Another record of the file has this id" in text and HOSTILE in text
    assert set(documents(server, database)) == {"good", "last"}
    assert console.browser.execute_script("return document.querySelectorAll('main img, main script').length") == 0


@pytest.mark.parametrize("name, content, words", [
    ("cut.json", '[{"_id": "one"}, {"_id": "two"', "The file ends inside a list or an object."),
    ("words.json", "these are words", "Line 1: This is not JSON."),
    ("bytes.jsonl", b'{"_id": "one"}\n{"_id": "\xff"}\n', "not UTF-8"),
    ("other.geojson", '{"type": "FeatureCollection", "crs": {"properties": {"name": "EPSG:5514"}}, "features": [{"type": "Feature"}]}', "EPSG:5514"),
    ("twice.csv", "a,a\r\n1,2\r\n", "Two columns have the name"),
    ("empty.csv", "", "The file is empty."),
])
def test_a_file_that_cannot_be_read_says_why(console, server, database, tmp_path, name, content, words):
    text = imported(console, tmp_path, database, name, content)
    assert "The import ended before the end of the file" in text and words in text
    # What came before the place that cannot be read is written.
    assert set(documents(server, database)) == ({"one"} if name == "cut.json" else set())
    assert console.complaints() == []


def test_a_file_that_changed_after_it_was_chosen_is_chosen_again(console, server, database, tmp_path):
    console.visit(f"database/{database}?tab=import")
    path = tmp_path / "changed.json"
    path.write_text('[{"_id": "one"}]')
    console.until(lambda: console.all("main input[type=file]"))[0].send_keys(str(path))
    path.write_text('[{"_id": "one"}, {"_id": "two"}]')
    console.press("Import")
    console.until(lambda: "The file cannot be read any more." in console.text())
    assert documents(server, database) == {}


def test_existing_documents_are_replaced_or_refused(console, server, database, tmp_path):
    server.json("PUT", f"/{database}/same", json={"n": 1})
    server.json("PUT", f"/{database}/other", json={"n": 1})
    content = '[{"_id": "same", "n": 1}, {"_id": "other", "n": 2}, {"_id": "new"}]'
    text = imported(console, tmp_path, database, "r.json", content, lambda: console.choose("If a document with the id exists", "refuse"))
    assert "1 document was written." in text and "2 documents were refused" in text
    text = imported(console, tmp_path, database, "r.json", content, lambda: console.choose("If a document with the id exists", "replace"))
    assert "1 document was replaced." in text and "2 documents exist" in text
    assert documents(server, database) == {"same": {"n": 1}, "other": {"n": 2}, "new": {}}
    assert server.json("GET", f"/{database}/same")["_rev"].startswith("1-")


def test_revisions_of_a_file_are_kept(console, server, database, tmp_path):
    revision = "2-" + "a" * 32
    content = json.dumps({"_id": "kept", "_rev": revision}) + "\n" + json.dumps({"_id": "gone", "_rev": revision, "_deleted": True}) + "\n" + '{"_id": "none"}'
    text = imported(console, tmp_path, database, "r.jsonl", content, lambda: console.labelled("Keep the revisions of the file (_rev)").click())
    assert "2 documents were written." in text and "no _rev" in text
    assert server.json("GET", f"/{database}/kept")["_rev"] == revision
    assert server.json("GET", f"/{database}")["doc_del_count"] == 1


def test_an_import_that_is_cancelled_keeps_what_it_wrote(console, server, database, tmp_path):
    console.visit(f"database/{database}?tab=import")
    # The second request waits until the import was cancelled.
    console.browser.execute_script("""
        const send = window.fetch
        let number = 0
        window.fetch = async (address, options) => {
            if (!String(address).endsWith('/_bulk_docs')) return send(address, options)
            number += 1
            if (number === 2) await new Promise(resolve => { window.goOn = resolve })
            return send(address, options)
        }""")
    content = "".join(json.dumps({"_id": f"{number:05}"}) + "\n" for number in range(3000))
    (tmp_path / "many.jsonl").write_text(content)
    console.until(lambda: console.all("main input[type=file]"))[0].send_keys(str(tmp_path / "many.jsonl"))
    console.press("Import")
    console.until(lambda: console.browser.execute_script("return Boolean(window.goOn)"))
    console.until(lambda: console.all(".progress button"))[0].click()
    console.browser.execute_script("window.goOn()")
    console.until(lambda: "You cancelled the import." in console.text())
    # The request that had begun is counted.
    assert "1,000 documents were written." in console.text() and "stay in the database" in console.text()
    assert len(documents(server, database)) == 1000
    assert console.complaints() == []


# ---- Export

SAVED = """
    // The file of the dialog, in which a browser without a window cannot choose one.
    window.saved = null
    window.showSaveFilePicker = async ({ suggestedName }) => ({ createWritable: async () => {
        const pieces = []
        return { write: async text => { pieces.push(text) }, close: async () => { window.saved = [suggestedName, pieces.join('')] }, abort: async () => { window.saved = 'aborted' } }
    } })"""
# A browser without that dialog: the page collects the file.
COLLECTED = """
    window.saved = null
    delete window.showSaveFilePicker
    Object.defineProperty(window, 'showSaveFilePicker', { value: undefined, configurable: true })
    HTMLAnchorElement.prototype.click = function () { const name = this.download; fetch(this.href).then(a => a.text()).then(text => { window.saved = [name, text] }) }
    const create = URL.createObjectURL
    URL.createObjectURL = blob => { blob.text().then(text => { window.saved = ['collected', text] }); return create(blob) }
    HTMLAnchorElement.prototype.click = () => {}"""


def exported(console, format, script=SAVED, button="Export all"):
    console.browser.execute_script(script)
    console.press(button)
    console.choose("Format", format, "dialog")
    console.until(lambda: console.all("dialog form .primary"))[0].click()
    console.until(lambda: console.all("dialog .good"))
    name, text = console.until(lambda: console.browser.execute_script("return window.saved"))
    words = console.one("dialog").text
    console.one("dialog .dialog-head button").click()
    console.until(lambda: not console.all("dialog"))
    return name, text, words


def fill_for_export(server, database):
    for number, id in enumerate(ODD):
        server.json("POST", f"/{database}", json={"_id": id, "n": number, HOSTILE: RTL, "geometry": {"type": "Point", "coordinates": [number, 50]}})
    server.request("PUT", f"/{database}/plain", data=f'{{"big": {BIG}, "name": "7"}}')
    server.json("PUT", f"/{database}/_design/all", json={"views": {}})


def test_documents_are_exported_in_each_format_and_imported_again(console, server, database, tmp_path):
    fill_for_export(server, database)
    everything = documents(server, database)
    console.visit(f"database/{database}")
    console.until(lambda: len(console.rows()) == len(ODD) + 1)
    name, lines, words = exported(console, "lines")
    assert name == f"{database}.jsonl" and f"{len(everything)} documents were exported." in words
    assert BIG in lines and {json.loads(line)["_id"] for line in lines.splitlines()} == set(everything)
    name, collection, words = exported(console, "geojson")
    features = json.loads(collection)["features"]
    assert [feature["properties"] for feature in features if feature["id"] == HOSTILE] == [{"n": 0, HOSTILE: RTL}]
    assert len(features) == len(ODD) and "1 document does not fit this format" in words
    name, table, words = exported(console, "csv")
    assert BIG in table and '"7"' in table and len(table.splitlines()) == len(ODD) + 2
    name, collected, _ = exported(console, "lines", COLLECTED)
    assert collected == lines
    for kind, content in [("jsonl", lines), ("geojson", collection), ("csv", table)]:
        server.json("PUT", f"/{database}-{kind}")
        console.browser.execute_script("location.hash = arguments[0]", f"#/database/{database}-{kind}?tab=import")
        console.until(lambda: console.heading() == f"{database}-{kind}" and console.all("main input[type=file]"))
        imported(console, tmp_path, f"{database}-{kind}", f"again.{kind}", content)
    assert documents(server, f"{database}-jsonl") == everything
    assert set(documents(server, f"{database}-geojson")) == set(ODD)
    assert BIG in text_of(server, f"{database}-jsonl", "plain") and BIG in text_of(server, f"{database}-csv", "plain")
    assert documents(server, f"{database}-csv")["plain"]["properties"]["name"] == "7"
    assert console.complaints() == []


def test_only_what_was_found_or_selected_is_exported(console, server, database):
    for number in range(5):
        server.json("PUT", f"/{database}/n-{number}", json={"n": number})
    console.visit(f"database/{database}?selector=%7B%22n%22%3A%7B%22%24gt%22%3A2%7D%7D")
    console.until(lambda: len(console.rows()) == 2)
    _, text, _ = exported(console, "lines", button="Export all found")
    assert [json.loads(line)["n"] for line in text.splitlines()] == [3, 4]
    console.until(lambda: console.all("input[aria-label='Select n-4']"))[0].click()
    _, text, _ = exported(console, "lines", button="Export")
    assert [json.loads(line)["_id"] for line in text.splitlines()] == ["n-4"]


# ---- Change of a field

def test_a_field_of_all_is_set_and_numbers_keep_their_digits(console, server, database):
    for number, id in enumerate(ODD):
        server.json("POST", f"/{database}", json={"_id": id, "n": number})
    server.request("PUT", f"/{database}/precise", data=f'{{"big": {BIG}, "kind": "bus"}}')
    server.request("PUT", f"/{database}/same", data=f'{{"big": {BIG}, "kind": "car"}}')
    console.visit(f"database/{database}")
    console.press("Change a field of all")
    console.write(console.labelled("Field", "dialog"), "kind")
    console.write(console.labelled("Value (JSON)", "dialog"), '"car')
    assert not console.one("dialog .primary").is_enabled()
    console.write(console.labelled("Value (JSON)", "dialog"), '"car"')
    console.until(lambda: '"kind": "car"' in console.one("dialog").text)
    console.until(lambda: console.one("dialog .primary").is_enabled())
    console.one("dialog .primary").click()
    console.until(lambda: f"{len(ODD) + 1} documents were changed." in console.one("dialog").text)
    assert "1 document needed no change." in console.one("dialog").text
    assert all(document["kind"] == "car" for document in documents(server, database).values())
    assert BIG in text_of(server, database, "precise") and server.json("GET", f"/{database}/precise")["_rev"].startswith("2-")
    assert server.json("GET", f"/{database}/same")["_rev"].startswith("1-")
    assert console.browser.execute_script("return document.querySelectorAll('dialog img, dialog script').length") == 0
    assert console.complaints() == []


def test_a_document_that_changes_meanwhile_is_refused_and_tried_again(console, server, database):
    revisions = {f"n-{number}": server.json("PUT", f"/{database}/n-{number}", json={"n": number, "other": "x"})["rev"] for number in range(3)}
    console.visit(f"database/{database}")
    console.press("Change a field of all")
    console.choose("Change", "rename", "dialog")
    console.write(console.labelled("Field", "dialog"), "n")
    console.write(console.labelled("New name", "dialog"), "number")
    console.until(lambda: console.one("dialog .primary").is_enabled())
    # The request of the change waits until another one has written a document.
    console.browser.execute_script("""
        const send = window.fetch
        window.fetch = async (address, options) => {
            if (String(address).endsWith('/_bulk_docs') && !window.goOn) await new Promise(resolve => { window.goOn = resolve })
            return send(address, options)
        }""")
    console.one("dialog .primary").click()
    console.until(lambda: console.browser.execute_script("return Boolean(window.goOn)"))
    server.json("PUT", f"/{database}/n-1", json={"n": 100, "other": "y"}, params={"rev": revisions["n-1"]})
    console.browser.execute_script("window.goOn()")
    console.until(lambda: "2 documents were changed." in console.one("dialog").text)
    assert "changed by someone else meanwhile" in console.one("dialog").text
    assert server.json("GET", f"/{database}/n-1")["n"] == 100
    console.press("Try the 1 again")
    assert soon(lambda: server.json("GET", f"/{database}/n-1").get("number") == 100)
    assert documents(server, database) == {"n-0": {"number": 0, "other": "x"}, "n-1": {"number": 100, "other": "y"}, "n-2": {"number": 2, "other": "x"}}
    assert console.complaints() == []


# ---- Purge

def test_selected_documents_are_purged_after_their_number_was_typed(console, server, database):
    for id in [*ODD, "stays"]:
        server.json("POST", f"/{database}", json={"_id": id})
    console.visit(f"database/{database}")
    console.until(lambda: len(console.rows()) == len(ODD) + 1)
    console.press("Select all shown")
    console.until(lambda: console.all("input[aria-label='Select stays']"))[0].click()
    console.press("Purge")
    submit = console.until(lambda: console.all("dialog .danger"))[0]
    assert not submit.is_enabled()
    console.write(console.one("dialog input"), str(len(ODD)))
    submit.click()
    console.until(lambda: f"{len(ODD)} documents were purged." in console.one("#toasts").text)
    info = server.json("GET", f"/{database}")
    assert (info["doc_count"], info["doc_del_count"]) == (1, 0) and list(documents(server, database)) == ["stays"]
    console.until(lambda: len(console.rows()) == 1)
    assert console.complaints() == []


def test_one_version_of_a_document_in_conflict_is_purged(console, server, database):
    id = HOSTILE
    server.json("POST", f"/{database}/_bulk_docs", json={"new_edits": False, "docs": [{"_id": id, "_rev": f"1-{side * 32}", "side": side} for side in "ab"]})
    console.visit(f"database/{database}")
    console.until(lambda: console.all(".pick input"))[0].click()
    console.press("Purge")
    boxes = console.until(lambda: len(console.all("dialog fieldset input")) == 2 and console.all("dialog fieldset input"))
    labels = [label.text for label in console.all("dialog fieldset label")]
    boxes[labels.index("1-" + "a" * 32)].click()
    field = console.labelled(f"Type “{id}” to confirm", "dialog")
    console.write(field, id)
    console.one("dialog .danger").click()
    console.until(lambda: "1 document was purged." in console.one("#toasts").text)
    found = server.json("GET", f"/{database}/_all_docs", params={"include_docs": "true", "conflicts": "true"})["rows"][0]["doc"]
    assert found["side"] == "a" and "_conflicts" not in found
    assert console.complaints() == []


def test_numbers_that_differ_in_their_last_digits_are_replaced(console, server, database, tmp_path):
    one, two = '{"_id": "one", "n": 12345678901234567890.10}', '{"_id": "one", "n": 12345678901234567890.11}'
    imported(console, tmp_path, database, "a.jsonl", one)
    text = imported(console, tmp_path, database, "b.jsonl", two, lambda: console.choose("If a document with the id exists", "replace"))
    assert "1 document was replaced." in text and "890.11" in text_of(server, database, "one")


def test_a_name_twice_is_replaced_as_the_server_reads_it(console, server, database, tmp_path):
    imported(console, tmp_path, database, "a.jsonl", '{"_id": "one", "a": 1}\n{"_id": "two", "a": 1}\n')
    text = imported(console, tmp_path, database, "b.jsonl", '{"_id": "one", "a": 1, "a": 2}\n{"_id": "two", "a": 3}\n',
                    lambda: console.choose("If a document with the id exists", "replace"))
    assert "The import is complete" in text and "2 documents were replaced." in text
    assert documents(server, database) == {"one": {"a": 2}, "two": {"a": 3}}


def test_members_with_names_of_objects_are_members(console, server, database, tmp_path):
    imported(console, tmp_path, database, "a.json", '{\n"_id": "one", "constructor": [1, 2], "toString": [{"a": 1}]}')
    assert documents(server, database) == {"one": {"constructor": [1, 2], "toString": [{"a": 1}]}}


def test_a_quote_that_is_never_closed_does_not_stop_the_page(console, server, database, tmp_path):
    text = imported(console, tmp_path, database, "a.csv", 'id,lat,lon,n\n1,1,1,"open\n' + "2,2,2,text\n" * 200_000)
    assert "A quote is not closed." in text


def test_a_long_string_is_read(console, server, database, tmp_path):
    text = imported(console, tmp_path, database, "a.jsonl", '{"_id": "one", "_rev": "1-a", "n": "' + "x" * 12_000_000 + '"}\n')
    assert "Maximum call stack" not in text, text[:500]


def test_a_dialog_ends_with_its_page(console, server, database):
    server.json("PUT", f"/{database}/one", json={"a": 1})
    for label in ["Change a field of all", "Export all"]:
        console.visit("databases")
        console.browser.execute_script("location.hash = arguments[0]", f"#/database/{database}")
        b = console.until(lambda: [b for b in console.all("main button") if b.text.startswith(label)])
        b[0].click()
        console.one("dialog[open]")
        console.browser.back()
        console.until(lambda: not console.all("dialog"))
