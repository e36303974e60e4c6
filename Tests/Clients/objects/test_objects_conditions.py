"""No request of an object deletes or changes one whose condition is not met, and none does half of what it says (issue 55, 3)."""

import datetime
import json

import pytest
import requests

from objectstores import (
    Request, add_account, ana, credentials, new_name, objects_server, our_bucket, ours, refused, s3_of, store, token_of)

OLD, DATE, FAR = '"0123456789abcdef0123456789abcdef"', "Sun, 06 Nov 1994 08:49:37 GMT", "Fri, 01 Jan 2100 00:00:00 GMT"


@pytest.fixture
def key(ours, our_bucket):
    """An object that must stay as it is."""
    name = new_name("k")
    tag = ours.put_object(Bucket=our_bucket, Key=name, Body=b"first")["ETag"]
    yield name
    ours.meta.events.unregister("before-sign.s3", unique_id="headers")
    answer = ours.get_object(Bucket=our_bucket, Key=name)
    assert answer["Body"].read() == b"first" and answer["ETag"] == tag and answer["Metadata"] == {}


def with_header(client, headers):
    """The client's next requests have these headers; they are signed."""
    def add(request, **_):
        for name, value in headers.items():
            request.headers[name] = value
    client.meta.events.register_first("before-sign.s3", add, unique_id="headers")


def with_query(client, query):
    """The client's next requests have these parameters; they are signed."""
    def add(request, **_):
        request.url += "?" + query
    client.meta.events.register_first("before-sign.s3", add, unique_id="headers")


@pytest.mark.parametrize("headers", [{"If-Match": OLD}, {"If-Unmodified-Since": DATE}, {"If-None-Match": "*"}])
@pytest.mark.parametrize("operation", ["put", "delete", "complete"])
def test_a_condition_of_s3_that_is_not_met_changes_nothing(ours, our_bucket, key, headers, operation):
    upload = ours.create_multipart_upload(Bucket=our_bucket, Key=key)["UploadId"]
    part = ours.upload_part(Bucket=our_bucket, Key=key, UploadId=upload, PartNumber=1, Body=b"second")["ETag"]
    with_header(ours, headers)
    calls = {"put": lambda: ours.put_object(Bucket=our_bucket, Key=key, Body=b"second"),
             "delete": lambda: ours.delete_object(Bucket=our_bucket, Key=key),
             "complete": lambda: ours.complete_multipart_upload(
                 Bucket=our_bucket, Key=key, UploadId=upload, MultipartUpload={"Parts": [{"PartNumber": 1, "ETag": part}]})}
    refused("PreconditionFailed", calls[operation])


def test_conditions_of_each_object_of_a_deletion(ours, our_bucket, key):
    tag = ours.head_object(Bucket=our_bucket, Key=key)["ETag"]
    other = new_name("k")
    other_tag = ours.put_object(Bucket=our_bucket, Key=other, Body=b"12")["ETag"]
    other_time = ours.head_object(Bucket=our_bucket, Key=other)["LastModified"]
    modified = ours.head_object(Bucket=our_bucket, Key=key)["LastModified"]
    for condition in ({"ETag": OLD}, {"Size": 4}, {"LastModifiedTime": modified - datetime.timedelta(days=1)}, {"ETag": tag, "Size": 4}, {"VersionId": "1"}):
        answer = ours.delete_objects(Bucket=our_bucket, Delete={"Objects": [{"Key": key, **condition}]})
        assert len(answer["Errors"]) == 1 and "Deleted" not in answer, answer
    answer = ours.delete_objects(Bucket=our_bucket, Delete={"Objects": [{"Key": other, "ETag": other_tag, "Size": 2, "LastModifiedTime": other_time}]})
    assert [row["Key"] for row in answer["Deleted"]] == [other]


@pytest.mark.parametrize("operation", ["put_object", "delete_object", "get_object", "head_object"])
def test_a_bucket_of_another_owner_is_refused(ours, our_bucket, key, operation):
    body = {"Body": b"second"} if operation == "put_object" else {}
    codes = "403" if operation == "head_object" else "AccessDenied"
    refused(codes, getattr(ours, operation), Bucket=our_bucket, Key=key, ExpectedBucketOwner="111122223333", **body)


def test_a_write_at_an_offset_does_not_replace_the_object(ours, our_bucket, key):
    with_header(ours, {"x-amz-write-offset-bytes": "5"})
    refused("NotImplemented", ours.put_object, Bucket=our_bucket, Key=key, Body=b"second")


@pytest.mark.parametrize("operation", ["get_object", "put_object"])
def test_keys_of_customers_are_refused(ours, our_bucket, key, operation):
    body = {"Body": b"second"} if operation == "put_object" else {}
    refused("NotImplemented", getattr(ours, operation), Bucket=our_bucket, Key=key, SSECustomerAlgorithm="AES256",
            SSECustomerKey="k" * 32, **body)


@pytest.mark.parametrize("field, value, status", [
    ("tagging", "<Tagging/>", 501), ("acl", "public-read", 400), ("x-amz-server-side-encryption", "AES256", 501),
    ("x-amz-storage-class", "GLACIER", 400), ("x-amz-object-lock-mode", "GOVERNANCE", 501), ("x-amz-website-redirect-location", "/a", 501),
    ("x-amz-expected-bucket-owner", "111122223333", 403), ("x-amz-write-offset-bytes", "3", 501)])
def test_a_form_asks_for_nothing_that_is_not_there(ours, our_bucket, key, field, value, status):
    form = ours.generate_presigned_post(our_bucket, key, Fields={field: value}, Conditions=[{field: value}])
    answer = requests.post(form["url"], data=form["fields"], files={"file": b"second"}, timeout=30)
    assert answer.status_code == status, answer.text


def test_a_bucket_is_not_made_without_its_lock(ours):
    name = new_name("lock")
    refused("NotImplemented", ours.create_bucket, Bucket=name, ObjectLockEnabledForBucket=True)
    refused("404", ours.head_bucket, Bucket=name)


def test_a_part_or_a_range_does_not_replace_the_object(ours, our_bucket, key):
    url = ours.generate_presigned_url("upload_part", {"Bucket": our_bucket, "Key": key, "PartNumber": 1, "UploadId": "x"})
    assert requests.put(url, data=b"second", timeout=30).status_code == 404
    with_query(ours, "partNumber=1")
    refused("InvalidArgument", ours.put_object, Bucket=our_bucket, Key=key, Body=b"second")


def test_a_range_of_an_object_is_not_the_object(ours, our_bucket, key):
    with_header(ours, {"Content-Range": "bytes 0-1/5"})
    refused("NotImplemented", ours.put_object, Bucket=our_bucket, Key=key, Body=b"second")


@pytest.mark.parametrize("header, value, code", [
    ("x-amz-metadata-directive", "KEEP", "InvalidArgument"), ("x-amz-copy-source-range", "bytes=0-1", "NotImplemented")])
def test_a_copy_does_what_its_headers_say_or_nothing(ours, our_bucket, key, header, value, code):
    other = new_name("k")
    ours.put_object(Bucket=our_bucket, Key=other, Body=b"12")
    with_header(ours, {header: value})
    refused(code, ours.copy_object, Bucket=our_bucket, Key=key, CopySource={"Bucket": our_bucket, "Key": other})


class Swift:
    def __init__(self, store, account, container):
        self.root = f"{store.url}/v1/AUTH_{account.name}/{container}"
        self.headers = {"X-Auth-Token": token_of(store, account)}
        assert requests.put(self.root, headers=self.headers, timeout=30).ok

    def ask(self, method, path="", headers=None, **options):
        return requests.request(method, self.root + path, headers={**self.headers, **(headers or {})}, timeout=30, **options)


@pytest.fixture
def swift(store, ana):
    swift = Swift(store, ana, new_name("c"))
    assert swift.ask("PUT", "/kept", data=b"first").status_code == 201
    yield swift
    answer = swift.ask("GET", "/kept")
    assert answer.content == b"first" and "X-Object-Meta-Colour" not in answer.headers


@pytest.mark.parametrize("headers", [{"If-Match": OLD}, {"If-Unmodified-Since": DATE}])
@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "COPY"])
def test_a_condition_of_swift_that_is_not_met_changes_nothing(swift, method, headers):
    answer = swift.ask(method, "/kept", {**headers, "X-Object-Meta-Colour": "red", "Destination": "/" + swift.root.rsplit("/", 1)[1] + "/copy"},
                       data=b"second" if method == "PUT" else None)
    assert answer.status_code == 412, answer.text
    assert swift.ask("HEAD", "/copy").status_code == 404


def test_conditions_that_are_met(swift):
    tag = swift.ask("PUT", "/gone", data=b"1").headers["ETag"]
    assert swift.ask("POST", "/gone", {"If-Match": tag, "X-Object-Meta-A": "1"}).status_code == 202
    assert swift.ask("DELETE", "/gone", {"If-Match": f'"{tag}"', "If-Unmodified-Since": DATE}).status_code == 204, "If-Match decides"
    assert swift.ask("PUT", "/gone", {"If-None-Match": "*"}, data=b"2").status_code == 201
    assert swift.ask("DELETE", "/gone", {"If-Unmodified-Since": FAR}).status_code == 204
    assert swift.ask("DELETE", "/gone", {"If-Unmodified-Since": "yesterday"}).status_code == 412


@pytest.mark.parametrize("method, query, headers", [
    ("PUT", "?extract-archive=tar", {}), ("PUT", "", {"X-Versions-Location": "old"}),
    ("POST", "", {"X-History-Location": "old"}), ("PUT", "/link", {"X-Symlink-Target": "c/kept"}),
    ("DELETE", "/kept?version-id=1234.5", {}), ("PUT", "/kept?version-id=1234.5", {}), ("GET", "/kept?version-id=1234.5", {}),
    ("COPY", "/kept", {"Destination": "c/copy", "Destination-Account": "AUTH_tern"}), ("PUT", "/kept", {"Content-Range": "bytes 0-1/5"}),
    ("PUT", "/kept", {"X-Copy-From": "c/kept", "X-Copy-From-Account": "AUTH_tern"}), ("PUT", "", {"X-Storage-Policy": "gold"}),
    ("PUT", "", {"X-Container-Sync-To": "//a/b/c"}), ("PUT", "", {"X-Container-Sync-Key": "a"}), ("POST", "", {"X-Account-Access-Control": "{}"})])
def test_features_of_swift_that_are_not_there_are_named(swift, method, query, headers):
    answer = swift.ask(method, query, headers, data=b"kept")
    assert answer.status_code == 501 and "not supported" in answer.text, answer.text


# Every route that may change something


class World:
    """A server with an account, of which nothing may change, and requests that would change it."""

    def __init__(self, server):
        self.server, self.account, self.box = server, add_account(server, "ana"), "kept-box"
        self.s3 = s3_of(server, self.account)
        self.s3.create_bucket(Bucket=self.box)
        self.s3.create_bucket(Bucket="empty-box")
        self.swift = {"X-Auth-Token": token_of(server, self.account)}
        self.spare = token_of(server, self.account)
        self.url = f"{server.url}/v1/AUTH_ana"
        for name in ("kept", "other", "segment"):
            assert requests.put(f"{self.url}/{self.box}/{name}", headers=self.swift, data=name, timeout=30).status_code == 201
        manifest = json.dumps([{"path": f"/{self.box}/segment"}])
        assert requests.put(f"{self.url}/{self.box}/large?multipart-manifest=put", headers=self.swift, data=manifest, timeout=30).ok
        rule = {"AllowedOrigins": ["*"], "AllowedMethods": ["GET"]}
        self.s3.put_bucket_cors(Bucket=self.box, CORSConfiguration={"CORSRules": [rule]})
        self.upload = self.s3.create_multipart_upload(Bucket=self.box, Key="kept")["UploadId"]
        self.part = self.s3.upload_part(Bucket=self.box, Key="kept", UploadId=self.upload, PartNumber=1, Body=b"1")["ETag"]
        add_account(server, "ben")

    def state(self):
        """Everything that a client could change."""
        found = [self.server.json("GET", "/_godwit/objects"), requests.head(self.url, headers=self.swift, timeout=30).headers["X-Timestamp"]]
        for token in (self.swift["X-Auth-Token"], self.spare):
            answer = requests.get(self.url + "?format=json", headers={"X-Auth-Token": token}, timeout=30)
            found += [answer.json(), {name: value for name, value in answer.headers.items() if name.startswith("X-Account")}]
        for box in (self.box, "empty-box"):
            answer = requests.get(f"{self.url}/{box}?format=json", headers=self.swift, timeout=30)
            found += [answer.json(), {name: value for name, value in answer.headers.items() if name.startswith("X-Container")}]
        for name in ("kept", "other", "segment", "large"):
            answer = requests.get(f"{self.url}/{self.box}/{name}", headers=self.swift, timeout=30)
            found += [answer.content, {name: value for name, value in answer.headers.items() if name.startswith("X-Object") or name == "Last-Modified"}]
        found.append(self.s3.get_bucket_cors(Bucket=self.box)["CORSRules"])
        found.append([row["UploadId"] for row in self.s3.list_multipart_uploads(Bucket=self.box)["Uploads"]])
        found.append([(row["ETag"], row["LastModified"]) for row in self.s3.list_parts(Bucket=self.box, Key="kept", UploadId=self.upload)["Parts"]])
        return found

    def signed(self, method, path, query=(), body=b"", **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return lambda condition: Request(method, path, query, {**headers, **condition}, body).sign(self.account).send(self.server).status

    def plain(self, method, path, headers=None, data=None, **options):
        return lambda condition: requests.request(
            method, self.server.url + path, headers={**(headers or {}), **condition}, data=data, timeout=30, **options).status_code

    def of_swift(self, method, path, data=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.plain(method, "/v1/AUTH_ana" + path, {**self.swift, **headers}, data)

    def of_administrator(self, method, path, body=None):
        return lambda condition: self.server.request(method, "/_godwit/objects" + path, json=body, headers=condition).status_code

    def form(self):
        form = self.s3.generate_presigned_post(self.box, "kept")
        return lambda condition: requests.post(
            form["url"], data=form["fields"], files={"file": ("a", b"second")}, headers=condition, timeout=30).status_code

    def requests(self):
        """For each route of object storage that may change something, requests that would do so without a condition."""
        box, kept = f"/{self.box}", f"/{self.box}/kept"
        parts = f'<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>{self.part}</ETag></Part></CompleteMultipartUpload>'.encode()
        keys = b"<Delete><Object><Key>kept</Key></Object></Delete>"
        cors = b"<CORSConfiguration><CORSRule><AllowedOrigin>a</AllowedOrigin><AllowedMethod>PUT</AllowedMethod></CORSRule></CORSConfiguration>"
        upload, part = ("uploadId", self.upload), ("partNumber", "1")
        login = json.dumps(credentials(self.account))
        manifest = json.dumps([{"path": f"{box}/other"}])
        return {
            "PUT /_s3": [self.signed("PUT", "")], "POST /_s3": [self.signed("POST", "")], "DELETE /_s3": [self.signed("DELETE", "")],
            "PUT /_s3/{bucket}": [
                self.signed("PUT", "/new-box"), self.signed("PUT", box, [("cors", "")], cors),
                self.signed("PUT", box, [("acl", "")], x_amz_acl="public-read")],
            "POST /_s3/{bucket}": [self.signed("POST", box, [("delete", "")], keys), self.form()],
            "DELETE /_s3/{bucket}": [self.signed("DELETE", "/empty-box"), self.signed("DELETE", box, [("cors", "")])],
            "PUT /_s3/{bucket}/{key...}": [
                self.signed("PUT", kept, body=b"second"), self.signed("PUT", kept, x_amz_copy_source=f"{box}/other"),
                self.signed("PUT", kept, [part, upload], b"second"),
                self.signed("PUT", kept, [part, upload], x_amz_copy_source=f"{box}/other")],
            "POST /_s3/{bucket}/{key...}": [self.signed("POST", kept, [("uploads", "")]), self.signed("POST", kept, [upload], parts)],
            "DELETE /_s3/{bucket}/{key...}": [self.signed("DELETE", kept), self.signed("DELETE", kept, [upload])],
            "PUT /v1/{account}": [self.of_swift("PUT", "", X_Account_Meta_A="1")],
            "POST /v1/{account}": [self.of_swift("POST", "", X_Account_Meta_A="1"), self.of_swift("POST", "?bulk-delete", f"{kept}\n")],
            "DELETE /v1/{account}": [self.of_swift("DELETE", ""), self.of_swift("DELETE", "?bulk-delete", f"{kept}\n")],
            "PUT /v1/{account}/{container}": [self.of_swift("PUT", "/new-box"), self.of_swift("PUT", box, X_Container_Meta_A="1")],
            "POST /v1/{account}/{container}": [self.of_swift("POST", box, X_Container_Meta_A="1"), self.of_swift("POST", box + "?bulk-delete", f"{kept}\n")],
            "DELETE /v1/{account}/{container}": [self.of_swift("DELETE", "/empty-box")],
            "PUT /v1/{account}/{container}/{object...}": [
                self.of_swift("PUT", kept, "second"), self.of_swift("PUT", kept, "", X_Copy_From=f"{box}/other"),
                self.of_swift("PUT", kept + "?multipart-manifest=put", manifest), self.of_swift("PUT", kept, "", X_Object_Manifest="a/b")],
            "POST /v1/{account}/{container}/{object...}": [
                self.of_swift("POST", kept, X_Object_Meta_A="1"), self.of_swift("POST", kept + "?bulk-delete", f"{kept}\n")],
            "DELETE /v1/{account}/{container}/{object...}": [
                self.of_swift("DELETE", kept), self.of_swift("DELETE", f"{box}/large?multipart-manifest=delete")],
            "COPY /v1/{account}/{container}/{object...}": [self.of_swift("COPY", f"{box}/other", Destination=kept)],
            "POST /v3/auth/tokens": [self.plain("POST", "/v3/auth/tokens", {"Content-Type": "application/json"}, login)],
            "DELETE /v3/auth/tokens": [self.plain("DELETE", "/v3/auth/tokens", {**self.swift, "X-Subject-Token": self.spare})],
            "PUT /_godwit/objects/{account}": [self.of_administrator("PUT", "/new", {})],
            "POST /_godwit/objects/{account}": [self.of_administrator("POST", "/ana", {"quota": 10 ** 9})],
            "DELETE /_godwit/objects/{account}": [self.of_administrator("DELETE", "/ben")],
            "POST /_godwit/objects/{account}/key": [self.of_administrator("POST", "/ana/key")],
        }


def test_no_route_ignores_a_condition(tmp_path):
    server = objects_server(tmp_path / "data")
    world = World(server)
    table = server.json("GET", "/_godwit/routes")["routes"]
    known = {f"{route['method']} {route['path']}" for route in table
             if route["path"].split("/")[1] in ("_s3", "v1", "v3") or route["path"].startswith("/_godwit/objects")}
    unsafe = {route for route in known if route.split()[0] not in ("GET", "HEAD", "OPTIONS")}
    calls = world.requests()
    assert unsafe == set(calls), "add a request for each new route"
    before, faults = world.state(), []
    for route, variants in calls.items():
        for number, call in enumerate(variants):
            for condition in ({"if-match": OLD}, {"if-none-match": "*"}, {"if-unmodified-since": DATE}, {"if-unmodified-since": "x"}):
                status = call(condition)
                if status < 400 or world.state() != before:
                    faults.append((route, number, condition, status))
                    before = world.state()
    assert not faults, "\n".join(map(str, faults))
    # Without a condition, each of them does what it says.
    for route, call in [("POST /v1/{account}", 1), ("PUT /_s3/{bucket}", 0), ("PUT /_godwit/objects/{account}", 0)]:
        assert calls[route][call]({}) < 300, route
    server.stop()
