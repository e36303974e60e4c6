"""The unmodified CouchDB-Python works as its documentation shows."""

import couchdb
import pytest

from conftest import SYSTEM_DATABASES


@pytest.fixture
def client(server):
    return couchdb.Server(server.url.replace("://", "://admin:secret@") + "/")


@pytest.fixture
def database(client):
    return client.create("python-tests")


def test_databases(client):
    assert client.version() == "3.5.0"
    assert list(client) == SYSTEM_DATABASES
    client.create("a/b")
    client.create("c")
    assert list(client) == [*SYSTEM_DATABASES, "a/b", "c"]
    assert "c" in client and "d" not in client
    with pytest.raises(couchdb.PreconditionFailed):
        client.create("c")
    with pytest.raises(couchdb.ServerError):
        client.create("Upper")
    del client["a/b"]
    assert list(client) == [*SYSTEM_DATABASES, "c"]
    with pytest.raises(couchdb.ResourceNotFound):
        client["a/b"].info()
    assert len(set(client.uuids(10))) == 10


def test_documents(database):
    identifier, first = database.save({"type": "Person", "name": "Jöhn \"Doe\""})
    document = database[identifier]
    assert document["name"] == "Jöhn \"Doe\"" and document.rev == first
    document["age"] = 12345678901234567890
    database.save(document)
    assert database[identifier]["age"] == 12345678901234567890
    with pytest.raises(couchdb.ResourceConflict):
        database.save({"_id": identifier, "_rev": first, "name": "late"})
    assert [revision.rev for revision in database.revisions(identifier)] == [document.rev, first]
    database.delete(document)
    assert identifier not in database and database.get(identifier) is None
    database[identifier] = {"again": True}
    assert database[identifier].rev.startswith("4-")
    assert len(database) == 1
    assert database.commit()["ok"]


def test_bulk(database):
    outcomes = database.update([{"_id": f"doc-{number:03}", "n": number} for number in range(100)])
    assert all(ok for ok, _, _ in outcomes)
    ok, identifier, error = database.update([{"_id": "doc-000"}])[0]
    assert not ok and identifier == "doc-000" and isinstance(error, couchdb.ResourceConflict)
    rows = database.view("_all_docs", include_docs=True, startkey="doc-010", endkey="doc-019")
    assert [row.doc["n"] for row in rows] == list(range(10, 20))
    rows = database.view("_all_docs", descending=True, limit=2, skip=1)
    assert [row.id for row in rows] == ["doc-098", "doc-097"]
    found, missing = database.view("_all_docs", keys=["doc-005", "nobody"])
    assert found.id == "doc-005" and missing["error"] == "not_found"
    assert len(list(database)) == 100


def test_changes(database):
    database.save({"_id": "a"})
    first = database.changes()
    assert [row["id"] for row in first["results"]] == ["a"] and first["pending"] == 0
    database.save({"_id": "b"})
    later = database.changes(since=first["last_seq"], feed="longpoll", include_docs=True)
    assert [row["doc"]["_id"] for row in later["results"]] == ["b"]


def test_attachments(database):
    database["a"] = {"x": 1}
    content = bytes(range(256)) * 4000
    database.put_attachment(database["a"], content, "folder/photo.bin", "application/x-photo")
    assert database.get_attachment("a", "folder/photo.bin").read() == content
    stub = database["a"]["_attachments"]["folder/photo.bin"]
    assert stub["length"] == len(content) and stub["content_type"] == "application/x-photo" and stub["stub"]
    database["a"] = {**database["a"], "x": 2}
    assert database.get_attachment("a", "folder/photo.bin").read() == content
    database.delete_attachment(database["a"], "folder/photo.bin")
    assert database.get_attachment("a", "folder/photo.bin") is None
    assert "_attachments" not in database["a"]


def test_wrong_password(server):
    client = couchdb.Server(server.url.replace("://", "://admin:wrong@") + "/")
    with pytest.raises(couchdb.Unauthorized):
        client.create("x")
