"""Unmodified clients from PyPI work as their documentation shows: ibmcloudant, aiocouch, pycouchdb."""

import asyncio
import io
import threading
import time

import aiocouch
import pycouchdb
import pytest
from ibm_cloud_sdk_core import ApiException
from ibm_cloud_sdk_core.authenticators import BasicAuthenticator
from ibmcloudant import CouchDbSessionAuthenticator
from ibmcloudant.cloudant_v1 import BulkDocs, BulkGetQueryDocument, CloudantV1, Document, SecurityObject
from ibmcloudant.features.changes_follower import ChangesFollower
from ibmcloudant.features.pagination import Pagination, PagerType

from conftest import ADMIN, Server

# aiohttp warns about aiocouch's method to log in.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
CONTENT = bytes(range(256)) * 2_000


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("clients") / "data")
    site.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1000")
    yield site
    site.stop()


@pytest.fixture
def name(request):
    """A database name that no other test has."""
    return "t-" + "".join(letter if letter.isalnum() else "-" for letter in request.node.name.lower())


def later(act):
    """Runs an action while the test waits for its effect."""
    thread = threading.Timer(0.3, act)
    thread.start()
    return thread


# ibmcloudant


def cloudant(site, authenticator=None):
    service = CloudantV1(authenticator=authenticator or BasicAuthenticator(*ADMIN))
    service.set_service_url(site.url)
    return service


@pytest.fixture(params=[BasicAuthenticator, CouchDbSessionAuthenticator])
def service(site, request):
    return cloudant(site, request.param(*ADMIN))


def status(error):
    return error.value.status_code


def test_cloudant_server(service):
    information = service.get_server_information().get_result()
    assert information["couchdb"] == "Welcome" and information["version"].startswith("3.5")
    assert service.get_up_information().get_result()["status"] == "ok"
    assert len(set(service.get_uuids(count=5).get_result()["uuids"])) == 5
    session = service.get_session_information().get_result()
    assert session["ok"] and session["userCtx"]["name"] == "admin"
    assert service.get_active_tasks().get_result() == []
    assert service.get_membership_information().get_result()["cluster_nodes"]


def test_cloudant_databases(service, name):
    assert service.put_database(db=name).get_status_code() == 201
    with pytest.raises(ApiException) as error:
        service.put_database(db=name)
    assert status(error) == 412 and error.value.message.startswith("file_exists")
    assert name in service.get_all_dbs().get_result()
    assert service.head_database(db=name).get_status_code() == 200
    information = service.get_database_information(db=name).get_result()
    assert information["db_name"] == name and information["doc_count"] == 0
    keys = service.post_dbs_info(keys=[name, "nowhere"]).get_result()
    assert keys[0]["info"]["db_name"] == name and keys[1]["error"] == "not_found"
    assert service.delete_database(db=name).get_result() == {"ok": True}
    with pytest.raises(ApiException) as error:
        service.get_database_information(db=name)
    assert status(error) == 404 and "Database does not exist." in error.value.message
    assert service.put_database(db=name, partitioned=True).get_status_code() == 201
    service.put_document(db=name, doc_id="north:1", document=Document(n=1))
    assert service.get_partition_information(db=name, partition_key="north").get_result()["doc_count"] == 1
    assert service.post_partition_all_docs(db=name, partition_key="north").get_result()["rows"][0]["id"] == "north:1"
    service.delete_database(db=name)


def test_cloudant_documents(service, name):
    service.put_database(db=name)
    document = Document(_id="example", type="user", joined="2019-01-24T10:42:59.000Z")
    created = service.post_document(db=name, document=document).get_result()
    assert created["ok"] and created["id"] == "example"
    got = service.get_document(db=name, doc_id="example").get_result()
    got["name"] = "Bob"
    updated = service.put_document(db=name, doc_id="example", document=got).get_result()
    assert updated["rev"].startswith("2-")
    with pytest.raises(ApiException) as error:
        service.put_document(db=name, doc_id="example", document=Document(_rev=created["rev"]))
    assert status(error) == 409 and error.value.message == "conflict: Document update conflict."
    head = service.head_document(db=name, doc_id="example")
    assert head.get_headers()["ETag"] == f'"{updated["rev"]}"'
    local = service.put_local_document(db=name, doc_id="point", document=Document(n=1)).get_result()
    assert local["id"] == "_local/point"
    assert service.get_local_document(db=name, doc_id="point").get_result()["n"] == 1
    service.delete_document(db=name, doc_id="example", rev=updated["rev"])
    with pytest.raises(ApiException) as error:
        service.get_document(db=name, doc_id="example")
    assert status(error) == 404 and error.value.message == "not_found: deleted"
    service.delete_database(db=name)


def test_cloudant_bulk(service, name):
    service.put_database(db=name)
    documents = [Document(_id=f"doc-{number:03}", n=number) for number in range(250)]
    rows = service.post_bulk_docs(db=name, bulk_docs=BulkDocs(docs=documents)).get_result()
    assert all(row["ok"] for row in rows) and len(rows) == 250
    tree = [Document(_id="c", _rev=f"1-{letter}", v=letter) for letter in "ab"]
    assert service.post_bulk_docs(db=name, bulk_docs=BulkDocs(docs=tree, new_edits=False)).get_result() == []
    assert service.get_document(db=name, doc_id="c", conflicts=True).get_result()["_conflicts"] == ["1-a"]
    missing = service.post_revs_diff(db=name, document_revisions={"c": ["1-a", "9-z"]}).get_result()
    assert missing["c"]["missing"] == ["9-z"]
    wanted = [BulkGetQueryDocument(id="c", rev="1-a"), BulkGetQueryDocument(id="nobody")]
    found = service.post_bulk_get(db=name, docs=wanted).get_result()["results"]
    assert found[0]["docs"][0]["ok"]["v"] == "a" and found[1]["docs"][0]["error"]["error"] == "not_found"
    listed = service.post_all_docs(
        db=name, include_docs=True, start_key="doc-010", end_key="doc-019", descending=False).get_result()
    assert [row["doc"]["n"] for row in listed["rows"]] == list(range(10, 20))
    keyed = service.post_all_docs(db=name, keys=["doc-001", "nobody"]).get_result()["rows"]
    assert keyed[0]["id"] == "doc-001" and keyed[1]["error"] == "not_found"
    pages = Pagination.new_pagination(service, PagerType.POST_ALL_DOCS, db=name, limit=100).pages()
    assert [len(page) for page in pages] == [100, 100, 51]
    service.delete_database(db=name)


def test_cloudant_changes(service, name):
    service.put_database(db=name)
    for number in range(5):
        service.post_document(db=name, document=Document(_id=str(number)))
    changes = service.post_changes(db=name, include_docs=True).get_result()
    assert [row["id"] for row in changes["results"]] == list("01234") and changes["pending"] == 0
    chosen = service.post_changes(db=name, doc_ids=["3"], filter="_doc_ids").get_result()
    assert [row["id"] for row in chosen["results"]] == ["3"]
    chosen = service.post_changes(db=name, selector={"_id": {"$gt": "2"}}, filter="_selector").get_result()
    assert [row["id"] for row in chosen["results"]] == ["3", "4"]
    thread = later(lambda: service.post_document(db=name, document=Document(_id="new")))
    waited = service.post_changes(db=name, feed="longpoll", since=changes["last_seq"], timeout=20_000).get_result()
    assert [row["id"] for row in waited["results"]] == ["new"]
    thread.join()
    stream = service.post_changes_as_stream(db=name, feed="continuous", timeout=100).get_result()
    assert b'"id":"new"' in b"".join(stream.iter_content())
    follower = ChangesFollower(service=service, db=name)
    assert [item.id for item in follower.start_one_off()] == [*"01234", "new"]
    service.delete_database(db=name)


def test_cloudant_attachments(service, name):
    service.put_database(db=name)
    saved = service.put_attachment(
        db=name, doc_id="a", attachment_name="folder/photo.bin", attachment=io.BytesIO(CONTENT),
        content_type="application/x-photo").get_result()
    got = service.get_attachment(db=name, doc_id="a", attachment_name="folder/photo.bin")
    assert got.get_result().content == CONTENT and got.get_headers()["Content-Type"] == "application/x-photo"
    part = service.get_attachment(db=name, doc_id="a", attachment_name="folder/photo.bin", range="bytes=0-9")
    assert part.get_result().content == CONTENT[:10]
    head = service.head_attachment(db=name, doc_id="a", attachment_name="folder/photo.bin")
    assert head.get_headers()["Content-Length"] == str(len(CONTENT))
    related = service.get_document_as_related(db=name, doc_id="a", attachments=True)
    assert related.get_headers()["Content-Type"].startswith("multipart/related")
    assert CONTENT in related.get_result().content
    service.delete_attachment(db=name, doc_id="a", attachment_name="folder/photo.bin", rev=saved["rev"])
    assert "_attachments" not in service.get_document(db=name, doc_id="a").get_result()
    service.delete_database(db=name)


def test_cloudant_security(site, service, name):
    service.put_database(db=name)
    key = service.post_api_keys().get_result()
    members = SecurityObject(names=["user1"], roles=["developers"])
    assert service.put_security(db=name, members=members).get_result()["ok"]
    assert service.get_security(db=name).get_result()["members"]["names"] == ["user1"]
    service.put_cloudant_security_configuration(db=name, cloudant={key["key"]: ["_reader"]})
    reader = cloudant(site, BasicAuthenticator(key["key"], key["password"]))
    assert reader.post_all_docs(db=name).get_result()["rows"] == []
    with pytest.raises(ApiException) as error:
        reader.post_document(db=name, document=Document(_id="x"))
    assert status(error) == 403
    service.delete_database(db=name)


def test_cloudant_refusals(site, name):
    with pytest.raises(ApiException) as error:
        cloudant(site, BasicAuthenticator("admin", "wrong")).get_all_dbs()
    assert status(error) == 401 and error.value.message.startswith("unauthorized: ")
    user = Document(_id="org.couchdb.user:cleo", name="cleo", type="user", roles=[], password="cleo-1")
    service = cloudant(site)
    assert service.put_document(db="_users", doc_id="org.couchdb.user:cleo", document=user).get_status_code() == 201
    service.put_database(db=name)
    service.put_security(db=name, members=SecurityObject(names=["cleo"]))
    cleo = cloudant(site, CouchDbSessionAuthenticator("cleo", "cleo-1"))
    assert cleo.get_session_information().get_result()["userCtx"]["name"] == "cleo"
    assert cleo.post_document(db=name, document=Document(n=1)).get_result()["ok"]
    with pytest.raises(ApiException) as error:
        cleo.delete_database(db=name)
    assert status(error) == 401
    service.delete_database(db=name)


def test_cloudant_wrong_password_of_a_session(site):
    with pytest.raises(ApiException) as error:
        cloudant(site, CouchDbSessionAuthenticator("admin", "wrong")).get_all_dbs()
    assert status(error) == 401 and error.value.message.startswith("unauthorized: ")


# aiocouch


def using_aiocouch(site, act, **credentials):
    async def run():
        async with aiocouch.CouchDB(site.url, **(credentials or {"user": "admin", "password": "secret"})) as client:
            return await act(client)

    return asyncio.run(run())


def test_aiocouch_databases(site, name):
    async def act(client):
        await client.check_credentials()
        assert (await client.info())["couchdb"] == "Welcome"
        database = await client.create(name)
        assert name in await client.keys()
        with pytest.raises(aiocouch.PreconditionFailedError):
            await client.create(name)
        assert (await client.create(name, exists_ok=True)).id == name
        assert (await database.info())["db_name"] == name
        await database.delete()
        with pytest.raises(aiocouch.NotFoundError):
            await client[name]

    using_aiocouch(site, act)


def test_aiocouch_documents(site, name):
    async def act(client):
        database = await client.create(name)
        async with aiocouch.document.Document(database, "db") as document:
            document["name"] = "The Butterfly Collector"
        butterfly = await database["db"]
        assert butterfly["name"] == "The Butterfly Collector" and butterfly.rev.startswith("1-")
        stale = await database["db"]
        butterfly["legs"] = 6
        await butterfly.save()
        stale["legs"] = 8
        with pytest.raises(aiocouch.ConflictError):
            await stale.save()
        await butterfly.copy("a/b c")
        assert (await database["a/b c"])["legs"] == 6
        assert (await butterfly.info())["rev"] == butterfly.rev
        await butterfly.delete()
        with pytest.raises(aiocouch.NotFoundError):
            await database["db"]
        assert [key async for key in database.akeys()] == ["a/b c"]

    using_aiocouch(site, act)


def test_aiocouch_bulk(site, name):
    async def act(client):
        database = await client.create(name)
        ids = [f"doc-{number}" for number in range(20)]
        async with database.create_docs(ids) as bulk:
            async for document in bulk:
                document["n"] = 1
        assert len(bulk.ok) == 20 and not bulk.error
        async with database.update_docs([*ids, "new"], create=True) as bulk:
            async for document in bulk:
                document["n"] = 2
        assert len(bulk.ok) == 21 and not bulk.error
        assert [document["n"] async for document in database.docs(ids)] == [2] * 20
        assert len([document async for document in database.docs(prefix="doc-1")]) == 11
        assert len([document async for document in database.values(limit=5)]) == 5
        async with database.create_docs(["new"]) as bulk:
            pass
        assert [document.id for document in bulk.error] == ["new"] and bulk.response[0]["error"] == "conflict"

    using_aiocouch(site, act)


def test_aiocouch_changes(site, name):
    async def act(client):
        database = await client.create(name)
        for identifier in ("a", "b"):
            await (await database.create(identifier)).save()
        await (await database["a"]).delete()
        events = [event async for event in database.changes(include_docs=True)]
        assert [event.id for event in events] == ["b", "a"]
        assert isinstance(events[1], aiocouch.event.DeletedEvent)
        assert (await events[0].doc()).id == "b"
        seen = []

        async def follow():
            async for event in database.changes(feed="continuous", last_event_id=events[1].sequence, heartbeat=100):
                seen.append(event.id)
                if len(seen) == 2:
                    return

        task = asyncio.create_task(follow())
        for identifier in ("c", "d"):
            await asyncio.sleep(0.3)
            await (await database.create(identifier)).save()
        await asyncio.wait_for(task, 20)
        assert seen == ["c", "d"]

    using_aiocouch(site, act)


def test_aiocouch_attachments(site, name):
    async def act(client):
        database = await client.create(name)
        document = await database.create("a")
        await document.save()
        attachment = document.attachment("photo.bin")
        assert not await attachment.exists()
        await attachment.save(CONTENT, "application/x-photo")
        again = (await database["a"]).attachment("photo.bin")
        assert await again.fetch() == CONTENT and again.content_type == "application/x-photo"
        await again.delete()
        assert not await again.exists()

    using_aiocouch(site, act)


def test_aiocouch_security_and_sessions(site, name):
    async def prepare(client):
        users = await client["_users"]
        async with aiocouch.document.Document(users, "org.couchdb.user:aila") as user:
            user.update({"name": "aila", "type": "user", "roles": [], "password": "aila-1"})
        database = await client.create(name)
        security = await database.security()
        security.add_member("aila")
        security.add_admin_role("chiefs")
        await security.save()
        security = await database.security()
        assert "aila" in security.members and "chiefs" in security.admin_roles

    async def write(client):
        await client.check_credentials()
        await (await (await client[name]).create("x")).save()
        with pytest.raises((aiocouch.UnauthorizedError, aiocouch.ForbiddenError)):
            await client.create(f"{name}-other")

    async def refused(client):
        with pytest.raises(aiocouch.UnauthorizedError):
            await client.check_credentials()

    using_aiocouch(site, prepare)
    using_aiocouch(site, write, user="aila", password="aila-1")
    session = site.session.post(site.url + "/_session", data={"name": "aila", "password": "aila-1"}, timeout=30)
    site.session.cookies.clear()

    async def with_cookie(client):
        assert (await (await client[name])["x"]).exists

    using_aiocouch(site, with_cookie, cookie=session.cookies["AuthSession"])
    using_aiocouch(site, refused, user="aila", password="wrong")


# pycouchdb


@pytest.fixture(params=["basic", "session"])
def couch(site, request):
    return pycouchdb.Server(site.url.replace("://", "://admin:secret@") + "/", authmethod=request.param)


def test_pycouchdb_databases(couch, name):
    assert couch.version().startswith("3.5") and couch.info()["couchdb"] == "Welcome"
    database = couch.create(name)
    assert name in couch and name in list(couch) and len(couch) == len(list(couch))
    with pytest.raises(pycouchdb.exceptions.Conflict):
        couch.create(name)
    assert database.config()["db_name"] == name and len(database) == 0
    assert database.commit()["ok"] and database.compact()["ok"] and database.cleanup()["ok"]
    couch.delete(name)
    assert name not in couch
    with pytest.raises(pycouchdb.exceptions.NotFound):
        couch.database(name)


def test_pycouchdb_documents(couch, name):
    database = couch.create(name)
    first = database.save({"name": "FooBar"})
    second = database.save({**first, "name": "Bar"})
    with pytest.raises(pycouchdb.exceptions.Conflict):
        database.save({**first, "name": "late"})
    assert database.get(first["_id"])["name"] == "Bar" and first["_id"] in database
    assert [document["name"] for document in database.revisions(first["_id"])] == ["Bar", "FooBar"]
    assert database.save({"_id": "batched"}, batch=True)
    database.delete(second)
    database.delete("batched")
    with pytest.raises(pycouchdb.exceptions.NotFound):
        database.get(first["_id"])
    couch.delete(name)


def test_pycouchdb_bulk(couch, name):
    database = couch.create(name)
    documents = database.save_bulk([{"_id": f"doc-{number}", "n": number} for number in range(10)])
    assert all(document["_rev"].startswith("1-") for document in documents)
    rows = database.all(as_list=True, startkey="doc-3", endkey="doc-5")
    assert [row["doc"]["n"] for row in rows] == [3, 4, 5]
    assert [row["id"] for row in database.all(keys=["doc-1", "doc-9"], as_list=True)] == ["doc-1", "doc-9"]
    with pytest.raises(pycouchdb.exceptions.Conflict):
        database.save_bulk([{"_id": "doc-0"}])
    assert all(row["ok"] for row in database.delete_bulk(documents))
    assert len(database) == 0
    couch.delete(name)


def test_pycouchdb_changes(couch, name):
    database = couch.create(name)
    database.save({"_id": "a"})
    last, changes = database.changes_list()
    assert [change["id"] for change in changes] == ["a"]
    seen, beats = [], []

    class Reader(pycouchdb.feedreader.BaseFeedReader):
        def on_message(self, message):
            seen.append(message["id"])
            raise pycouchdb.exceptions.FeedReaderExited()

        def on_heartbeat(self):
            beats.append(time.monotonic())

        def on_close(self):
            seen.append("closed")

    thread = later(lambda: database.save({"_id": "b"}))
    database.changes_feed(Reader(), since=last, heartbeat=100)
    thread.join()
    assert seen == ["b", "closed"] and beats
    couch.delete(name)


def test_pycouchdb_attachments(couch, name):
    database = couch.create(name)
    document = database.put_attachment(database.save({"_id": "a"}), io.BytesIO(CONTENT), "photo.bin", "image/x-photo")
    assert document["_attachments"]["photo.bin"]["length"] == len(CONTENT)
    assert database.get_attachment(document, "photo.bin") == CONTENT
    streamed = database.get_attachment(document, "photo.bin", stream=True)
    assert b"".join(streamed.iter_content(65_536)) == CONTENT
    document = database.delete_attachment(document, "photo.bin")
    assert "_attachments" not in database.get("a")
    with pytest.raises(pycouchdb.exceptions.NotFound):
        database.delete_attachment(document, "photo.bin")
    couch.delete(name)


def test_pycouchdb_sessions(site):
    with pytest.raises(pycouchdb.exceptions.AuthenticationFailed):
        pycouchdb.Server(site.url.replace("://", "://admin:wrong@") + "/", authmethod="session")
    users = pycouchdb.Server(site.url.replace("://", "://admin:secret@") + "/").database("_users")
    users.save({
        "_id": "org.couchdb.user:pia", "name": "pia", "type": "user", "roles": [], "password": "pia-1"})
    pia = pycouchdb.Server(site.url.replace("://", "://pia:pia-1@") + "/", authmethod="session")
    assert pia.resource.get("_session")[1]["userCtx"]["name"] == "pia"
