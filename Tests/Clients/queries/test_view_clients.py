"""Clients from PyPI, unmodified, and views: CouchDB-Python, ibmcloudant, pycouchdb, aiocouch."""

import asyncio

import aiocouch
import couchdb
import couchdb.design
import couchdb.mapping
import pycouchdb
import pytest
from ibm_cloud_sdk_core import ApiException
from ibm_cloud_sdk_core.authenticators import BasicAuthenticator
from ibmcloudant.cloudant_v1 import (
    BulkDocs, CloudantV1, DesignDocument, DesignDocumentOptions, DesignDocumentViewsMapReduce, Document, ViewQuery)
from ibmcloudant.features.pagination import PagerType, Pagination

from conftest import ADMIN, Server

# aiohttp warns about aiocouch's method to log in.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
BY_NAME = "function (doc) { emit(doc.name, doc.n); }"
COUNT = 250


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("view-clients") / "data")
    yield site
    site.stop()


@pytest.fixture
def name(site, request):
    """A database with documents."""
    name = "t-" + "".join(letter if letter.isalnum() else "-" for letter in request.node.name.lower())
    site.json("PUT", f"/{name}")
    site.json("POST", f"/{name}/_bulk_docs", json={
        "docs": [{"_id": f"{n:03}", "name": f"name-{n % 50:02}", "n": n} for n in range(COUNT)]})
    yield name
    site.request("DELETE", f"/{name}")


# CouchDB-Python


@pytest.fixture
def database(site, name):
    return couchdb.Server(site.url.replace("://", "://admin:secret@") + "/")[name]


def test_couchdb_python_view(database):
    database["_design/d"] = {"views": {"by_name": {"map": BY_NAME, "reduce": "_sum"}}}
    rows = database.view("d/by_name", reduce=False)
    assert len(rows) == rows.total_rows == COUNT and rows.offset == 0
    assert [row.id for row in rows["name-03"]] == ["003", "053", "103", "153", "203"]
    assert len(database.view("d/by_name", reduce=False)["name-03":"name-05"]) == 15
    assert database.view("d/by_name").rows[0].value == sum(range(COUNT))
    rows = database.view("_design/d/_view/by_name", group=True, limit=2)
    assert [(row.key, row.value) for row in rows] == [("name-00", 500), ("name-01", 505)]
    rows = database.view("d/by_name", keys=["name-07", "name-02"], group=True)
    assert [row.key for row in rows] == ["name-07", "name-02"]
    row = database.view("d/by_name", reduce=False, include_docs=True, key="name-09", descending=True).rows[0]
    assert row.doc["n"] == 209 and row.value == 209
    wrapped = database.view("d/by_name", wrapper=lambda row: row["value"], reduce=False, limit=3)
    assert list(wrapped) == [0, 50, 100]


def test_couchdb_python_iterview(database):
    database["_design/d"] = {"views": {"by_name": {"map": BY_NAME}}}
    for batch in (7, 100, 1_000):
        rows = list(database.iterview("d/by_name", batch))
        assert len(rows) == COUNT and len({row.id for row in rows}) == COUNT
    rows = list(database.iterview("d/by_name", 10, limit=35, descending=True))
    assert len(rows) == 35 and rows[0].key == "name-49"
    rows = list(database.iterview("d/by_name", 3, startkey="name-02", endkey="name-03"))
    assert len(rows) == 10


def test_couchdb_python_definitions(database):
    view = couchdb.design.ViewDefinition("people", "by_name", BY_NAME, reduce_fun="_count")
    view.sync(database)
    assert view(database, reduce=True).rows[0].value == COUNT
    assert len(view(database, key="name-01", reduce=False)) == 5
    revision = database["_design/people"].rev
    view.sync(database)
    assert database["_design/people"].rev == revision
    other = couchdb.design.ViewDefinition("people", "by_n", "function (doc) { emit(doc.n, null); }")
    couchdb.design.ViewDefinition.sync_many(database, [view, other], remove_missing=True)
    assert set(database["_design/people"]["views"]) == {"by_name", "by_n"}
    assert other(database, limit=1).rows[0].key == 0
    assert view.get_doc(database).id == "_design/people"


def test_couchdb_python_mapping(database):
    class Person(couchdb.mapping.Document):
        name = couchdb.mapping.TextField()
        n = couchdb.mapping.IntegerField()
        by_name = couchdb.mapping.ViewField("people", BY_NAME)

    Person.by_name.sync(database)
    people = Person.by_name(database, key="name-04", include_docs=True)
    assert [person.n for person in people] == [4, 54, 104, 154, 204]


def test_couchdb_python_clean_up_and_compaction(database):
    database["_design/d"] = {"views": {"by_name": {"map": BY_NAME}}}
    database.view("d/by_name").rows
    assert database.cleanup()
    assert database.compact("d")


# ibmcloudant


@pytest.fixture
def service(site):
    service = CloudantV1(authenticator=BasicAuthenticator(*ADMIN))
    service.set_service_url(site.url)
    return service


def test_cloudant_views(service, name):
    design = DesignDocument(views={
        "by_name": DesignDocumentViewsMapReduce(map=BY_NAME, reduce="_stats")})
    assert service.put_design_document(db=name, ddoc="d", design_document=design).get_status_code() == 201
    head = service.head_design_document(db=name, ddoc="d")
    assert head.get_headers()["ETag"]
    answer = service.post_view(
        db=name, ddoc="d", view="by_name", reduce=False, include_docs=True, start_key="name-10", end_key="name-11",
        inclusive_end=False, limit=3, skip=1, descending=False, update_seq=True).get_result()
    assert [row["doc"]["n"] for row in answer["rows"]] == [60, 110, 160]
    assert answer["total_rows"] == COUNT and answer["offset"] == 51 and answer["update_seq"]
    answer = service.post_view(db=name, ddoc="d", view="by_name", group=True, keys=["name-01"]).get_result()
    assert answer["rows"][0]["value"]["count"] == 5
    stream = service.post_view_as_stream(db=name, ddoc="d", view="by_name", reduce=False).get_result()
    assert b"".join(stream.iter_content()).count(b'"id"') == COUNT
    answer = service.post_view_queries(db=name, ddoc="d", view="by_name", queries=[
        ViewQuery(reduce=False, limit=2), ViewQuery(group=True, start_key="name-48"), ViewQuery()]).get_result()
    assert [len(result["rows"]) for result in answer["results"]] == [2, 2, 1]
    information = service.get_design_document_information(db=name, ddoc="d").get_result()
    assert information["name"] == "d" and information["view_index"]["language"] == "javascript"
    with pytest.raises(ApiException) as error:
        service.post_view(db=name, ddoc="d", view="none")
    assert error.value.status_code == 404 and "missing_named_view" in error.value.message
    with pytest.raises(ApiException) as error:
        service.post_view(db=name, ddoc="d", view="by_name", reduce=False, group=True)
    assert error.value.status_code == 400


def test_cloudant_pages(service, name):
    design = DesignDocument(views={"by_name": DesignDocumentViewsMapReduce(map=BY_NAME)})
    service.put_design_document(db=name, ddoc="d", design_document=design)
    pager = Pagination.new_pagination(service, PagerType.POST_VIEW, db=name, ddoc="d", view="by_name", limit=60)
    pages = [list(page) for page in pager.pages()]
    assert [len(page) for page in pages] == [60, 60, 60, 60, 10]
    assert len({row.id for page in pages for row in page}) == COUNT


def test_cloudant_partitions(service, site):
    service.put_database(db="parted", partitioned=True)
    service.post_bulk_docs(db="parted", bulk_docs=BulkDocs(docs=[
        Document(_id=f"{part}:{n}", n=n) for part in ("north", "south") for n in range(30)]))
    service.put_design_document(db="parted", ddoc="d", design_document=DesignDocument(
        views={"n": DesignDocumentViewsMapReduce(map="function (doc) { emit(doc.n, null); }")}))
    answer = service.post_partition_view(
        db="parted", partition_key="north", ddoc="d", view="n", start_key=28, include_docs=True).get_result()
    assert [row["doc"]["_id"] for row in answer["rows"]] == ["north:28", "north:29"]
    pager = Pagination.new_pagination(
        service, PagerType.POST_PARTITION_VIEW, db="parted", partition_key="south", ddoc="d", view="n", limit=20)
    assert [len(page) for page in pager.pages()] == [20, 10]
    service.put_design_document(db="parted", ddoc="g", design_document=DesignDocument(
        options=DesignDocumentOptions(partitioned=False),
        views={"n": DesignDocumentViewsMapReduce(map="function (doc) { emit(doc.n, null); }", reduce="_count")}))
    assert service.post_view(db="parted", ddoc="g", view="n").get_result()["rows"][0]["value"] == 60


# pycouchdb


def test_pycouchdb(site, name):
    database = pycouchdb.Server(site.url.replace("://", "://admin:secret@") + "/").database(name)
    database.save({"_id": "_design/d", "views": {
        "by_name": {"map": BY_NAME}, "sums": {"map": BY_NAME, "reduce": "function (k, v) { return sum(v); }"}}})
    assert len(list(database.query("d/by_name"))) == COUNT
    rows = list(database.query("d/by_name", key="name-03", include_docs=True))
    assert [row["doc"]["n"] for row in rows] == [3, 53, 103, 153, 203]
    rows = list(database.query("d/sums", group=True))
    assert len(rows) == 50 and rows[1] == {"key": "name-01", "value": 505}
    assert list(database.query("d/sums"))[0]["value"] == sum(range(COUNT))
    assert [row["key"] for row in database.query("d/by_name", keys=["name-02", "name-01"])] == (
        ["name-02"] * 5 + ["name-01"] * 5)
    assert database.one("d/by_name", key="name-03")["id"] == "003"
    assert len(list(database.query("d/by_name", pagesize=20))) == COUNT
    with pytest.raises(pycouchdb.exceptions.NotFound):
        list(database.query("d/none"))
    assert database.compact_view("d")
    assert database.cleanup() is not None


# aiocouch


def test_aiocouch(site, name):
    async def use():
        async with aiocouch.CouchDB(site.url, user="admin", password="secret") as server:
            database = await server[name]
            design = await database.design_doc("d")
            view = await design.create_view("by_name", map_function=BY_NAME)
            sums = await design.create_view("sums", map_function=BY_NAME, reduce_function="_sum")
            answer = await view.get(limit=3)
            assert [row["id"] for row in answer.rows] == ["000", "050", "100"] and answer.total_rows == COUNT
            assert [identifier async for identifier in view.ids(prefix="name-03")] == [
                "003", "053", "103", "153", "203"]
            assert [value async for value in view.avalues(key='"name-03"')] == [3, 53, 103, 153, 203]
            assert [document["n"] async for document in view.docs(["name-03"])] == [3, 53, 103, 153, 203]
            # aiocouch does not support answers without `total_rows`, such as reduced ones.
            answer = await sums.get(reduce="false", limit=1)
            assert answer.rows[0]["value"] == 0

    asyncio.run(use())
