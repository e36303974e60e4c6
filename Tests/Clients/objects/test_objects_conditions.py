"""No request of an object deletes or changes one whose condition is not met, and none does half of what it says (issue 55, 3)."""

import datetime

import pytest
import requests

from objectstores import ana, new_name, our_bucket, ours, refused, store, swift_of, timestamp, token_of

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
    ("POST", "?bulk-delete", {}), ("PUT", "?extract-archive=tar", {}), ("PUT", "", {"X-Versions-Location": "old"}),
    ("POST", "", {"X-History-Location": "old"}), ("PUT", "/link", {"X-Symlink-Target": "c/kept"})])
def test_features_of_swift_that_are_not_there_are_named(swift, method, query, headers):
    answer = swift.ask(method, query, headers, data=b"kept")
    assert answer.status_code == 501 and "not supported" in answer.text, answer.text
