"""Invalid design documents are refused when they are written."""

import pathlib

import pytest

from conftest import Server

MAP = "function (doc) { emit(doc._id, 1); }"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("checks") / "data")
    site.json("PUT", "/db")
    yield site
    site.stop()


SHAPES = [
    ({"views": "v"}, "`views` field must have object type"),
    ({"views": {"v": "function"}}, "`views.v` field must have object type"),
    ({"views": {"v": {"map": {}}}}, "`views.v.map` field must have string type"),
    ({"views": {"v": {"map": MAP, "reduce": 1}}}, "`views.v.reduce` field must have string type"),
    ({"views": {"v": {"reduce": "_count"}}}, "View `v` must contain map function"),
    ({"views": {"lib": "x"}}, "`views.lib` field must have object type"),
    ({"language": 1}, "`language` field must have string type"),
    ({"options": []}, "`options` field must have object type"),
    ({"filters": []}, "`filters` field must have object type"),
    ({"filters": {"f": 1}}, "`filters.f` field must have string or object type"),
    ({"lists": {"l": []}}, "`lists.l` field must have string or object type"),
    ({"shows": "s"}, "`shows` field must have object type"),
    ({"updates": {"u": None}}, "`updates.u` field must have string or object type"),
    ({"rewrites": {}}, "`rewrites` field must have array or string type"),
    ({"validate_doc_update": {}}, "`validate_doc_update` field must have string type"),
    ({"language": "query", "views": {"v": {"map": MAP}}}, "`views.v.map` field must have object type"),
    ({"views": {"v": {"map": MAP, "reduce": "_median"}}}, "`_median` is not a supported reduce function."),
]


@pytest.mark.parametrize("design, reason", SHAPES, ids=[reason for _, reason in SHAPES])
def test_shapes(site, design, reason):
    answer = site.request("PUT", "/db/_design/bad", json=design)
    assert (answer.status_code, answer.json()) == (400, {"error": "invalid_design_doc", "reason": reason})
    assert site.request("GET", "/db/_design/bad").status_code == 404


SOURCES = [
    ("map", {"map": "function (doc) {"}),
    ("map", {"map": "42"}),
    ("reduce", {"map": MAP, "reduce": "function (keys, values) { return }}"}),
    ("reduce", {"map": MAP, "reduce": "'text'"}),
]


@pytest.mark.parametrize("kind, view", SOURCES)
def test_compilation(site, kind, view):
    answer = site.request("PUT", "/db/_design/bad", json={"views": {"good": {"map": MAP}, "v": view}})
    assert (answer.status_code, answer.json()["error"]) == (400, "compilation_error"), answer.text
    assert answer.json()["reason"].startswith(f"Compilation of the {kind} function in the 'v' view failed: ")


def test_what_is_good(site):
    views = {f"r{place}": {"map": MAP, "reduce": reduce} for place, reduce in enumerate([
        "_sum", "_count", "_stats", "_approx_count_distinct", "_first", "_last", "_top_3", "_bottom_2",
        "function (keys, values) { return values.length; }"])}
    for place, design in enumerate([
            {"views": views}, {}, {"views": {"lib": {"a": {"b": "exports.x = 1"}}, "v": {"map": "(doc) => emit(1, 2);"}}},
            {"language": "erlang", "views": {"v": {"map": "fun({Doc}) -> ok end."}}},
            {"views": {}, "filters": {"a": "f", "b": {"c": "f"}}, "rewrites": "function () {}", "fields": 1},
            {"shows": {"s": "not compiled"}, "updates": {"u": "{"}}]):
        assert site.request("PUT", f"/db/_design/good{place}", json=design).status_code == 201, design


def test_in_bulk(site):
    outcomes = site.json("POST", "/db/_bulk_docs", json={"docs": [
        {"_id": "_design/b1", "views": {"v": {"map": "{"}}}, {"_id": "_design/b2", "views": {"v": {"map": MAP}}},
        {"_id": "_design/b3", "views": 1}, {"_id": "plain", "views": 1}]})
    assert [outcome.get("error") for outcome in outcomes] == [
        "compilation_error", None, "invalid_design_doc", None]


def test_deleted_and_replicated_ones_are_let_in(site):
    site.json("POST", "/db/_bulk_docs", json={
        "docs": [{"_id": "_design/replicated", "_rev": "1-a", "views": {"v": {"map": "{"}}}], "new_edits": False})
    design = site.json("GET", "/db/_design/replicated")
    assert site.request("PUT", "/db/_design/replicated", json=design).status_code == 400
    assert site.request("DELETE", "/db/_design/replicated?rev=1-a").status_code == 200


def test_a_function_that_never_ends_its_compilation(site):
    answer = site.request("PUT", "/db/_design/loop", json={"views": {"v": {"map": "(function () { for (;;); })()"}}})
    assert (answer.status_code, answer.json()["error"]) == (500, "timeout")
    assert site.request("GET", "/db/_design/loop").status_code == 404


def test_no_javascript_for_documents_without_functions(server):
    """A worker is a process: none is started for design documents without functions."""
    server.json("PUT", "/db")
    server.json("PUT", "/db/_design/bare", json={"language": "javascript", "shows": {"s": "function () {}"}})
    server.json("PUT", "/db/a", json={})
    children = pathlib.Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text().split()
    assert children == []
    server.json("PUT", "/db/_design/views", json={"views": {"v": {"map": MAP}}})
    processes = [path.read_text() for path in pathlib.Path(f"/proc/{server.process.pid}/task").glob("*/children")]
    assert "".join(processes).split()


def test_partitioned_views_are_for_partitioned_databases(site):
    site.json("PUT", "/parted?partitioned=true")
    for database, option, status in (
            ("db", True, 400), ("db", "x", 400), ("db", False, 201), ("parted", True, 201), ("parted", 1, 400)):
        answer = site.request("PUT", f"/{database}/_design/{option}".lower(), json={"options": {"partitioned": option}})
        assert answer.status_code == status, (database, option, answer.text)
        assert status == 201 or answer.json()["error"] == "invalid_design_doc"
    system = site.request("PUT", "/_replicator?partitioned=true")
    assert system.status_code == 400 and system.json()["reason"] == "Cannot partition a system database"
