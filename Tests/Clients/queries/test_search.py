"""Searches over HTTP with Cloudant's clients: `_search` over Mango's text indexes."""

import itertools
import json

import pytest
from ibm_cloud_sdk_core import ApiException
from ibm_cloud_sdk_core.authenticators import BasicAuthenticator
from ibmcloudant.cloudant_v1 import CloudantV1, IndexDefinition, IndexField
from ibmcloudant.features.pagination import Pagination, PagerType

from conftest import ADMIN, Server


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("search") / "data")
    yield site
    site.stop()


NAMES = itertools.count(1)
ANIMALS = [
    ("aardvark", "herbivore", 1.8, "The aardvark digs for ants"), ("badger", "omnivore", 0.9, "The badger digs setts"),
    ("elephant", "herbivore", 7, "The elephant eats grass"), ("giraffe", "herbivore", 5, "The giraffe eats leaves"),
    ("kookaburra", "carnivore", 0.4, "The kookaburra laughs, and eats snakes; it laughs again"),
    ("lemur", "omnivore", 1.1, "The lemur eats fruit & leaves"), ("panda", "carnivore", 1.8, "The panda eats bamboo"),
    ("snipe", "omnivore", None, "The snipe eats worms"), ("zebra", "herbivore", 2.5, "The zebra eats grass, grass"),
]


class Database:
    def __init__(self, site, name, **options):
        self.site = site
        self.name = name
        site.json("PUT", f"/{name}" + ("?partitioned=true" if options.get("partitioned") else ""))

    def add(self, documents):
        self.site.json("POST", f"/{self.name}/_bulk_docs", json={"docs": documents})

    def index(self, name="words", **index):
        return self.site.json(
            "POST", f"/{self.name}/_index", json={"index": index, "ddoc": name, "name": name, "type": "text"})

    def search(self, q, /, status=200, index="words/_search/words", part="", **more):
        path = f"/{self.name}{part}/_design/{index}"
        answer = self.site.request("POST", path, json={"q": q, **more} if q is not None else more)
        assert answer.status_code == status, answer.text
        return answer.json()

    def get(self, status=200, **parameters):
        answer = self.site.request("GET", f"/{self.name}/_design/words/_search/words", params=parameters)
        assert answer.status_code == status, answer.text
        return answer.json()

    def ids(self, q, **more):
        return [row["id"] for row in self.search(q, **more)["rows"]]


@pytest.fixture
def db(site):
    """A database of nine animals with a text index over all fields."""
    database = Database(site, f"search-{next(NAMES)}")
    database.add([
        {"_id": name, "diet": diet, **({"length": length} if length else {}), "story": story}
        for name, diet, length, story in ANIMALS])
    database.index()
    return database


def test_shape(db):
    found = db.search("eats grass", include_docs=True, include_fields=["diet", "length", "none"])
    assert list(found) == ["total_rows", "bookmark", "rows"] and found["total_rows"] == 2
    assert [row["id"] for row in found["rows"]] == ["zebra", "elephant"]
    row = found["rows"][0]
    assert list(row) == ["id", "order", "fields", "doc"]
    assert row["order"][0] > found["rows"][1]["order"][0] > 0 and len(row["order"]) == 2
    assert row["fields"] == {"diet": "herbivore", "length": 2.5}
    assert row["doc"]["_id"] == "zebra" and row["doc"]["_rev"].startswith("1-")
    plain = db.search("eats grass")["rows"][0]
    assert list(plain) == ["id", "order", "fields"] and plain["fields"] == {}


def test_get_and_post_are_the_same(db):
    parameters = {
        "query": "diet:(herbivore OR omnivore) AND eats", "limit": 3, "include_docs": "true", "include_fields": ["diet"],
        "sort": ["-length<number>"], "counts": ["diet"], "ranges": {"length": {"short": "[0 TO 2]"}},
        "highlight_fields": ["story"], "highlight_pre_tag": "<b>", "highlight_post_tag": "</b>", "highlight_number": 2,
        "highlight_size": 30, "drilldown": ["diet", "herbivore", "omnivore"], "stale": "ok"}
    posted = db.search(None, **{**parameters, "include_docs": True})
    plain = {"query", "include_docs", "stale"}
    got = db.get(**{name: value if name in plain else json.dumps(value) for name, value in parameters.items()})
    assert got == posted and [row["id"] for row in got["rows"]] == ["elephant", "giraffe", "zebra"]
    assert got["rows"][0]["highlights"] == {"story": ["The elephant <b>eats</b> grass"]}


def test_the_default_limit_and_the_largest(db):
    db.add([{"story": "grass everywhere"} for _ in range(210)])
    assert len(db.ids("grass")) == 25 and len(db.ids("grass", limit=200)) == 200
    assert db.search("grass", limit=0)["rows"] == []
    assert db.search("grass", limit=0)["total_rows"] == 212


@pytest.mark.parametrize("q, ids", [
    ("laughs", ["kookaburra"]), ("story:laughs", ["kookaburra"]), ("diet:laughs", []), ("giraff*", ["giraffe"]),
    ('"eats leaves"', ["giraffe"]), ("fruit NEAR/1 leaves", ["lemur"]), ("digs -setts", ["aardvark"]),
    ("length:[2 TO 5]", ["giraffe", "zebra"]), ("length:{2 TO 5}", ["zebra"]), ("-length:*", ["snipe"]),
])
def test_queries(db, q, ids):
    assert sorted(db.ids(q)) == ids


# Order


def test_sort(db):
    lengths = [row["order"] for row in db.search("*:*", sort="length")["rows"]]
    assert lengths == [[n, 0] for n in [0.4, 0.9, 1.1, 1.8, 1.8, 2.5, 5, 7, None]]
    assert db.ids("*:*", sort="-length<number>")[:2] == ["elephant", "giraffe"]
    assert db.ids("*:*", sort="-length<number>")[-1] == "snipe", "what lacks the field is last either way"
    both = db.search("*:*", sort=["diet<string>", "-length<number>"])
    assert both["rows"][0]["order"] == ["carnivore", 1.8, 0]
    assert [row["id"] for row in both["rows"]] == [
        "panda", "kookaburra", "elephant", "giraffe", "zebra", "aardvark", "lemur", "badger", "snipe"]
    assert db.ids("grass", sort="-<score>") == ["zebra", "elephant"] == db.ids("grass")
    assert db.ids("grass", sort=["<score>"]) == ["elephant", "zebra"]


# Pages


@pytest.mark.parametrize("sort", [None, "length", ["diet<string>", "-<score>"]])
def test_pages(db, sort):
    more = {"sort": sort} if sort else {}
    whole = db.ids("eats OR digs", **more)
    seen, bookmark = [], None
    while True:
        page = db.search("eats OR digs", limit=2, **more, **({"bookmark": bookmark} if bookmark else {}))
        assert page["total_rows"] == 9
        if not page["rows"]:
            break
        seen += [row["id"] for row in page["rows"]]
        bookmark = page["bookmark"]
    assert seen == whole and len(seen) == 9
    assert page["bookmark"] == bookmark, "behind the last hit the bookmark stays"


@pytest.mark.parametrize("sort", [None, "n", ["-<score>", "n"]])
def test_pages_under_writes(site, sort):
    db = Database(site, f"search-{next(NAMES)}")
    db.add([{"_id": f"d{n:03}", "n": n % 7, "t": "fox " * (n % 5 + 1)} for n in range(120)])
    db.index()
    more = {"sort": sort} if sort else {}
    seen, bookmark = [], {}
    for step in itertools.count():
        page = db.search("fox", limit=7, **more, **bookmark)
        if not page["rows"]:
            break
        seen += [row["id"] for row in page["rows"]]
        bookmark = {"bookmark": page["bookmark"]}
        # One document is edited so that its score changes, one is deleted, one is created.
        edited = site.json("GET", f"/{db.name}/d{step * 5:03}")
        site.json("PUT", f"/{db.name}/{edited['_id']}", json={**edited, "t": "fox " * 9})
        gone = site.json("GET", f"/{db.name}/d{step * 5 + 1:03}")
        site.json("DELETE", f"/{db.name}/{gone['_id']}?rev={gone['_rev']}")
        site.json("PUT", f"/{db.name}/new{step}", json={"n": 3, "t": "fox"})
    assert len(seen) == len(set(seen))
    stayed = {f"d{n:03}" for n in range(120)} - {f"d{at * 5 + 1:03}" for at in range(step)}
    assert stayed <= set(seen)


def test_bookmarks_of_other_searches_are_refused(db):
    db.index("others", fields=[{"name": "story", "type": "string"}])
    bookmark = db.search("eats", limit=2)["bookmark"]
    for refused in [
        db.search("digs", bookmark=bookmark, status=400), db.search("eats", sort="length", bookmark=bookmark, status=400),
        db.search("eats", drilldown=["diet", "omnivore"], bookmark=bookmark, status=400),
        db.search("eats", index="others/_search/others", bookmark=bookmark, status=400),
        db.search("eats", bookmark="nonsense", status=400), db.search("eats", bookmark=bookmark[:-3], status=400),
    ]:
        assert refused["error"] == "invalid_bookmark"


# Facets


def test_counts_and_ranges(db):
    found = db.search(
        "eats", limit=1, counts=["diet", "none"],
        ranges={"length": {"short": "[0 TO 2]", "long": "{2 TO Infinity]"}})
    assert found["total_rows"] == 7 and len(found["rows"]) == 1
    assert found["counts"] == {"diet": {"herbivore": 3, "carnivore": 2, "omnivore": 2}, "none": {}}
    assert found["ranges"] == {"length": {"short": 3, "long": 3}}


def test_drilldown(db):
    assert sorted(db.ids("eats", drilldown=["diet", "omnivore"])) == ["lemur", "snipe"]
    assert len(db.ids("eats", drilldown=["diet", "omnivore", "carnivore"])) == 4
    assert db.ids("eats", drilldown=[["diet", "omnivore", "carnivore"], ["length", "1.1"]]) == ["lemur"]
    assert db.ids("eats", drilldown=["diet", "omni"]) == [], "the whole value counts, not its words"
    found = db.search("*:*", drilldown=[["diet", "omnivore"]], counts=["diet"], limit=2)
    assert found["total_rows"] == 3 and found["counts"] == {"diet": {"omnivore": 3}} and len(found["rows"]) == 2
    rest = db.search("*:*", drilldown=[["diet", "omnivore"]], limit=2, bookmark=found["bookmark"])
    assert len(rest["rows"]) == 1
    twice = db.site.request(
        "GET", f'/{db.name}/_design/words/_search/words?q=*:*&drilldown=["diet","omnivore"]&drilldown=["length","0.9"]')
    assert [row["id"] for row in twice.json()["rows"]] == ["badger"]


# Highlights


def test_highlights(db):
    def fragments(q, **more):
        rows = db.search(q, highlight_fields=["story", "diet"], **more)["rows"]
        return {row["id"]: row["highlights"] for row in rows}

    assert fragments("laughs")["kookaburra"] == {
        "story": ["The kookaburra <em>laughs</em>, and eats snakes; it <em>laughs</em> again"], "diet": []}
    assert fragments("laughs", highlight_size=20, highlight_number=2, highlight_pre_tag="[", highlight_post_tag="]") == {
        "kookaburra": {"story": ["[laughs], and", "it [laughs] again"], "diet": []}}
    assert fragments("diet:omnivore lea*")["lemur"] == {
        "story": ["The lemur eats fruit & <em>leaves</em>"], "diet": ["<em>omnivore</em>"]}


# Refused queries


@pytest.mark.parametrize("body, error, reason", [
    ({}, "query_parse_error", "Query must include a 'q' or 'query' argument"),
    ({"q": "(eats"}, "bad_request", None), ({"q": ["eats"]}, "query_parse_error", 'Invalid value for q: ["eats"]'),
    ({"q": "a", "limit": 201}, "query_parse_error", "Value for limit is too large, must not exceed 200"),
    ({"q": "a", "limit": -1}, "query_parse_error", "limit must be greater than or equal to zero"),
    ({"q": "a", "limit": "x"}, "query_parse_error", 'Invalid value for limit: "x"'),
    ({"q": "a", "include_docs": 1}, "query_parse_error", "Invalid value for include_docs: 1"),
    ({"q": "a", "stale": "false"}, "query_parse_error", "stale only available as stale=ok"),
    ({"q": "a", "sort": "length<date>"}, "bad_request", "Unrecognized sort parameter: length<date>"),
    ({"q": "a", "sort": [1]}, "bad_request", "Unrecognized sort parameter: 1"),
    ({"q": "a", "counts": "diet"}, "bad_request", '"diet" is not a valid counts query'),
    ({"q": "a", "ranges": {"length": "[0 TO 1]"}}, "bad_request", None),
    ({"q": "a", "ranges": {"length": {"x": "0 TO 1"}}}, "bad_request", None),
    ({"q": "a", "drilldown": ["diet"]}, "bad_request", '["diet"] is not a valid drilldown query'),
    ({"q": "a", "highlight_fields": ["story"], "highlight_size": 0}, "query_parse_error",
     "highlight_size must be greater than zero"),
    ({"q": "a", "counts": [str(n) for n in range(65)]}, "bad_request", None),
])
def test_refused(db, body, error, reason):
    answer = db.search(None, status=400, **body)
    assert answer["error"] == error
    assert reason is None or answer["reason"] == reason


def test_what_is_not_there_says_so(db):
    assert db.search("eats", status=404, index="words/_search/other") == {
        "error": "not_found", "reason": "other not found."}
    assert db.search("eats", status=404, index="nowhere/_search/words") == {"error": "not_found", "reason": "missing"}
    assert db.get(q="eats", sort="length", status=400)["reason"] == "Invalid JSON in the parameter sort"
    assert db.search("eats", status=400, part="/_partition/a")["reason"] == "database is not partitioned"


def test_an_index_that_is_made_by_a_design_document_is_searched_and_gone_with_it(db):
    db.index("named", fields=[{"name": "diet", "type": "string"}, {"name": "length", "type": "number"}])
    named = "named/_search/named"
    assert db.ids("grass", index=named) == []
    assert db.search("diet:omnivore", index=named, sort="-length")["rows"][0]["fields"] == {
        "diet": "omnivore", "length": 1.1}, "an index of named fields answers with them"
    db.site.json("DELETE", f"/{db.name}/_index/named/text/named")
    assert db.search("grass", status=404, index=named) == {"error": "not_found", "reason": "deleted"}


def test_partitions(site):
    db = Database(site, f"search-{next(NAMES)}", partitioned=True)
    db.add([{"_id": f"{part}:{n}", "n": n, "t": "fox " * n} for part in ["a", "ab", "b"] for n in range(1, 6)])
    db.index()
    first = db.search("fox", part="/_partition/a", limit=3, counts=["n"])
    assert first["total_rows"] == 5 and [row["id"] for row in first["rows"]] == ["a:5", "a:4", "a:3"]
    assert first["counts"]["n"] == {"1": 1, "2": 1, "3": 1, "4": 1, "5": 1}
    rest = db.search("fox", part="/_partition/a", limit=3, bookmark=first["bookmark"])
    assert [row["id"] for row in rest["rows"]] == ["a:2", "a:1"]
    assert db.ids("fox", part="/_partition/b", sort="n") == [f"b:{n}" for n in range(1, 6)]
    assert db.search("fox")["total_rows"] == 15


def test_long_documents_are_sent(db):
    db.add([{"_id": f"long{n}", "story": "badger " + "x" * 700_000} for n in range(8)])
    rows = db.search("badger", include_docs=True)["rows"]
    assert len(rows) == 9 and all(row["doc"]["_id"] == row["id"] for row in rows)


# Real clients


def test_ibmcloudant(site, db):
    service = CloudantV1(authenticator=BasicAuthenticator(*ADMIN))
    service.set_service_url(site.url)
    made = service.post_index(
        db=db.name, ddoc="by-story", name="story", type="text",
        index=IndexDefinition(fields=[IndexField(name="story", type="string")])).get_result()
    assert made["result"] == "created"
    found = service.post_search(
        db=db.name, ddoc="by-story", index="story", query="eats", include_docs=True, sort=["-length<number>"], limit=3,
        counts=["diet"], ranges={"length": {"long": "[2 TO Infinity]"}}, highlight_fields=["story"],
        drilldown=[["diet", "herbivore"]]).get_result()
    assert [row["id"] for row in found["rows"]] == ["elephant", "giraffe", "zebra"]
    assert found["rows"][0]["doc"]["diet"] == "herbivore" and found["counts"] == {"diet": {"herbivore": 3}}
    assert found["ranges"] == {"length": {"long": 3}}
    assert found["rows"][0]["highlights"] == {"story": ["The elephant <em>eats</em> grass"]}
    pages = Pagination.new_pagination(
        service, PagerType.POST_SEARCH, db=db.name, ddoc="by-story", index="story", query="eats OR digs", limit=4).pages()
    assert [len(page) for page in pages] == [4, 4, 1]
    with pytest.raises(ApiException) as failure:
        service.post_search(db=db.name, ddoc="by-story", index="none", query="eats")
    assert failure.value.status_code == 404
    found = service.post_find(
        db=db.name, selector={"$text": "eats", "diet": "omnivore"}, fields=["_id"],
        use_index=["by-story"]).get_result()["docs"]
    assert sorted(document["_id"] for document in found) == ["lemur", "snipe"]
