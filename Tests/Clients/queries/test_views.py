"""Views over HTTP: every parameter, and CouchDB's errors."""

import json

import pytest

from conftest import Server

VIEWS = {
    "lib": {"words": "exports.first = function (text) { return text.charAt(0); };"},
    "n": {"map": "function (doc) { if ('n' in doc) emit(doc.n, doc._id); }"},
    "pairs": {"map": "function (doc) { if ('n' in doc) emit([doc.n % 3, doc.n % 2, doc.n], doc.n); }",
              "reduce": "_sum"},
    "same": {"map": "function (doc) { if ('n' in doc) emit(doc.n % 2, null); }"},
    "twice": {"map": "function (doc) { if (doc.n < 2) { emit('x', 1); emit('x', 2); } }"},
    "module": {"map": "function (doc) { if (doc.name) emit(require('views/lib/words').first(doc.name), null); }"},
    "links": {"map": "function (doc) { if (doc.link) emit(null, doc.link); }"},
    "mixed": {"map": "function (doc) { if ('mixed' in doc) emit(doc.mixed, null); }"},
    "failing": {"map": "function (doc) { if (doc.n % 3 === 0) throw new Error('no'); if ('n' in doc) emit(doc.n, null); }"},
    "stats": {"map": "function (doc) { if ('n' in doc) emit(null, doc.n); }", "reduce": "_stats"},
    "count": {"map": "function (doc) { if ('n' in doc) emit(doc.n % 2, doc.n); }", "reduce": "_count"},
    "script": {"map": "function (doc) { if ('n' in doc) emit(doc.n % 2, doc.n); }",
               "reduce": "function (keys, values, again) { return Math.max.apply(null, values); }"},
    "wrong": {"map": "function (doc) { if ('n' in doc) emit(1, 'text'); }", "reduce": "_sum"},
}
COUNT = 20
KEYS = {"key", "startkey", "start_key", "endkey", "end_key"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("views") / "data")
    site.json("PUT", "/db")
    site.json("PUT", "/db/_design/v", json={"views": VIEWS})
    site.json("POST", "/db/_bulk_docs", json={"docs": [{"_id": f"d{n:02}", "n": n} for n in range(COUNT)] + [
        {"_id": "anna", "name": "Anna"}, {"_id": "ben", "name": "Ben", "link": {"_id": "anna"}},
        {"_id": "dead", "link": {"_id": "nobody"}}, {"_id": "att", "name": "Cy", "_attachments": {"f": {"data": "aGk="}}},
        *({"_id": f"m{place}", "mixed": value} for place, value in enumerate(
            [None, False, True, 0, -1.5, "a", "A", "b", [], [1], {}, {"a": 1}]))]})
    yield site
    site.stop()


def ask(site, view, body=None, status=200, **parameters):
    """A query by GET, or by POST with a body; keys and values that are no strings are sent as JSON."""
    query = {name: value if isinstance(value, str) and name not in KEYS else json.dumps(value)
             for name, value in parameters.items()}
    method = "GET" if body is None else "POST"
    answer = site.request(method, f"/db/_design/v/_view/{view}", params=query, **({} if body is None else {"json": body}))
    assert answer.status_code == status, answer.text
    return answer.json()


def keys(answer):
    return [row["key"] for row in answer["rows"]]


def ids(answer):
    return [row["id"] for row in answer["rows"]]


def test_all_rows(site):
    answer = ask(site, "n")
    assert answer["total_rows"] == COUNT and answer["offset"] == 0
    assert answer["rows"][3] == {"id": "d03", "key": 3, "value": "d03"} and keys(answer) == list(range(COUNT))


@pytest.mark.parametrize("parameters, expected, offset", [
    ({"key": 7}, [7], 7),
    ({"keys": [5, 99, 3]}, [5, 3], None),
    ({"keys": [5, 3], "descending": True}, [3, 5], None),
    ({"keys": []}, [], None),
    ({"startkey": 17}, [17, 18, 19], 17),
    ({"start_key": 17, "endkey": 18}, [17, 18], 17),
    ({"endkey": 2}, [0, 1, 2], 0),
    ({"end_key": 2, "inclusive_end": False}, [0, 1], 0),
    ({"startkey": 2, "endkey": 1.5, "descending": True}, [2], 17),
    ({"startkey": 3, "endkey": 1, "descending": True, "inclusive_end": False}, [3, 2], 16),
    ({"limit": 2, "skip": 3}, [3, 4], 3),
    ({"limit": 2, "descending": True}, [19, 18], 0),
    ({"limit": 0}, [], 0),
    ({"startkey": 100}, [], 20),
    ({"descending": "TRUE", "limit": 1}, [19], 0),
    ({"skip": 30}, [], 20),
    ({"startkey": 17, "skip": 2**63 - 1}, [], 20),
])
def test_ranges(site, parameters, expected, offset):
    answer = ask(site, "n", **parameters)
    assert keys(answer) == expected and answer["total_rows"] == COUNT
    assert offset is None or answer["offset"] == offset
    # A body has the same effect.
    body = {name: value for name, value in parameters.items() if name != "descending" or value is True}
    if body == parameters:
        assert keys(ask(site, "n", body=body)) == expected


def test_documents_of_one_key(site):
    assert ids(ask(site, "same", key=0, limit=2)) == ["d00", "d02"]
    assert ids(ask(site, "same", startkey=0, startkey_docid="d16", endkey=0)) == ["d16", "d18"]
    assert ids(ask(site, "same", startkey=0, start_key_doc_id="d15", endkey=0)) == ["d16", "d18"]
    assert ids(ask(site, "same", startkey=1, endkey=1, endkey_docid="d03")) == ["d01", "d03"]
    assert ids(ask(site, "same", startkey=1, endkey=1, end_key_doc_id="d03", inclusive_end=False)) == ["d01"]
    rows = ids(ask(site, "same", startkey=1, startkey_docid="d03", descending=True, limit=3))
    assert rows == ["d03", "d01", "d18"]
    assert [row["value"] for row in ask(site, "twice")["rows"]] == [1, 2, 1, 2]


def test_documents_with_rows(site):
    row = ask(site, "n", key=3, include_docs=True)["rows"][0]
    assert row["doc"]["_id"] == "d03" and row["doc"]["_rev"].startswith("1-")
    linked = {row["id"]: row["doc"] for row in ask(site, "links", include_docs=True)["rows"]}
    assert linked["ben"]["name"] == "Anna" and linked["dead"] is None
    row = ask(site, "module", key="C", include_docs=True)["rows"][0]
    assert row["doc"]["_attachments"]["f"]["stub"]
    row = ask(site, "module", key="C", include_docs=True, attachments=True)["rows"][0]
    assert row["doc"]["_attachments"]["f"]["data"] == "aGk="
    site.json("POST", "/db/_bulk_docs", json={
        "docs": [{"_id": "c", "_rev": f"1-{letter}", "name": "Zoe"} for letter in "ab"], "new_edits": False})
    row = ask(site, "module", key="Z", include_docs=True, conflicts=True)["rows"][0]
    assert row["doc"]["_conflicts"] == ["1-a"]
    assert "_conflicts" not in ask(site, "module", key="Z", include_docs=True)["rows"][0]["doc"]


def test_order_of_keys(site):
    assert keys(ask(site, "mixed")) == [None, False, True, -1.5, 0, "a", "A", "b", [], [1], {}, {"a": 1}]


def test_groups(site):
    assert ask(site, "pairs") == {"rows": [{"key": None, "value": 190}]}
    rows = ask(site, "pairs", group_level=1)["rows"]
    assert rows == [{"key": [k], "value": sum(n for n in range(COUNT) if n % 3 == k)} for k in range(3)]
    assert keys(ask(site, "pairs", group_level=2)) == [[a, b] for a in range(3) for b in range(2)]
    assert len(ask(site, "pairs", group=True)["rows"]) == COUNT
    # A level has precedence over `group`, in any order.
    assert len(ask(site, "pairs", group=True, group_level=1)["rows"]) == 3
    assert len(ask(site, "pairs", group_level=1, group=True)["rows"]) == 3
    assert ask(site, "pairs", group_level=0)["rows"] == [{"key": None, "value": 190}]
    assert keys(ask(site, "pairs", group_level=1, descending=True, limit=2)) == [[2], [1]]
    assert keys(ask(site, "pairs", group_level=1, skip=1)) == [[1], [2]]
    assert ask(site, "pairs", startkey=[1], endkey=[1, {}])["rows"][0]["value"] == 70
    assert ask(site, "count", keys=[1, 0, 7], group=True)["rows"] == [
        {"key": 1, "value": 10}, {"key": 0, "value": 10}]
    assert keys(ask(site, "count", keys=[1, 0], group=True, descending=True)) == [1, 0]
    assert ask(site, "count", keys=[1])["rows"] == [{"key": None, "value": 10}]
    assert ask(site, "count", startkey=5)["rows"] == []
    answer = ask(site, "count", reduce=False, limit=1)
    assert answer["total_rows"] == COUNT and answer["rows"] == [{"id": "d00", "key": 0, "value": 0}]


def test_reduces(site):
    assert ask(site, "stats")["rows"][0]["value"] == {"sum": 190, "count": 20, "min": 0, "max": 19, "sumsqr": 2470}
    assert ask(site, "script", group=True)["rows"] == [{"key": 0, "value": 18}, {"key": 1, "value": 19}]
    value = ask(site, "wrong")["rows"][0]["value"]
    assert value["error"] == "builtin_reduce_error" and value["caused_by"] == "text"


def test_a_function_that_throws_leaves_its_document_out(site):
    assert keys(ask(site, "failing")) == [n for n in range(COUNT) if n % 3]


def test_sequences_and_updates(site):
    sequence = site.json("GET", "/db")["update_seq"]
    assert ask(site, "n", update_seq=True)["update_seq"] == sequence
    site.json("PUT", "/db/late", json={"n": 1000})
    for parameters in [{"update": "false"}, {"stale": "ok"}]:
        assert ask(site, "n", **parameters)["total_rows"] == COUNT
    assert ask(site, "n", update="true", stable="true", sorted="true")["total_rows"] == COUNT + 1
    revision = site.json("GET", "/db/late")["_rev"]
    site.json("DELETE", f"/db/late?rev={revision}")
    ask(site, "n", update="lazy")
    assert ask(site, "n")["total_rows"] == COUNT


def test_several_queries(site):
    queries = {"queries": [{"key": 1}, {"limit": 2, "descending": True}, {"keys": [4, 2]}]}
    answer = site.json("POST", "/db/_design/v/_view/n/queries", json=queries)
    assert [keys(result) for result in answer["results"]] == [[1], [19, 18], [4, 2]]
    # Their older path does not exist, as in CouchDB.
    assert site.request("POST", "/db/_design/v/_view/n", json=queries).status_code == 400
    assert site.json("POST", "/db/_design/v/_view/n/queries", json={"queries": []}) == {"results": []}
    answer = site.json("POST", "/db/_design/v/_view/n/queries?limit=1", json={"queries": [{}, {"limit": 2}]})
    assert [keys(result) for result in answer["results"]] == [[0], [0, 1]]


NO_ROWS = "No rows can match your key range, reverse your start_key and end_key or set descending="


@pytest.mark.parametrize("view, query, status, error, reason", [
    ("none", "", 404, "not_found", "missing_named_view"),
    ("lib", "", 404, "not_found", "missing_named_view"),
    ("n", "limit=x", 400, "query_parse_error", 'Invalid value for integer: "x"'),
    ("n", "limit=-1", 400, "query_parse_error", 'Invalid value for positive integer: "-1"'),
    ("n", "skip=-1", 400, "query_parse_error", 'Invalid value for positive integer: "-1"'),
    ("n", "descending=x", 400, "query_parse_error", 'Invalid boolean parameter: "x"'),
    ("n", "include_docs=1", 400, "query_parse_error", 'Invalid boolean parameter: "1"'),
    ("n", "key=x", 400, "bad_request", None),
    ("n", "keys=1", 400, "query_parse_error", "`keys` must be an array of strings."),
    ("n", "keys=[1,2]&key=1", 400, "query_parse_error", "`keys` is incompatible with `key`, `start_key` and `end_key`"),
    ("n", "startkey=2&endkey=1", 400, "query_parse_error", NO_ROWS + "true"),
    ("n", "startkey=1&endkey=2&descending=true", 400, "query_parse_error", NO_ROWS + "false"),
    ("n", "reduce=true", 400, "query_parse_error", "Reduce is invalid for map-only views."),
    ("n", "group=true", 400, "query_parse_error", "Invalid use of grouping on a map view."),
    ("n", "group_level=1", 400, "query_parse_error", "Invalid use of grouping on a map view."),
    ("pairs", "reduce=false&group=true", 400, "query_parse_error", "Invalid use of grouping on a map view."),
    ("pairs", "include_docs=true", 400, "query_parse_error", "`include_docs` is invalid for reduce"),
    ("pairs", "conflicts=true", 400, "query_parse_error", "`conflicts` is invalid for reduce views."),
    ("pairs", "keys=[1,2]", 400, "query_parse_error", "Multi-key fetches for reduce views must use `group=true`"),
    ("pairs", "group=false&group_level=1", 400, "query_parse_error",
     "Can't specify group=false and group_level>0 at the same time"),
    ("pairs", "group_level=x", 400, "query_parse_error", 'Invalid value for integer: "x"'),
    ("n", "stale=x", 400, "query_parse_error", "Invalid value for `stale`."),
    ("n", "update=x", 400, "query_parse_error", "Invalid value for `update`."),
    ("n", "stable=x", 400, "query_parse_error", "Invalid value for `stable`."),
])
def test_errors(site, view, query, status, error, reason):
    answer = site.request("GET", f"/db/_design/v/_view/{view}?{query}")
    assert (answer.status_code, answer.json()["error"]) == (status, error), answer.text
    assert reason is None or answer.json()["reason"] == reason


def test_wrong_bodies(site):
    path = "/db/_design/v/_view/n"
    for body in ["[]", "1"]:
        assert site.request("POST", path, data=body, headers={"Content-Type": "application/json"}).status_code == 400
    assert site.request("POST", path, data="keys=1", headers={"Content-Type": "text/x"}).status_code == 415
    assert site.request("POST", f"{path}/queries", json={"queries": 1}).status_code == 400
    assert site.request("POST", f"{path}/queries", json={"queries": [1]}).status_code == 400
    assert site.request("POST", path, json={"queries": [], "keys": []}).status_code == 400
    assert site.request("PUT", path, json={}).status_code == 405


def test_missing_designs(site):
    path = "/db/_design/gone/_view/v"
    assert site.request("GET", path).json() == {"error": "not_found", "reason": "missing"}
    revision = site.json("PUT", "/db/_design/gone", json={"views": {"v": VIEWS["n"]}})["rev"]
    assert site.json("GET", path)["total_rows"] == COUNT
    site.json("DELETE", f"/db/_design/gone?rev={revision}")
    assert site.request("GET", path).json() == {"error": "not_found", "reason": "deleted"}


def test_information_and_clean_up(site):
    ask(site, "n")
    information = site.json("GET", "/db/_design/v/_info")
    assert information["name"] == "v"
    index = information["view_index"]
    assert index["language"] == "javascript" and len(index["signature"]) == 32
    assert index["updates_pending"]["total"] == 0 and index["sizes"]["file"] > 0 and not index["updater_running"]
    # The same views of another document are the same index.
    site.json("PUT", "/db/_design/w", json={"views": VIEWS})
    assert site.json("GET", "/db/_design/w/_info")["view_index"]["signature"] == index["signature"]
    answer = site.request("POST", "/db/_view_cleanup", json={})
    assert answer.status_code == 202 and answer.json() == {"ok": True}
    assert ask(site, "n")["total_rows"] == COUNT


def test_partitions(site):
    site.json("PUT", "/parts?partitioned=true")
    view = {"map": "function (doc) { emit(doc.n, null); }", "reduce": "_count"}
    site.json("PUT", "/parts/_design/p", json={"views": {"v": view}})
    site.json("PUT", "/parts/_design/g", json={"options": {"partitioned": False}, "views": {"v": view}})
    site.json("POST", "/parts/_bulk_docs", json={
        "docs": [{"_id": f"{part}:{n}", "n": n} for part in ("a", "b") for n in range(5)]})
    answer = site.json("GET", "/parts/_partition/a/_design/p/_view/v?reduce=false&startkey=3")
    assert ids(answer) == ["a:3", "a:4"] and answer["total_rows"] == 5
    assert site.json("POST", "/parts/_partition/b/_design/p/_view/v", json={"key": 1})["rows"][0]["value"] == 1
    assert site.json("GET", "/parts/_design/g/_view/v")["rows"][0]["value"] == 10
    answer = site.request("GET", "/parts/_design/p/_view/v")
    assert answer.status_code == 400
    assert answer.json()["reason"] == "`partition` parameter is mandatory for queries to this view."
    answer = site.request("GET", "/parts/_partition/a/_design/g/_view/v")
    assert answer.status_code == 400
    assert answer.json()["reason"] == "`partition` parameter is not supported in this design doc."


def test_options(site):
    site.json("PUT", "/options")
    site.json("PUT", "/options/_design/raw", json={
        "options": {"include_design": True, "local_seq": True},
        "views": {"v": {"map": "function (doc) { emit(doc._id, doc._local_seq); }", "options": {"collation": "raw"}}}})
    for name in ["b", "A", "a", "B"]:
        site.json("PUT", f"/options/{name}", json={})
    rows = site.json("GET", "/options/_design/raw/_view/v")["rows"]
    assert [row["key"] for row in rows] == ["A", "B", "_design/raw", "a", "b"]
    assert all(isinstance(row["value"], int) for row in rows)


def test_design_documents_that_change_under_queries(site):
    site.json("PUT", "/moving")
    site.json("POST", "/moving/_bulk_docs", json={"docs": [{"n": n} for n in range(300)]})
    design = {}
    for factor in range(5):
        design = {"_rev": design["rev"]} if design else {}
        design = site.json("PUT", "/moving/_design/d", json={
            **design, "views": {"v": {"map": f"function (doc) {{ emit(doc.n * {factor}, null); }}"}}})
        answer = site.json("GET", "/moving/_design/d/_view/v")
        assert [row["key"] for row in answer["rows"]] == sorted(n * factor for n in range(300))
