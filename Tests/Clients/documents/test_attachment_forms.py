"""Attachments that a web page uploads with a form (`multipart/form-data`), as CouchDB's old console did."""

import json

import pytest
import requests


@pytest.fixture
def forms(server):
    server.json("PUT", "/db")
    return server


def upload(server, path, fields=None, files=(), referer=None):
    headers = {"Referer": server.url + "/page" if referer is None else referer}
    parts = [("_attachments", file) for file in files]
    # A form without a file would not be sent as multipart.
    parts += [(name, (None, value)) for name, value in (fields or {}).items()]
    return server.request("POST", path, files=parts, headers=headers)


def test_files_join_a_document(forms):
    revision = forms.json("PUT", "/db/x", json={"n": 1, "_attachments": {
        "old": {"content_type": "text/plain", "data": "b2xk"}, "a.txt": {"content_type": "text/plain", "data": "b2xk"}}})["rev"]
    answer = upload(forms, "/db/x", {"_rev": revision}, [("a.txt", b"new", "text/plain"), ("b.bin", bytes(3_000_000))])
    assert answer.status_code == 201 and answer.headers["ETag"] == f'"{answer.json()["rev"]}"', answer.text
    document = forms.json("GET", "/db/x")
    assert document["n"] == 1 and set(document["_attachments"]) == {"old", "a.txt", "b.bin"}
    assert document["_attachments"]["b.bin"]["content_type"] == "application/octet-stream"
    assert forms.request("GET", "/db/x/a.txt").content == b"new"
    assert forms.request("GET", "/db/x/b.bin").content == bytes(3_000_000)
    assert upload(forms, "/db/x", {"_rev": revision}, [("c", b"c")]).status_code == 409


def test_a_form_brings_a_document(forms):
    answer = upload(forms, "/db/y", {"_doc": json.dumps({"n": 2}), "other": "ignored"}, [("a.txt", b"a", "text/plain")])
    assert answer.status_code == 201, answer.text
    document = forms.json("GET", "/db/y")
    assert document["n"] == 2 and list(document["_attachments"]) == ["a.txt"]
    later = json.dumps({**document, "n": 3})
    assert upload(forms, "/db/y", {"_doc": later}, [("b.txt", b"b")]).status_code == 201
    assert set(forms.json("GET", "/db/y")["_attachments"]) == {"a.txt", "b.txt"}
    design = json.dumps({"views": {}})
    assert upload(forms, "/db/_design/d", {"_doc": design}, [("page.html", b"<p>")]).status_code == 201


@pytest.mark.parametrize("fields, files, status, reason", [
    ({}, [("a", b"a")], 400, "Invalid rev format"),
    ({"_rev": "x"}, [("a", b"a")], 400, "Invalid rev format"),
    ({"_rev": "1-" + "a" * 2_000}, [], 400, "Invalid rev format"),
    ({"_rev": "1-967a00dff5e02add41819138abb3284d"}, [("a", b"a")], 409, "missing_rev"),
    ({"_doc": "{"}, [("a", b"a")], 400, "JSON"),
    ({"_doc": "[]"}, [], 400, "object"),
    ({"_doc": "{}"}, [("_x", b"a")], 400, "_x"),
    ({"_doc": "{}"}, [(f"f{n}", b"") for n in range(1_001)], 400, "1000 files"),
])
def test_forms_that_are_refused(forms, fields, files, status, reason):
    answer = upload(forms, "/db/none", fields, files)
    assert answer.status_code == status and reason in answer.text, answer.text
    assert forms.request("GET", "/db/none").status_code == 404


@pytest.mark.parametrize("referer", ["http://elsewhere.example/", "http://127.0.0.1/", "no address", ""])
def test_pages_of_other_sites_upload_nothing(forms, referer):
    answer = upload(forms, "/db/z", {"_doc": "{}"}, [("a", b"a")], referer=referer)
    assert answer.status_code == 400 and answer.json()["reason"] == "Referer header must match host."
    bare = requests.post(f"{forms.url}/db/z", files={"_doc": (None, "{}")}, auth=("admin", "secret"), timeout=30)
    assert bare.status_code == 400 and bare.json()["reason"] == "Referer header required."
    wrong = forms.request("POST", "/db/z", json={}, headers={"Referer": forms.url})
    assert wrong.status_code == 415
    assert forms.request("GET", "/db/z").status_code == 404
