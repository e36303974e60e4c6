"""Searches of indexes of functions in design documents, created and searched as by Cloudant's clients."""

import itertools
import json
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from ibm_cloud_sdk_core import ApiException
from ibm_cloud_sdk_core.authenticators import BasicAuthenticator
from ibmcloudant.cloudant_v1 import Analyzer, AnalyzerConfiguration, CloudantV1, DesignDocument, SearchIndexDefinition
from ibmcloudant.features.pagination import Pagination, PagerType

from conftest import ADMIN, Server


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("search-functions") / "data")
    yield site
    site.stop()


NAMES = itertools.count(1)
ANIMALS = [
    ("aardvark", "herbivore", 1.8, "The aardvark digs for ants"), ("badger", "omnivore", 0.9, "The badger digs setts"),
    ("elephant", "herbivore", 7, "The elephant eats grass"), ("giraffe", "herbivore", 5, "The giraffe eats leaves"),
    ("kookaburra", "carnivore", 0.4, "The kookaburra laughs, and eats snakes; it laughs again"),
    ("lemur", "omnivore", 1.1, "The lemur eats fruit & leaves"), ("panda", "carnivore", 1.8, "The panda eats bamboo"),
    ("snipe", None, None, "The snipe eats worms"), ("zebra", "herbivore", 2.5, "The zebra eats grass, grass"),
]
FUNCTION = """function (doc) {
  index("default", doc._id);
  index("story", doc.story, {store: true});
  if (doc.length) index("length", doc.length, {store: true, facet: true});
  if (doc.diet) index("diet", doc.diet, {store: true, facet: true, boost: 2});
  index("address.city", doc._id + "ville", {store: "yes"});
}"""


class Database:
    def __init__(self, site, documents=(), **indexes):
        self.site = site
        self.name = f"functions-{next(NAMES)}"
        site.json("PUT", f"/{self.name}")
        self.add(documents)
        self.define("zoo", **indexes)

    def add(self, documents):
        self.site.json("POST", f"/{self.name}/_bulk_docs", json={"docs": list(documents)})

    def define(self, design, **indexes):
        self.site.json("PUT", f"/{self.name}/_design/{design}", json={"indexes": indexes})

    def search(self, q, /, status=200, index="zoo/_search/animals", **more):
        answer = self.site.request("POST", f"/{self.name}/_design/{index}", json={"q": q, **more})
        assert answer.status_code == status, answer.text
        return answer.json()

    def ids(self, q, **more):
        return [row["id"] for row in self.search(q, **more)["rows"]]

    def info(self, index="animals"):
        return self.site.json("GET", f"/{self.name}/_design/zoo/_search_info/{index}")


@pytest.fixture
def db(site):
    return Database(site, [
        {"_id": name, "story": story, **({"length": length} if length else {}), **({"diet": diet} if diet else {})}
        for name, diet, length, story in ANIMALS], animals={"index": FUNCTION})


def test_shape(db):
    found = db.search("story:grass", include_docs=True)
    assert list(found) == ["total_rows", "bookmark", "rows"] and found["total_rows"] == 2
    assert [row["id"] for row in found["rows"]] == ["zebra", "elephant"]
    row = found["rows"][1]
    assert row["fields"] == {
        "story": "The elephant eats grass", "length": 7, "diet": "herbivore", "address.city": "elephantville"}
    assert row["doc"]["_rev"].startswith("1-") and row["order"][0] > 0 and len(row["order"]) == 2
    assert db.search("zebra", include_fields=["length"])["rows"][0]["fields"] == {"length": 2.5}
    assert db.search("zebra", include_fields=[])["rows"][0]["fields"] == {}


@pytest.mark.parametrize("q, ids", [
    ("panda", ["panda"]), ("grass", []), ("story:giraff*", ["giraffe"]), ("length:[2 TO 5]", ["giraffe", "zebra"]),
    ("length:{2 TO 5}", ["zebra"]), ("length:7", ["elephant"]), ('story:"eats leaves"', ["giraffe"]),
    ("diet:omnivore OR kookaburra", ["badger", "kookaburra", "lemur"]), ("address.city:pandaville", ["panda"]),
    ("story:eats -diet:(herbivore OR omnivore)", ["kookaburra", "panda", "snipe"]),
])
def test_queries(db, q, ids):
    assert sorted(db.ids(q)) == ids


def test_boost(site):
    documents = [{"_id": f"{place}{n:02}", place: "fox", "other": "red"} for place in ["title", "text", "note"] for n in range(20)]
    documents += [{"_id": "both", "title": "fox", "text": "fox", "other": "red"}]
    db = Database(site, documents, animals={"index": """function (doc) {
        if (doc.title) index("title", doc.title, {boost: 4});
        if (doc.text) index("text", doc.text);
        if (doc.note) index("note", doc.note, {boost: 0.25});
        index("other", doc.other, {boost: "x"});
    }"""})
    anywhere = "title:fox OR text:fox OR note:fox"
    rows = db.search(anywhere, limit=200)["rows"]
    places = [row["id"].rstrip("0123456789") for row in rows]
    assert places[0] == "both" and places[1:] == ["title"] * 20 + ["text"] * 20 + ["note"] * 20
    scores = {place: row["order"][0] for place, row in zip(places, rows)}
    assert scores["title"] > 3 * scores["text"] > 9 * scores["note"] > 0
    # FTS5's own matches have the same ranking: the weight of the other words, which all documents have, is near zero.
    prefixed = db.search(f"({anywhere}) AND other:re*", limit=200)["rows"]
    assert [(row["id"], pytest.approx(row["order"][0], abs=0.02)) for row in prefixed] == [
        (row["id"], row["order"][0]) for row in rows]
    # In pages, while documents of earlier and later pages are edited.
    found, bookmark = [], None
    while page := db.search(anywhere, limit=7, **({"bookmark": bookmark} if bookmark else {}))["rows"] or None:
        found += [row["id"] for row in page]
        bookmark = db.search(anywhere, limit=7, **({"bookmark": bookmark} if bookmark else {}))["bookmark"]
        for id in [found[0], "note19", "text19"]:
            document = db.site.json("GET", f"/{db.name}/{id}")
            db.site.json("PUT", f"/{db.name}/{id}", json={**document, "edits": len(found)})
    assert found == [row["id"] for row in rows]


def test_get_and_post_are_the_same(db):
    parameters = {
        "query": "story:eats", "limit": 3, "sort": ["-length<number>"], "counts": ["diet"],
        "ranges": {"length": {"short": "[0 TO 2]"}}, "highlight_fields": ["story"], "drilldown": ["diet", "herbivore"]}
    posted = db.site.json("POST", f"/{db.name}/_design/zoo/_search/animals", json=parameters)
    got = db.site.request("GET", f"/{db.name}/_design/zoo/_search/animals", params={
        name: value if name == "query" else json.dumps(value) for name, value in parameters.items()}).json()
    assert got == posted and [row["id"] for row in got["rows"]] == ["elephant", "giraffe", "zebra"]
    assert got["counts"] == {"diet": {"herbivore": 3}} and got["ranges"] == {"length": {"short": 0}}
    assert got["rows"][0]["highlights"] == {"story": ["The elephant <em>eats</em> grass"]}


def test_sort_and_pages(db):
    assert [row["order"] for row in db.search("*:*", sort="length")["rows"]] == [
        [n, 0] for n in [0.4, 0.9, 1.1, 1.8, 1.8, 2.5, 5, 7, None]]
    assert db.ids("*:*", sort="-length<number>", limit=2) == ["elephant", "giraffe"]
    for sort in [None, ["diet<string>", "-length"]]:
        more = {"sort": sort} if sort else {}
        seen, bookmark = [], {}
        while rows := (page := db.search("*:*", limit=4, **more, **bookmark))["rows"]:
            seen += [row["id"] for row in rows]
            bookmark = {"bookmark": page["bookmark"]}
        assert seen == db.ids("*:*", **more) and len(seen) == 9


def test_only_what_is_faceted_is_counted(db):
    found = db.search("*:*", limit=0, counts=["diet"], ranges={"length": {"long": "[2 TO Infinity]"}})
    assert found["counts"] == {"diet": {"herbivore": 4, "carnivore": 2, "omnivore": 2}}
    assert found["ranges"] == {"length": {"long": 3}}
    for refused in [{"counts": ["story"]}, {"ranges": {"none": {"x": "[0 TO 1]"}}}]:
        assert db.search("*:*", status=400, **refused)["error"] == "bad_request"
    assert db.ids("*:*", drilldown=[["diet", "omnivore"]]) == ["badger", "lemur"]
    assert db.ids("*:*", drilldown=["story", "The badger digs setts"]) == []


# Groups


def test_groups(db):
    found = db.search("story:eats", group_field="diet", limit=2, sort="length", include_docs=True)
    assert list(found) == ["total_rows", "groups"] and found["total_rows"] == 7
    groups = {group["by"]: group for group in found["groups"]}
    assert set(groups) == {"herbivore", "carnivore", "omnivore", None}
    assert list(groups["herbivore"]) == ["by", "total_rows", "rows"] and groups["herbivore"]["total_rows"] == 3
    assert [row["id"] for row in groups["herbivore"]["rows"]] == ["zebra", "giraffe"]
    assert groups["herbivore"]["rows"][0]["doc"]["_id"] == "zebra"
    assert [row["id"] for row in groups[None]["rows"]] == ["snipe"]
    got = db.site.request("GET", f"/{db.name}/_design/zoo/_search/animals", params={
        "q": "story:eats", "group_field": "diet<string>", "limit": 2, "sort": '"length"', "include_docs": "true"})
    assert got.json() == found


def test_the_order_and_number_of_groups(db):
    found = db.search("*:*", group_field="diet", group_sort=["-length<number>"], group_limit=2, limit=1, sort="-length")
    assert [(group["by"], group["rows"][0]["id"]) for group in found["groups"]] == [
        ("herbivore", "elephant"), ("carnivore", "panda")]
    old = db.search("*:*", group_by="diet", group_sort="length", group_limit=1, limit=1)
    assert old == {"total_hits": 9, "total_grouped_hits": 2, "groups": [
        {"by": "carnivore", "total_hits": 2, "hits": old["groups"][0]["hits"]}]} and len(old["groups"][0]["hits"]) == 1
    assert db.search("nothing", group_field="diet") == {"total_rows": 0, "groups": []}
    for refused in [{"group_field": "length<number>"}, {"group_field": "diet", "group_limit": 201},
                    {"group_field": "diet", "group_limit": 0}, {"group_field": "diet", "group_sort": "a<b>"}]:
        db.search("*:*", status=400, **refused)


def test_groups_of_mango_indexes(db):
    db.site.json("POST", f"/{db.name}/_index", json={"index": {}, "type": "text", "ddoc": "all", "name": "all"})
    found = db.search("eats", index="all/_search/all", group_field="diet")
    assert {group["by"]: group["total_rows"] for group in found["groups"]} == {
        "herbivore": 3, "carnivore": 2, "omnivore": 1, None: 1}


# Analyzers


def test_analyzers_by_field(site):
    db = Database(
        site, [{"_id": "a", "en": "Running the fastest", "key": "Big Red", "plain": "The runs"}],
        animals={
            "analyzer": {"name": "perfield", "default": "standard", "fields": {"en": "english", "key": "keyword"}},
            "index": "function(doc) { for (var f of ['en', 'key', 'plain']) if (doc[f]) index(f, doc[f], {store: true}) }"})
    for q, found in [("en:run", 1), ("en:runs", 1), ("key:red", 0), ('key:"big red"', 1), ("plain:run", 0),
                     ("plain:runs AND en:run", 1), ("plain:the", 1), ("key:Big*", 1)]:
        assert db.search(q)["total_rows"] == found, q
    found = db.search("en:run OR key:\"big red\"", highlight_fields=["en", "key"])["rows"][0]["highlights"]
    assert found == {"en": ["<em>Running</em> the fastest"], "key": ["<em>Big Red</em>"]}
    db.define("bad", animals={"analyzer": "klingon", "index": "function(doc) {}"})
    assert db.search("a", status=400, index="bad/_search/animals")["error"] == "invalid_analyzer"


@pytest.mark.parametrize("name, query", [
    ("brazilian", "casa e você"), ("bulgarian", "къща което"), ("catalan", "casa però"), ("czech", "dům který"),
    ("galician", "casa tamén"), ("hungarian", "ház ezért"), ("indonesian", "rumah yang"), ("polish", "dom Że"),
    ("romanian", "casă și"), ("russian", "дом Которые"), ("turkish", "ev İÇİN"), ("german", "Haus für"),
    ("arabic", "كتاب في"), ("armenian", "գիրք և"), ("basque", "etxe eta"), ("chinese", "大学 我们"), ("cjk", "東京 the"),
    ("french", "maison d'une"), ("greek", "θάλασσα ΤΗΣ"), ("hindi", "किताब और"), ("irish", "leabhar agus"),
    ("japanese", "東京 は"), ("latvian", "māja un"), ("persian", "کتاب از"), ("thai", "ภาษา และ"),
])
def test_stop_words_of_languages_ask_for_nothing(site, name, query):
    word = query.split()[0]
    db = Database(site, [{"_id": "a", "text": word}], animals={
        "analyzer": name, "index": "function (doc) { index('default', doc.text); }"})
    assert db.ids(query) == ["a"] and db.ids(f"{word} klingon") == []


@pytest.mark.parametrize("name, text, query, marked", [
    ("french", "Voilà l'avion révélé", "révélations", "Voilà l'avion <em>révélé</em>"),
    ("russian", "Читаю книгами", "книга", "Читаю <em>книгами</em>"),
    ("cjk", "東京都に住む", "京都", "東<em>京都</em>に住む"),
    ("thai", "ภาษาไทยเป็นภาษา", "ไทย", "ภาษา<em>ไทย</em>เป็นภาษา"),
    ("chinese", "我们喜欢北京大学", "大学", "我们喜欢北京<em>大学</em>"),
])
def test_words_of_languages_are_found_and_marked(site, name, text, query, marked):
    db = Database(site, [{"_id": "a", "text": text}, {"_id": "b", "text": "nothing"}], animals={
        "analyzer": name, "index": "function (doc) { index('default', doc.text, {store: true}); }"})
    rows = db.search(query, highlight_fields=["default"])["rows"]
    assert [(row["id"], row["highlights"]) for row in rows] == [("a", {"default": [marked]})]
    site.json("POST", f"/{db.name}/_index", json={
        "index": {"default_field": {"analyzer": name}}, "type": "text", "name": "words", "ddoc": "words"})
    found = site.json("POST", f"/{db.name}/_find", json={"selector": {"$text": query}})["docs"]
    assert [row["_id"] for row in found] == ["a"]


def test_search_analyze(site):
    def tokens(analyzer, text):
        return site.json("POST", "/_search_analyze", json={"analyzer": analyzer, "text": text})["tokens"]

    assert tokens("english", "running the race") == ["run", "race"]
    assert tokens("french", "L'avion, les révélations de l'été") == ["avion", "revel"]
    assert tokens("cjk", "東京都は2020年") == ["東京", "京都", "都は", "2020", "年"]
    assert tokens("thai", "ภาษาไทย") == ["ภาษา", "ไทย"] and tokens("arabic", "المكتبات") == ["مكتب"]
    assert tokens("standard", "Crème brûlée, 2x") == ["creme", "brulee", "2x"]
    assert tokens("email", "Write to <Ann.Lee@example.com>, or to no@one.") == [
        "write", "to", "ann.lee@example.com", "or", "to", "no", "one"]
    assert tokens("keyword", "Big Red") == ["big red"] and tokens("simple", "a1b") == ["a", "b"]
    assert tokens({"name": "standard", "stopwords": ["the"]}, "the fox") == ["fox"]
    assert site.json("GET", "/_search_analyze?analyzer=english&text=running") == {"tokens": ["run"]}
    for body, reason in [
            ({"text": "a"}, "analyzer parameter is mandatory"), ({"analyzer": "english"}, "text parameter is mandatory"),
            ({"analyzer": 1, "text": "a"}, "analyzer parameter must be a string or an object"),
            ({"analyzer": "english", "text": 1}, "text parameter must be a string")]:
        answer = site.request("POST", "/_search_analyze", json=body)
        assert answer.status_code == 400 and answer.json() == {"error": "bad_request", "reason": reason}


# Upkeep


def test_an_index_follows_its_documents(db):
    assert db.ids("story:grass") == ["zebra", "elephant"]
    zebra = db.site.json("GET", f"/{db.name}/zebra")
    db.site.json("PUT", f"/{db.name}/zebra", json={**zebra, "story": "The zebra sleeps"})
    elephant = db.site.json("GET", f"/{db.name}/elephant")
    db.site.json("DELETE", f"/{db.name}/elephant?rev={elephant['_rev']}")
    stale = db.search("story:grass", stale="ok", include_docs=True)["rows"]
    assert {row["id"]: row["doc"] and row["doc"]["story"] for row in stale} == {
        "zebra": "The zebra sleeps", "elephant": None}
    assert db.ids("story:grass") == [] and db.ids("story:sleeps") == ["zebra"]


def test_info_and_cleanup(db):
    db.search("panda")
    info = db.info()
    assert info["name"] == "_design/zoo/animals"
    index = info["search_index"]
    assert list(index) == ["pending_seq", "doc_del_count", "doc_count", "disk_size", "committed_seq"]
    assert index["doc_count"] == 9 and index["disk_size"] > 0 and index["pending_seq"] == index["committed_seq"] == 10
    size = db.site.json("GET", f"/{db.name}/_design/zoo/_search_disk_size/animals")
    assert size == {"name": "_design/zoo/animals", "search_index": {"disk_size": index["disk_size"]}}
    db.site.json("POST", f"/{db.name}/_index", json={"index": {}, "type": "text", "ddoc": "all", "name": "all"})
    mango = db.site.json("GET", f"/{db.name}/_design/all/_search_info/all")["search_index"]
    assert mango["doc_count"] == 9 and mango["disk_size"] > 0
    assert db.site.request("GET", f"/{db.name}/_design/zoo/_search_info/none").status_code == 404
    cleanup = db.site.request("POST", f"/{db.name}/_search_cleanup", json={})
    assert cleanup.status_code == 202 and cleanup.json() == {"ok": True}
    assert db.info()["search_index"]["doc_count"] == 9, "an index that is wanted stays"


def test_a_design_document_that_says_the_same_has_the_index_at_once(db):
    db.search("panda")
    old = db.site.json("GET", f"/{db.name}/_design/zoo")
    db.define("next", animals={"index": FUNCTION})
    assert db.ids("panda", index="next/_search/animals", stale="ok") == ["panda"]
    changed = {"animals": {"index": "function(doc) { index('default', 'x' + doc._id) }"}}
    db.site.json("PUT", f"/{db.name}/_design/zoo", json={**old, "indexes": changed})
    assert db.ids("panda") == [] and db.ids("xpanda") == ["panda"]


def test_functions_that_fail(site):
    db = Database(
        site, [{"_id": name, "n": n} for n, name in enumerate("abc")],
        animals={"index": "function(doc) { if (doc._id == 'b') throw 'no'; index('default', doc._id) }"},
        broken={"index": "function(doc) { index("},
        empty={"analyzer": "standard"})
    assert sorted(db.ids("*:*")) == ["a", "c"], "a document that the function throws at is left out"
    assert db.search("a", status=500, index="zoo/_search/broken")["error"] == "compilation_error"
    assert db.search("a", status=400, index="zoo/_search/empty") == {
        "error": "invalid_design_doc", "reason": "index `empty` must have parameter `index`"}
    assert db.search("a", status=404, index="zoo/_search/none") == {"error": "not_found", "reason": "none not found."}


def test_a_killed_server_goes_on_with_its_index(tmp_path):
    site = Server(tmp_path / "data")
    slow = "function(doc) { for (var n = 0, x = 0; n < 20000; n++) x += n; index('default', doc.t, {store: true}) }"
    db = Database(site, [{"_id": f"d{n:04}", "t": f"fox {n % 10}"} for n in range(4000)], animals={"index": slow})
    with ThreadPoolExecutor() as pool:
        search = pool.submit(site.request, "GET", f"/{db.name}/_design/zoo/_search/animals?q=fox")
        while not search.done() and db.info()["search_index"]["doc_count"] == 0:
            time.sleep(0.01)
        assert not search.done(), "the build was over before it could be cut"
        site.kill()
        assert search.exception()
    site.start()
    assert db.info()["search_index"]["doc_count"] > 0, "what was built is kept"
    assert db.search("fox 7")["total_rows"] == 400 and db.search("*:*")["total_rows"] == 4000
    site.stop()


# Real clients


def test_ibmcloudant(site, db):
    service = CloudantV1(authenticator=BasicAuthenticator(*ADMIN))
    service.set_service_url(site.url)
    index = SearchIndexDefinition(
        analyzer=AnalyzerConfiguration(
            name="perfield", default=Analyzer(name="standard"), fields={"story": Analyzer(name="english")}),
        index=FUNCTION)
    service.put_design_document(
        db=db.name, ddoc="client", design_document=DesignDocument(indexes={"animals": index})).get_result()
    found = service.post_search(
        db=db.name, ddoc="client", index="animals", query="story:eating", include_docs=True, sort=["-length<number>"],
        limit=3, counts=["diet"], highlight_fields=["story"], drilldown=[["diet", "herbivore"]]).get_result()
    assert [row["id"] for row in found["rows"]] == ["elephant", "giraffe", "zebra"]
    assert found["counts"] == {"diet": {"herbivore": 3}}
    assert found["rows"][0]["highlights"] == {"story": ["The elephant <em>eats</em> grass"]}
    grouped = service.post_search(
        db=db.name, ddoc="client", index="animals", query="*:*", group_field="diet", group_limit=1,
        group_sort=["length<number>"]).get_result()
    assert [group["by"] for group in grouped["groups"]] == ["carnivore"]
    pages = Pagination.new_pagination(
        service, PagerType.POST_SEARCH, db=db.name, ddoc="client", index="animals", query="*:*", limit=4).pages()
    assert [len(page) for page in pages] == [4, 4, 1]
    info = service.get_search_info(db=db.name, ddoc="client", index="animals").get_result()
    assert info["search_index"]["doc_count"] == 9
    assert service.get_search_disk_size(
        db=db.name, ddoc="client", index="animals").get_result()["search_index"]["disk_size"] > 0
    assert service.post_search_analyze(analyzer="english", text="running").get_result() == {"tokens": ["run"]}
    with pytest.raises(ApiException) as failure:
        service.post_search(db=db.name, ddoc="client", index="none", query="eats")
    assert failure.value.status_code == 404
