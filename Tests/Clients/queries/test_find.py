"""Mango over HTTP: `_find`, `_index`, `_explain`, with CouchDB's errors, also by real clients."""

import itertools
import threading

import couchdb
import pytest
from ibm_cloud_sdk_core import ApiException
from ibm_cloud_sdk_core.authenticators import BasicAuthenticator
from ibmcloudant.cloudant_v1 import CloudantV1, IndexDefinition, IndexField
from ibmcloudant.features.pagination import Pagination, PagerType

from conftest import ADMIN, Server


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("find") / "data")
    yield site
    site.stop()


NAMES = itertools.count(1)


@pytest.fixture
def db(site):
    """A database of sixty documents."""
    name = f"find-{next(NAMES)}"
    site.json("PUT", f"/{name}")
    documents = [
        {"_id": f"d{n:03}", "n": n, "kind": ["odd", "even"][n % 2 == 0], "tags": [f"t{n % 5}", "all"],
         "in": {"half": n / 2}}
        for n in range(60)]
    site.json("POST", f"/{name}/_bulk_docs", json={"docs": documents})
    return Database(site, name)


class Database:
    def __init__(self, site, name):
        self.site = site
        self.name = name

    def find(self, selector, status=200, **more):
        answer = self.site.request("POST", f"/{self.name}/_find", json={"selector": selector, **more})
        assert answer.status_code == status, answer.text
        return answer.json()

    def ids(self, selector, **more):
        return [document["_id"] for document in self.find(selector, **more)["docs"]]

    def index(self, fields, name, **more):
        return self.site.json(
            "POST", f"/{self.name}/_index",
            json={"index": {"fields": fields, **more}, "ddoc": name, "name": name, "type": "json"})

    def explain(self, selector, **more):
        return self.site.json("POST", f"/{self.name}/_explain", json={"selector": selector, **more})


def test_defaults(db):
    found = db.find({})
    assert len(found["docs"]) == 25 and list(found)[0] == "docs"
    assert found["docs"][0].keys() == {"_id", "_rev", "n", "kind", "tags", "in"}
    assert found["warning"] == "No matching index found, create an index to optimize query time."
    assert db.find({"n": -1}) == {"docs": [], "bookmark": "nil", "warning": found["warning"] + (
        "\nThe number of documents examined is high in proportion to the number of results returned. Consider adding a "
        "more specific index to improve this.")}


def test_every_parameter(db):
    db.index(["n"], "n")
    found = db.find(
        {"n": {"$gte": 10}}, fields=["_id", "in.half"], sort=[{"n": "desc"}], limit=2, skip=1, r=1, conflicts=False,
        update=True, stable=False, stale=False, execution_stats=True, use_index=["n", "n"], bookmark="nil",
        allow_fallback=True)
    assert found["docs"] == [{"_id": "d058", "in": {"half": 29.0}}, {"_id": "d057", "in": {"half": 28.5}}]
    stats = found["execution_stats"]
    assert stats["results_returned"] == 2 and stats["total_docs_examined"] == 3
    assert stats["total_keys_examined"] == 3 and stats["execution_time_ms"] >= 0
    assert "warning" not in found


@pytest.mark.parametrize("body, error, reason", [
    ({}, "missing_required_key", "Missing required key: selector"),
    ({"selector": 3}, "invalid_selector_json", "Selector must be a JSON object, not: 3"),
    ({"selector": {"a": {"$foo": 1}}}, "invalid_operator", "Invalid operator: $foo"),
    ({"selector": {"a": {"$regex": "("}}}, "bad_arg", "Bad argument for operator $regex: <<40>>"),
    ({"selector": {}, "limit": -1}, "invalid_non_neg_integer", "-1 is not an integer greater than or equal to zero"),
    ({"selector": {}, "limit": "1"}, "invalid_non_neg_integer", None),
    ({"selector": {}, "skip": 1.5}, "invalid_non_neg_integer", None),
    ({"selector": {}, "r": 0}, "invalid_pos_integer", "0 is not an integer greater than zero"),
    ({"selector": {}, "fields": "a"}, "invalid_fields", None),
    ({"selector": {}, "fields": [1]}, "invalid_field", "Invalid JSON for field spec: 1"),
    ({"selector": {}, "sort": "a"}, "invalid_sort_json", None),
    ({"selector": {}, "sort": [{"a": "up"}]}, "invalid_sort_field", None),
    ({"selector": {}, "sort": [1]}, "invalid_sort_field", None),
    ({"selector": {}, "sort": ["kind"]}, "no_usable_index",
     "No index exists for this sort, try indexing by the sort fields."),
    ({"selector": {}, "use_index": 1}, "invalid_index_name", "Invalid index name: 1"),
    ({"selector": {}, "use_index": "x", "allow_fallback": False}, "invalid_index", None),
    ({"selector": {"kind": "odd"}, "allow_fallback": False}, "invalid_index", None),
    ({"selector": {}, "conflicts": 1}, "invalid_boolean", "Invalid boolean value: 1"),
    ({"selector": {}, "bookmark": 1}, "invalid_bookmark", "Invalid bookmark value: 1"),
    ({"selector": {}, "bookmark": "x"}, "invalid_bookmark", 'Invalid bookmark value: "x"'),
    ({"selector": {}, "nonsense": 1}, "invalid_key", "Invalid key nonsense for this request."),
])
def test_refused(db, body, error, reason):
    answer = db.site.request("POST", f"/{db.name}/_find", json=body)
    assert answer.status_code == 400 and answer.json()["error"] == error, answer.text
    assert reason is None or answer.json()["reason"] == reason


def test_a_bookmark_of_another_query_is_refused(db):
    bookmark = db.find({"n": {"$gt": 1}}, limit=3)["bookmark"]
    assert db.ids({"n": {"$gt": 1}}, limit=1, bookmark=bookmark) == ["d005"]
    assert db.find({"n": {"$gt": 2}}, bookmark=bookmark, status=400)["error"] == "invalid_bookmark"


@pytest.mark.parametrize("query", ["limit=0", "skip=-1", "limit=x"])
def test_a_list_of_indexes_that_cannot_be(db, query):
    answer = db.site.request("GET", f"/{db.name}/_index?{query}")
    assert answer.status_code == 400 and answer.json()["error"] == "invalid_list_index_params"


def test_indexes(db):
    assert db.index(["n"], "one")["result"] == "created"
    assert db.index(["n"], "one") == {"result": "exists", "id": "_design/one", "name": "one"}
    assert db.index([{"kind": "asc"}, {"n": "desc"}], "two", partial_filter_selector={"n": {"$gt": 5}})["result"] == "created"
    listed = db.site.json("GET", f"/{db.name}/_index")
    assert listed["total_rows"] == 3
    assert listed["indexes"][0] == {
        "ddoc": None, "name": "_all_docs", "type": "special", "def": {"fields": [{"_id": "asc"}]}}
    assert listed["indexes"][2] == {
        "ddoc": "_design/two", "name": "two", "type": "json", "partitioned": False,
        "def": {"fields": [{"kind": "asc"}, {"n": "desc"}], "partial_filter_selector": {"n": {"$gt": 5}}}}
    design = db.site.json("GET", f"/{db.name}/_design/one")
    assert design["language"] == "query"
    assert design["views"]["one"] == {
        "map": {"fields": {"n": "asc"}, "partial_filter_selector": {}}, "reduce": "_count",
        "options": {"def": {"fields": ["n"]}}}
    # An index without a name gets one, the same for the same index.
    made = [db.site.json("POST", f"/{db.name}/_index", json={"index": {"fields": ["in.half"]}}) for _ in range(2)]
    assert made[0]["name"] == made[1]["name"] and [answer["result"] for answer in made] == ["created", "exists"]
    assert db.site.request("DELETE", f"/{db.name}/_index/one/json/other").status_code == 404
    assert db.site.json("DELETE", f"/{db.name}/_index/_design/one/json/one") == {"ok": True}
    assert db.site.request("GET", f"/{db.name}/_design/one").status_code == 404
    deleted = db.site.json("POST", f"/{db.name}/_index/_bulk_delete", json={"docids": ["two", "_design/none"]})
    assert deleted == {
        "success": [{"id": "_design/two", "ok": True}], "fail": [{"id": "_design/none", "error": "not_found"}]}


@pytest.mark.parametrize("body, error", [
    ({}, "missing_required_key"), ({"index": 1}, "invalid_index"), ({"index": {}}, "missing_required_key"),
    ({"index": {"fields": []}}, "invalid_index"), ({"index": {"fields": [""]}}, "invalid_sort_field"),
    ({"index": {"fields": ["a"]}, "type": "geo"}, "invalid_index"), ({"index": {"fields": ["a"]}, "x": 1}, "invalid_key"),
    ({"index": {"fields": ["a"], "x": 1}}, "invalid_key"), ({"index": {"fields": ["a"]}, "name": 1}, "invalid_string"),
    ({"index": {"fields": ["a"], "partial_filter_selector": {"a": {"$foo": 1}}}}, "invalid_operator"),
])
def test_indexes_that_cannot_be(db, body, error):
    answer = db.site.request("POST", f"/{db.name}/_index", json=body)
    assert answer.status_code == 400 and answer.json()["error"] == error, answer.text


def test_an_index_that_arrives_by_replication_is_used(db):
    db.index(["n"], "n")
    db.site.json("POST", "/_replicate", json={"source": db.name, "target": db.name + "-copy", "create_target": True})
    copy = Database(db.site, db.name + "-copy")
    assert copy.ids({"n": {"$gt": 56}}, sort=[{"n": "desc"}]) == ["d059", "d058", "d057"]
    assert copy.explain({"n": 3})["index"]["name"] == "n"


def test_explain(db):
    plain = db.explain({"n": 3}, fields=["n"])
    assert plain["index"]["type"] == "special" and plain["selector"] == {"n": {"$eq": 3}}
    assert plain["suggested_index"] == {"fields": [{"n": "asc"}]}
    assert plain["in_words"] == (
        "Reads all documents, in the order of their ids. Each document is checked against the selector. "
        "An index on n would help.")
    db.index(["n"], "n")
    better = db.explain({"n": 3}, fields=["n"])
    assert better["index"]["name"] == "n" and better["covering"] is True and better["suggested_index"] is None
    assert {"dbname", "index", "partitioned", "selector", "opts", "limit", "skip", "fields", "mrargs"} <= better.keys()
    union = db.explain({"$or": [{"n": 3}, {"_id": "d005"}]})
    assert [index["name"] for index in union["indexes"]] == ["n", "_all_docs"]
    assert db.ids({"$or": [{"n": 3}, {"_id": "d005"}, {"n": {"$lt": 2}}]}) == ["d003", "d005", "d000", "d001"]


def test_explain_ranks_the_indexes_that_are_not_used(db):
    for name, fields in (("byA", ["a"]), ("byAB", ["a", "b"]), ("byA2", ["a"]), ("byC", ["c"])):
        db.index(fields, name)
    db.index(["a"], "partial", partial_filter_selector={"b": 1})

    def candidates(selector, **more):
        return {candidate["index"]["name"]: candidate["analysis"]
                for candidate in db.explain(selector, **more)["index_candidates"]}

    found = candidates({"a": 1}, fields=["a"])
    assert {name: (entry["ranking"], entry["reasons"][0]["name"]) for name, entry in found.items()} == {
        "byA2": (1, "alphabetically_comes_after"), "byAB": (2, "less_overlap"), "_all_docs": (3, "unfavored_type"),
        "byC": (4, "field_mismatch"), "partial": (5, "is_partial")}
    assert {name for name, entry in found.items() if not entry["usable"]} == {"byC", "partial"}
    assert {name for name, entry in found.items() if entry["covering"]} == {"byA2", "byAB", "partial"}
    assert found["_all_docs"]["covering"] is None
    named = candidates({"a": 1}, use_index="byC")
    assert named["_all_docs"]["reasons"] == [{"name": "excluded_by_user"}]


@pytest.mark.parametrize("selector, more, start, end", [
    ({"a": 1}, {}, [1], [1, "<MAX>"]),
    ({"a": {"$gt": 1, "$lte": 5}}, {}, [1], [5, "<MAX>"]),
    ({"a": {"$gt": 1}}, {"sort": [{"a": "desc"}]}, ["<MAX>"], [1]),
    ({"a": {"$in": [1, 2]}}, {}, [], ["<MAX>"]),
    ({"z": 1}, {}, None, "<MAX>"),
    ({"_id": "x"}, {}, "x", "x"),
    ({"_id": {"$beginsWith": "x"}}, {}, "x", "x\uffff"),
    ({"a": {"$beginsWith": "x"}}, {}, ["x"], ["x\uffff", "<MAX>"]),
])
def test_explain_tells_the_bounds(db, selector, more, start, end):
    db.index(["a"], "byA")
    arguments = db.explain(selector, stable=True, update=False, **more)["mrargs"]
    assert (arguments["start_key"], arguments["end_key"]) == (start, end)
    assert arguments["stable"] is True and arguments["update"] is False and arguments["partition"] is None


def test_an_index_of_conflicts_finds_what_no_index_finds(db):
    for n in (1, 2):
        db.site.json("POST", f"/{db.name}/_bulk_docs", json={
            "new_edits": False, "docs": [{"_id": "torn", "_rev": f"1-{n}", "n": n}]})
    before = db.ids({"_conflicts": {"$exists": True}}, conflicts=True)
    db.index(["_conflicts"], "byConflicts")
    assert db.ids({"_conflicts": {"$exists": True}}, conflicts=True) == before == ["torn"]


def test_an_index_that_does_not_have_the_order_gives_way_to_one_that_has(db):
    db.index(["n"], "n")
    db.index(["kind"], "kind")
    found = db.find({"kind": "odd"}, sort=[{"n": "desc"}], use_index="kind", limit=2)
    assert [document["n"] for document in found["docs"]] == [59, 57]
    assert found["warning"].startswith(
        "_design/kind was not used because it does not contain a valid index for this query.")


def test_a_sort_leaves_out_what_lacks_the_field_as_couchdb_does(db):
    db.index(["later"], "later")
    db.site.json("PUT", f"/{db.name}/x", json={"later": 1})
    assert db.ids({}, sort=["later"]) == ["x"]


def test_an_index_is_built_beside_writers_and_waited_for_where_it_is_needed(db):
    writes = threading.Thread(target=lambda: [
        db.site.json("POST", f"/{db.name}/_bulk_docs", json={"docs": [{"n": n} for n in range(500)]}) for _ in range(20)])
    writes.start()
    db.index(["n"], "n")
    found = db.find({"n": {"$gte": 0}}, sort=["n"], limit=100_000)["docs"]
    assert [document["n"] for document in found] == sorted(document["n"] for document in found)
    writes.join()
    assert len(db.find({"n": {"$gte": 0}}, sort=["n"], limit=100_000)["docs"]) == 10_060


def test_conflicts_and_deletions(db):
    db.index(["n"], "n")
    for hash, n in [("a", 1000), ("b", 1001)]:
        db.site.json("POST", f"/{db.name}/_bulk_docs", json={"new_edits": False, "docs": [
            {"_id": "c", "_rev": "1-" + hash * 32, "n": n}]})
    found = db.find({"n": {"$gte": 1000}}, conflicts=True)["docs"]
    assert [(document["n"], document["_conflicts"]) for document in found] == [(1001, ["1-" + "a" * 32])]
    db.site.json("DELETE", f"/{db.name}/c?rev=1-" + "b" * 32)
    assert [document["n"] for document in db.find({"n": {"$gte": 1000}})["docs"]] == [1000]


def test_partitions(site):
    site.json("PUT", "/parts?partitioned=true")
    documents = [{"_id": f"{part}:{n}", "n": n} for part in ["a", "ab", "b"] for n in range(4)]
    site.json("POST", "/parts/_bulk_docs", json={"docs": documents})
    site.json("POST", "/parts/_index", json={"index": {"fields": ["n"]}, "ddoc": "n", "name": "n"})
    for selector in [{}, {"n": {"$gte": 2}}]:
        found = site.json("POST", "/parts/_partition/a/_find", json={"selector": selector, "limit": 3})
        more = site.json(
            "POST", "/parts/_partition/a/_find",
            json={"selector": selector, "limit": 3, "bookmark": found["bookmark"]})
        ids = [document["_id"] for document in found["docs"] + more["docs"]]
        assert ids == [f"a:{n}" for n in range(4) if not selector or n >= 2]
    sorted_ones = site.json("POST", "/parts/_partition/b/_find", json={"selector": {}, "sort": [{"n": "desc"}]})["docs"]
    assert [document["_id"] for document in sorted_ones] == ["b:3", "b:2", "b:1", "b:0"]


# Real clients


def test_couchdb_python(site, db):
    database = couchdb.Server(site.database("")[:-1])[db.name]
    database.index()["i", "i"] = ["n"]
    assert [row.id for row in database.find({"selector": {"n": {"$lt": 3}}, "sort": [{"n": "asc"}]})] == [
        "d000", "d001", "d002"]
    assert database.explain({"selector": {"n": 1}})["index"]["ddoc"] == "_design/i"
    assert len(list(database.index())) == 2
    del database.index()["i", "i"]
    assert len(list(database.index())) == 1


def test_ibmcloudant(site, db):
    service = CloudantV1(authenticator=BasicAuthenticator(*ADMIN))
    service.set_service_url(site.url)
    field = IndexField(n="asc")
    made = service.post_index(
        db=db.name, ddoc="json-index", index=IndexDefinition(fields=[field]), name="byN", type="json").get_result()
    assert made["result"] == "created"
    found = service.post_find(
        db=db.name, selector={"kind": {"$eq": "odd"}, "n": {"$gt": 10}}, fields=["_id", "n"], sort=[{"n": "asc"}],
        limit=3).get_result()
    assert [document["n"] for document in found["docs"]] == [11, 13, 15]
    assert service.post_explain(db=db.name, selector={"n": {"$gt": 10}}).get_result()["index"]["name"] == "byN"
    assert service.get_indexes_information(db=db.name).get_result()["total_rows"] == 2
    pages = Pagination.new_pagination(
        service, PagerType.POST_FIND, db=db.name, selector={"n": {"$gte": 0}}, limit=25).pages()
    assert [len(page) for page in pages] == [25, 25, 10]
    with pytest.raises(ApiException) as failure:
        service.post_find(db=db.name, selector={"n": {"$bad": 1}})
    assert failure.value.status_code == 400
    assert service.delete_index(db=db.name, ddoc="json-index", type="json", index="byN").get_result() == {"ok": True}


def test_a_document_that_several_branches_find_comes_once(db):
    """Issue 55, 4: the index of one branch also finds documents that only match another branch."""
    db.site.json("PUT", f"/{db.name}/x", json={"status": "done", "owner": "me"})
    for field in ("status", "owner"):
        db.index([field], field)
    other = {"owner": "me"}
    for first in ({"status": {"$regex": "^o"}}, {"status": {"$nin": ["done"]}}, {"status": {"$size": 2}},
                  {"status": {"$gt": ""}, "n": 9}, {"status": "done"}):
        for branches in ([first, other], [other, first]):
            assert db.ids({"$or": branches}) == db.ids({"$or": branches}, sort=["status"]) == ["x"], branches


def test_combinations_of_nothing_below_a_field_find_nothing(db):
    for selector in ({"$or": []}, {"n": {"$or": []}}, {"n": {"$and": []}}, {"n": {"$nor": []}}):
        assert db.ids(selector) == [], selector


def test_fields_with_equivalent_names_are_two(db):
    composed, decomposed = "\u00e9", "e\u0301"
    db.site.json("PUT", f"/{db.name}/y", json={composed: 1, decomposed: 2})
    assert db.find({composed: 1}, fields=[composed, decomposed])["docs"] == [{composed: 1, decomposed: 2}]
