"""Lists of buckets by pages, and lists of unfinished uploads with a delimiter (issue 55, 3)."""

import pytest

from objectstores import Request, add_account, code_of, new_name, objects_server, refused, s3_of, store


@pytest.fixture(scope="module")
def account(store):
    return add_account(store)


@pytest.fixture(scope="module")
def client(store, account):
    """A client of an account with four buckets and no others."""
    client = s3_of(store, account)
    for name in ("alpha", "beta-1", "beta-2", "beta-3"):
        client.create_bucket(Bucket=name)
    return client


def names(answer):
    return [bucket["Name"] for bucket in answer["Buckets"]]


def test_buckets_with_a_prefix(client):
    answer = client.list_buckets(Prefix="beta-")
    assert (names(answer), answer["Prefix"]) == (["beta-1", "beta-2", "beta-3"], "beta-") and "ContinuationToken" not in answer
    assert names(client.list_buckets(Prefix="gamma")) == [] and len(names(client.list_buckets())) == 4


@pytest.mark.parametrize("count", [1, 2, 3, 4, 10_000])
def test_buckets_by_pages(client, count):
    pages = list(client.get_paginator("list_buckets").paginate(MaxBuckets=count, PaginationConfig={"PageSize": count}))
    assert [name for page in pages for name in names(page)] == ["alpha", "beta-1", "beta-2", "beta-3"]
    assert len(pages) == -(-4 // count)
    pages = list(client.get_paginator("list_buckets").paginate(Prefix="beta", PaginationConfig={"PageSize": count}))
    assert [name for page in pages for name in names(page)] == ["beta-1", "beta-2", "beta-3"]


def test_a_bad_page_of_buckets(store, account, client):
    for count in ("0", "-1", "10001", "9" * 30, "", "a"):
        assert code_of(Request("GET", "", [("max-buckets", count)]).sign(account).send(store)) == "InvalidArgument"
    refused("InvalidArgument", client.list_buckets, ContinuationToken="*")


def test_buckets_of_a_region(client):
    assert len(names(client.list_buckets(BucketRegion="us-east-1"))) == 4
    assert names(client.list_buckets(BucketRegion="eu-west-1")) == []


KEYS = ["a/1", "a/2", "a/2", "a/b/3", "a/\U0010ffff", "b", "b", "c/d", "z", "é/1"]


@pytest.fixture(scope="module")
def bucket(client):
    name = new_name()
    client.create_bucket(Bucket=name)
    for key in KEYS:
        client.create_multipart_upload(Bucket=name, Key=key)
    yield name


def pages(client, bucket, **options):
    """The keys and common prefixes of each page. The markers are those of the server."""
    found, markers = [], {}
    while len(found) < 30:
        answer = client.list_multipart_uploads(Bucket=bucket, **options, **markers)
        found.append(([row["Key"] for row in answer.get("Uploads", [])],
                      [row["Prefix"] for row in answer.get("CommonPrefixes", [])]))
        if not answer["IsTruncated"]:
            return found
        markers = {"KeyMarker": answer["NextKeyMarker"], "UploadIdMarker": answer.get("NextUploadIdMarker", "")}
    raise AssertionError(found)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 6, 7, 1000])
@pytest.mark.parametrize("prefix, delimiter, keys, prefixes", [
    ("", "/", ["b", "b", "z"], ["a/", "c/", "é/"]), ("a/", "/", ["a/1", "a/2", "a/2", "a/\U0010ffff"], ["a/b/"]),
    ("a", "/", [], ["a/"]), ("", "", KEYS, []), ("none", "/", [], []), ("c/d", "/", ["c/d"], []), ("", "/b/", sorted(
        set(KEYS) - {"a/b/3"} | {"a/2", "b"}, key=str.encode), ["a/b/"])])
def test_uploads_with_a_delimiter(client, bucket, count, prefix, delimiter, keys, prefixes):
    found = pages(client, bucket, MaxUploads=count, Prefix=prefix, Delimiter=delimiter)
    listed = [key for page in found for key in page[0]]
    assert (listed if delimiter != "/b/" else sorted(set(listed), key=str.encode)) == keys
    assert [name for page in found for name in page[1]] == prefixes
    assert all(len(page[0]) + len(page[1]) <= count for page in found)


def test_no_uploads_are_asked_for(client, bucket):
    answer = client.list_multipart_uploads(Bucket=bucket, MaxUploads=0, Delimiter="/")
    assert not answer["IsTruncated"] and "Uploads" not in answer and answer["Delimiter"] == "/"
