"""swiftclient and plain requests work with Godwit as with OpenStack Swift and Keystone v3."""

import hashlib
import json
import os
import time
import xml.etree.ElementTree

import pytest
import requests
import swiftclient
from swiftclient.service import SwiftService, SwiftUploadObject

from conftest import ADMIN, eventually
from objectstores import (
    MB, REGION, Swift, account_command, add_account, ana, ben, credentials, keys_in, new_name, ours, refused, s3_of, store,
    swift_of, swift_options, temp_url, token_of)

BODY = bytes(range(256)) * 4
NAMES = ["a b", "a+b%20c", "ä/日本語/🐦", "it's \"q\" <&>", "a//b", "/leading", "trailing/", "q?x=1#y", "n" * 1024]


@pytest.fixture(scope="module")
def swift(store, ana):
    return Swift(store, ana)


@pytest.fixture
def client(store, ana):
    return swift_of(store, ana)


@pytest.fixture
def box(swift):
    """A container that no other test has."""
    name = new_name("c")
    assert swift.request("PUT", f"/{name}").status_code == 201
    return name


def put(swift, path, body=b"x", status=201, **headers):
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = swift.request("PUT", path, data=body, headers=fields)
    assert answer.status_code == status, answer.text
    return answer


def names_in(answer):
    assert answer.status_code in (200, 204), answer.text
    return answer.text.splitlines()


# Keystone


def log_in(store, body):
    return requests.post(f"{store.url}/v3/auth/tokens", json=body, timeout=30)


def test_a_token_has_an_end_and_a_catalog(store, ana):
    answer = log_in(store, credentials(ana))
    assert answer.status_code == 201 and answer.headers["X-Subject-Token"]
    token = answer.json()["token"]
    left = time.mktime(time.strptime(token["expires_at"][:19], "%Y-%m-%dT%H:%M:%S")) - time.mktime(time.gmtime())
    assert 3_500 < left <= 3_601
    assert token["user"]["id"] == token["user"]["name"] == token["project"]["id"] == "ana"
    [service] = [service for service in token["catalog"] if service["type"] == "object-store"]
    assert {(row["region"], row["url"]) for row in service["endpoints"]} == {(REGION, f"{store.url}/v1/AUTH_ana")}


def test_bluepic_logs_in_by_ids(store, ana):
    """The body that BluePic's object storage library sent."""
    answer = log_in(store, {"auth": {
        "identity": {"methods": ["password"], "password": {"user": {"id": "ana", "password": ana.secret_key}}},
        "scope": {"project": {"id": "ana"}}}})
    assert answer.status_code == 201
    assert Swift(store, ana, answer.headers["X-Subject-Token"]).request("HEAD").status_code == 204
    assert log_in(store, credentials(ana, project=False)).status_code == 201


@pytest.mark.parametrize("change", ["password", "name", "scope", "method"])
def test_wrong_logins(store, ana, ben, change):
    body = credentials(ana)
    user = body["auth"]["identity"]["password"]["user"]
    if change == "password":
        user["password"] = ben.secret_key
    elif change == "name":
        user["name"] = "nobody"
    elif change == "scope":
        body["auth"]["scope"]["project"]["name"] = "ben"
    else:
        body["auth"]["identity"]["methods"] = ["token"]
    answer = log_in(store, body)
    assert answer.status_code == 401 and "X-Subject-Token" not in answer.headers
    assert answer.json()["error"]["code"] == 401 and answer.json()["error"]["title"] == "Unauthorized"


def test_a_body_that_is_no_login(store):
    for body in (None, [], {}, {"auth": 1}, {"auth": {"identity": {"methods": ["password"]}}}):
        answer = log_in(store, body)
        assert answer.status_code in (400, 401) and answer.json()["error"]["code"] == answer.status_code


def test_a_token_is_shown_and_deleted(store, ana):
    mine, subject = token_of(store, ana), token_of(store, ana)
    headers = {"X-Auth-Token": mine, "X-Subject-Token": subject}
    url = f"{store.url}/v3/auth/tokens"
    assert requests.get(url, headers=headers, timeout=30).json()["token"]["user"]["name"] == "ana"
    assert requests.head(url, headers=headers, timeout=30).status_code in (200, 204)
    assert Swift(store, ana, subject).request("HEAD").status_code == 204
    assert requests.delete(url, headers=headers, timeout=30).status_code == 204
    assert requests.get(url, headers=headers, timeout=30).status_code == 404
    assert Swift(store, ana, subject).request("HEAD").status_code == 401
    assert requests.get(url, headers={"X-Subject-Token": mine}, timeout=30).status_code == 401


# Accounts


def test_the_command_manages_accounts(store):
    account = add_account(store, "managed", quota=1_000)
    assert account_command(store, "add", "managed").returncode == 1
    assert "managed" in account_command(store, "list").stdout
    old = Swift(store, account)
    shown = account_command(store, "show", "managed").stdout
    assert account.access_key in shown and account.secret_key not in shown
    access, secret = keys_in(account_command(store, "key", "managed").stdout)
    assert secret != account.secret_key and old.request("HEAD").status_code == 401
    assert log_in(store, credentials(account)).status_code == 401
    new = Swift(store, type(account)("managed", access, secret))
    assert new.request("PUT", "/c").status_code == 201
    put(new, "/c/a", b"x" * 1_001, status=413)
    assert account_command(store, "quota", "managed", "none").returncode == 0
    put(new, "/c/a", b"x" * 1_001)
    row = store.json("GET", "/_godwit/objects/managed")
    assert (row["quota"], row["bytes"], row["objects"], row["containers"]) == (None, 1_001, 1, 1)
    assert "secret_key" not in row
    answer = store.request("DELETE", "/_godwit/objects/managed")
    assert answer.status_code == 409 and set(answer.json()) == {"error", "reason"}
    new.request("DELETE", "/c/a")
    new.request("DELETE", "/c")
    assert account_command(store, "remove", "managed").returncode == 0
    assert new.request("HEAD").status_code == 401
    assert "managed" not in [row["name"] for row in store.json("GET", "/_godwit/objects")["accounts"]]


def test_accounts_are_for_administrators(store, ana):
    for method, path in [("GET", ""), ("PUT", "/x"), ("GET", "/ana"), ("POST", "/ana/key"), ("DELETE", "/ana")]:
        answer = requests.request(method, f"{store.url}/_godwit/objects{path}", json={}, timeout=30)
        assert answer.status_code == 401 and set(answer.json()) == {"error", "reason"}


def test_a_full_quota(store):
    small = add_account(store, quota=MB)
    swift, s3 = Swift(store, small), s3_of(store, small)
    assert swift.request("PUT", "/c").status_code == 201
    put(swift, "/c/a", b"x" * (MB - 100))
    put(swift, "/c/b", b"x" * 200, status=413)
    refused("QuotaExceeded", s3.put_object, Bucket="c", Key="b", Body=b"x" * 200)
    # The space of a deleted object is free at once.
    s3.delete_object(Bucket="c", Key="a")
    put(swift, "/c/b", b"x" * 200)


def test_other_accounts_and_no_token(store, ana, ben, swift, box):
    put(swift, f"/{box}/a")
    theirs = Swift(store, ana, token_of(store, ben))
    for token, status in ((theirs.token, 403), ("", 401), ("wrong", 401)):
        for method, path in [("GET", ""), ("GET", f"/{box}"), ("GET", f"/{box}/a"), ("PUT", f"/{box}/b"), ("POST", ""),
                             ("DELETE", f"/{box}/a"), ("PUT", "/new")]:
            assert Swift(store, ana, token).request(method, path).status_code == status, (token, method, path)
    assert names_in(swift.request("GET", f"/{box}")) == ["a"]
    answer = requests.get(f"{swift.url}/{box}/a", auth=ADMIN, timeout=30)
    assert answer.status_code == 200 and answer.content == b"x"


# Containers and objects with swiftclient


def test_account_and_container_metadata(client):
    name = new_name("c")
    client.post_account({"X-Account-Meta-Owner": "Ana"})
    assert client.head_account()["x-account-meta-owner"] == "Ana"
    client.put_container(name, {"X-Container-Meta-Kind": "photos"})
    client.put_object(name, "a", b"12345")
    head = client.head_container(name)
    assert head["x-container-meta-kind"] == "photos"
    assert (head["x-container-object-count"], head["x-container-bytes-used"]) == ("1", "5")
    client.post_container(name, {"X-Container-Meta-Kind": "", "X-Container-Meta-Place": "Husum"})
    head = client.head_container(name)
    assert "x-container-meta-kind" not in head and head["x-container-meta-place"] == "Husum"
    _, listed = client.get_account(full_listing=True)
    assert {"name": name, "count": 1, "bytes": 5}.items() <= [row for row in listed if row["name"] == name][0].items()
    with pytest.raises(swiftclient.ClientException) as error:
        client.delete_container(name)
    assert error.value.http_status == 409
    client.delete_object(name, "a")
    client.delete_container(name)
    for call in (client.head_container, client.delete_container, lambda name: client.put_object(name, "a", b"")):
        with pytest.raises(swiftclient.ClientException) as error:
            call(name)
        assert error.value.http_status == 404


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_names_of_all_kinds(client, box, name):
    etag = client.put_object(box, name, BODY, content_type="image/jpeg", headers={"X-Object-Meta-Place": "Husum"})
    head, body = client.get_object(box, name)
    assert body == BODY and head["etag"] == etag == hashlib.md5(BODY).hexdigest()
    assert head["content-type"] == "image/jpeg" and head["x-object-meta-place"] == "Husum"
    _, [row] = client.get_container(box)
    assert (row["name"], row["bytes"], row["hash"], row["content_type"]) == (name, 1024, etag, "image/jpeg")
    client.copy_object(box, name, f"/{box}/copy")
    client.delete_object(box, name)
    assert [row["name"] for row in client.get_container(box)[1]] == ["copy"]


def test_what_one_protocol_stores_the_other_reads(store, ana, ours, client, box):
    client.put_object(box, "ä b", BODY, content_type="a/b", headers={"X-Object-Meta-Place": "Husum"})
    answer = ours.get_object(Bucket=box, Key="ä b")
    assert (answer["Body"].read(), answer["ContentType"], answer["Metadata"]) == (BODY, "a/b", {"place": "Husum"})
    ours.put_object(Bucket=box, Key="s3", Body=b"two", Metadata={"n": "1"})
    head, body = client.get_object(box, "s3")
    assert body == b"two" and head["x-object-meta-n"] == "1"
    assert box in [row["Name"] for row in ours.list_buckets()["Buckets"]]


@pytest.mark.parametrize("dynamic", [False, True], ids=["slo", "dlo"])
def test_a_large_object_by_segments(store, ana, tmp_path, dynamic):
    content, box = os.urandom(5 * MB + 1), new_name("c")
    (tmp_path / "big").write_bytes(content)
    with SwiftService(swift_options(store, ana)) as service:
        options = {"segment_size": MB, "use_slo": not dynamic, "segment_container": box + "-parts"}
        rows = list(service.upload(box, [SwiftUploadObject(str(tmp_path / "big"), object_name="big")], options))
        assert all(row["success"] for row in rows), rows
    client = swift_of(store, ana)
    head, body = client.get_object(box, "big")
    assert body == content and len(client.get_container(box + "-parts")[1]) == 6
    assert client.get_object(box, "big", headers={"Range": f"bytes={MB - 2}-{MB + 1}"})[1] == content[MB - 2:MB + 2]
    assert "x-object-manifest" in head if dynamic else head["x-static-large-object"].lower() == "true"
    with SwiftService(swift_options(store, ana)) as service:
        assert all(row["success"] for row in service.delete(box, ["big"]))
    assert client.get_container(box + "-parts")[1] == []


# Plain requests


def test_bluepic_makes_a_public_container_and_stores_a_photo(swift):
    name = new_name("photos")
    assert [swift.request("PUT", f"/{name}").status_code for _ in range(2)] == [201, 202]
    for header in ({"X-Container-Meta-Web-Listings": "true"}, {"X-Container-Read": ".r:*,.rlistings"}):
        assert swift.request("POST", f"/{name}", headers=header).status_code == 204
    put(swift, f"/{name}/01-02-2016_101112.JPG", BODY, Content_Type="image/jpeg")
    answer = requests.get(f"{swift.url}/{name}/01-02-2016_101112.JPG", timeout=30)
    assert answer.content == BODY and answer.headers["Content-Type"] == "image/jpeg"
    assert "01-02-2016_101112.JPG" in requests.get(f"{swift.url}/{name}", timeout=30).text
    assert requests.put(f"{swift.url}/{name}/x", data=b"", timeout=30).status_code == 401


def test_web_listings_and_an_index(swift, box):
    headers = {"X-Container-Read": ".r:*,.rlistings", "X-Container-Meta-Web-Listings": "true"}
    assert swift.request("POST", f"/{box}", headers=headers).status_code == 204
    for name in ("a%3Cb%3E.txt", "folder/c.txt"):
        put(swift, f"/{box}/{name}", b"text")
    page = requests.get(f"{swift.url}/{box}/", headers={"Accept": "text/html"}, timeout=30)
    assert page.headers["Content-Type"].startswith("text/html") and "a&lt;b&gt;.txt" in page.text
    assert "folder/" in page.text and "folder/c.txt" not in page.text and "a<b>" not in page.text
    assert "c.txt" in requests.get(f"{swift.url}/{box}/folder/", headers={"Accept": "text/html"}, timeout=30).text
    put(swift, f"/{box}/index.html", b"<p>Hello", Content_Type="text/html")
    assert swift.request("POST", f"/{box}", headers={"X-Container-Meta-Web-Index": "index.html"}).status_code == 204
    assert requests.get(f"{swift.url}/{box}/", timeout=30).content == b"<p>Hello"


def test_listings(swift, box):
    names = ["a", "b", "d0/x", "d1/x", "d1/y", "ü", "\U00010000"]
    for name in names:
        put(swift, f"/{box}/{name}")

    def listed(**options):
        return names_in(swift.request("GET", f"/{box}", params=options))

    assert listed() == names and listed(reverse="true") == names[::-1]
    assert listed(prefix="d1/") == ["d1/x", "d1/y"] and listed(limit=2) == ["a", "b"]
    assert listed(marker="b", end_marker="d1/y") == ["d0/x", "d1/x"]
    assert listed(delimiter="/") == ["a", "b", "d0/", "d1/", "ü", "\U00010000"]
    assert listed(delimiter="/", limit=2, marker="d0/") == ["d1/", "ü"]
    rows = swift.request("GET", f"/{box}", params={"format": "json", "delimiter": "/"}).json()
    assert {"subdir": "d0/"} in rows and rows[0]["bytes"] == 1 and rows[0]["last_modified"]
    root = xml.etree.ElementTree.fromstring(swift.request("GET", f"/{box}?format=xml").content)
    assert root.tag == "container" and [row.text for row in root.iter("name")] == names
    assert swift.request("GET", f"/{box}?limit=10001").status_code == 412
    assert swift.request("GET", f"/{box}?prefix=none").status_code == 204


def test_conditions_and_ranges(swift, box):
    etag = put(swift, f"/{box}/a", BODY).headers["ETag"].strip('"')
    modified = swift.request("HEAD", f"/{box}/a").headers["Last-Modified"]
    for headers, status in [
        ({"If-None-Match": etag}, 304), ({"If-None-Match": '"no"'}, 200), ({"If-Match": '"no"'}, 412),
        ({"If-Match": etag}, 200), ({"If-Modified-Since": modified}, 304), ({"If-Unmodified-Since": modified}, 200),
        ({"Range": "bytes=2000-"}, 416), ({"Range": "bytes=-2"}, 206),
    ]:
        assert swift.request("GET", f"/{box}/a", headers=headers).status_code == status, headers
    answer = swift.request("GET", f"/{box}/a", headers={"Range": "bytes=10-19"})
    assert answer.content == BODY[10:20] and answer.headers["Content-Range"] == "bytes 10-19/1024"
    put(swift, f"/{box}/a", b"two", status=412, If_None_Match="*")
    put(swift, f"/{box}/a", b"two", status=422, ETag=hashlib.md5(b"other").hexdigest())
    assert swift.request("GET", f"/{box}/a").content == BODY


def test_metadata_is_replaced_by_post_and_copied(swift, box):
    put(swift, f"/{box}/a", BODY, Content_Type="a/b", X_Object_Meta_One="1")
    assert swift.request("POST", f"/{box}/a", headers={"X-Object-Meta-Two": "2"}).status_code == 202
    head = swift.request("HEAD", f"/{box}/a").headers
    assert "X-Object-Meta-One" not in head and head["X-Object-Meta-Two"] == "2" and head["Content-Type"] == "a/b"
    target = {"Destination": f"{box}/b%20b", "X-Object-Meta-Three": "3"}
    assert swift.request("COPY", f"/{box}/a", headers=target).status_code == 201
    put(swift, f"/{box}/c", b"", X_Copy_From=f"{box}/b%20b")
    answer = swift.request("GET", f"/{box}/c")
    assert answer.content == BODY
    assert (answer.headers["X-Object-Meta-Two"], answer.headers["X-Object-Meta-Three"]) == ("2", "3")
    put(swift, f"/{box}/d", b"", status=404, X_Copy_From=f"{box}/none")


def test_an_object_expires(swift, box):
    put(swift, f"/{box}/a", X_Delete_After="1")
    put(swift, f"/{box}/b", X_Delete_At=str(int(time.time()) + 1))
    put(swift, f"/{box}/c", X_Delete_After="1000")
    assert abs(int(swift.request("HEAD", f"/{box}/c").headers["X-Delete-At"]) - time.time() - 1000) < 5
    for name in "ab":
        eventually(lambda: swift.request("GET", f"/{box}/{name}").status_code == 404, seconds=5)
    eventually(lambda: names_in(swift.request("GET", f"/{box}")) == ["c"])
    put(swift, f"/{box}/d", status=400, X_Delete_At="1000")


def test_a_static_large_object_is_checked(swift, box):
    bodies = {f"/{box}/part0": BODY, f"/{box}/part1": b"end"}
    etags = [put(swift, path, body).headers["ETag"].strip('"') for path, body in bodies.items()]
    parts = [{"path": path, "etag": etag, "size_bytes": len(body)} for (path, body), etag in zip(bodies.items(), etags)]
    for change in ({"etag": etags[0]}, {"size_bytes": 4}, {"path": f"/{box}/none"}):
        put(swift, f"/{box}/big?multipart-manifest=put", json.dumps([parts[0], {**parts[1], **change}]), status=400)
    put(swift, f"/{box}/big?multipart-manifest=put", json.dumps(parts))
    answer = swift.request("GET", f"/{box}/big")
    assert answer.content == BODY + b"end"
    assert answer.headers["ETag"].strip('"') == hashlib.md5("".join(etags).encode()).hexdigest()
    rows = swift.request("GET", f"/{box}/big?multipart-manifest=get").json()
    assert [(row["name"], row["hash"], row["bytes"]) for row in rows] == [
        (f"/{box}/part0", etags[0], 1024), (f"/{box}/part1", etags[1], 3)]
    assert swift.request("DELETE", f"/{box}/big?multipart-manifest=delete").status_code == 200
    assert names_in(swift.request("GET", f"/{box}")) == []


@pytest.mark.parametrize("digest", ["sha1", "sha256", "sha512"])
def test_temporary_urls(store, ana, swift, box, digest):
    keys = {"X-Account-Meta-Temp-URL-Key": "first key", "X-Account-Meta-Temp-URL-Key-2": "second key"}
    assert swift.request("POST", headers=keys).status_code == 204
    path = f"/{box}/a b"
    for key in keys.values():
        url = temp_url(store, ana, key, "PUT", path, digest=digest)
        assert requests.put(url, data=BODY, timeout=30).status_code == 201
        url = temp_url(store, ana, key, "GET", path, digest=digest)
        answer = requests.get(url, timeout=30)
        assert answer.content == BODY and "attachment" in answer.headers["Content-Disposition"]
        assert requests.head(url, timeout=30).status_code == 200
        assert 'filename="c.jpg"' in requests.get(url + "&filename=c.jpg", timeout=30).headers["Content-Disposition"]
        assert requests.get(url + "&inline", timeout=30).headers["Content-Disposition"].startswith("inline")
        prefix = {"signed_path": f"prefix:/v1/AUTH_ana/{box}/a", "temp_url_prefix": "a"}
        assert requests.get(temp_url(store, ana, key, "GET", path, digest=digest, **prefix), timeout=30).content == BODY
        outside = temp_url(store, ana, key, "GET", f"/{box}/other", digest=digest, **prefix)
        expired = temp_url(store, ana, key, "GET", path, digest=digest, seconds=-1)
        wrong = temp_url(store, ana, "no key", "GET", path, digest=digest)
        for bad in (outside, expired, wrong, url.replace("a%20b", "a%20c"), url.replace("expires=1", "expires=2")):
            assert requests.get(bad, timeout=30).status_code == 401, bad
        for method in ("PUT", "DELETE", "POST"):
            assert requests.request(method, url, data=b"no", timeout=30).status_code == 401
    assert swift.request("GET", f"/{box}/a%20b").content == BODY


def test_clients_read_which_features_there_are(store, ana):
    found = swift_of(store, ana).get_capabilities()
    assert found["slo"]["max_manifest_segments"] == 1_000 and "sha256" in found["tempurl"]["allowed_digests"]
    assert requests.get(f"{store.url}/info", timeout=10).json() == found
