"""Checksums that a client sends are compared with the bytes, kept, and given back (issue 55, 3)."""

import base64
import hashlib
import os

import pytest
import requests

from objectstores import MB, Swift, ana, checksum, new_name, our_bucket, ours, refused, store

BODY = bytes(range(256)) * 4
# By the package xxhash 3.6; boto3 itself computes it only with awscrt.
XXHASH64 = {b"": "70bbN1HY6Zk=", b"abc": "RLws9a13CZk=", BODY: "bzkU8Y/k31c="}
CRCS = ["CRC32", "CRC32C", "CRC64NVME"]
KINDS = [*CRCS, "SHA1", "SHA256", "SHA512", "MD5", "XXHASH64"]
WRONG = {"CRC32": 4, "CRC32C": 4, "CRC64NVME": 8, "SHA1": 20, "SHA256": 32, "SHA512": 64, "MD5": 16, "XXHASH64": 8}


def right(kind, data):
    if kind == "XXHASH64":
        return XXHASH64[data]
    if kind in ("MD5", "SHA512"):
        return base64.b64encode(hashlib.new(kind.lower(), data).digest()).decode()
    return checksum(kind, data)


def wrong(kind):
    return base64.b64encode(bytes(WRONG[kind])).decode()


def composite(kind, *parts):
    digests = b"".join(base64.b64decode(right(kind, part)) for part in parts)
    return f"{right(kind, digests)}-{len(parts)}"


@pytest.fixture
def here(our_bucket):
    return {"Bucket": our_bucket, "Key": new_name("k")}


def headers(client, **values):
    """The client's next requests have these headers; they are signed."""
    def add(request, **_):
        for name, value in values.items():
            del request.headers[name.replace("_", "-")]
            request.headers[name.replace("_", "-")] = value
    client.meta.events.unregister("before-sign.s3", unique_id="headers")
    client.meta.events.register_first("before-sign.s3", add, unique_id="headers")


@pytest.fixture
def client(ours):
    yield ours
    ours.meta.events.unregister("before-sign.s3", unique_id="headers")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("body", [b"", b"abc", BODY], ids=["empty", "short", "long"])
def test_a_checksum_of_an_object(client, here, kind, body):
    answer = client.put_object(**here, Body=body, **{f"Checksum{kind}": right(kind, body)})
    assert answer[f"Checksum{kind}"] == right(kind, body)
    for read in (client.head_object, client.get_object):
        answer = read(**here, ChecksumMode="ENABLED")
        assert (answer[f"Checksum{kind}"], answer["ChecksumType"]) == (right(kind, body), "FULL_OBJECT")
    answer = client.get_object_attributes(**here, ObjectAttributes=["Checksum", "ObjectSize", "ETag", "ObjectParts"])
    assert answer["Checksum"] == {f"Checksum{kind}": right(kind, body), "ChecksumType": "FULL_OBJECT"}
    assert (answer["ObjectSize"], answer["ETag"]) == (len(body), hashlib.md5(body).hexdigest()) and "ObjectParts" not in answer
    refused("BadDigest", client.put_object, **here, Body=body + b"!", **{f"Checksum{kind}": right(kind, body)})
    assert client.get_object(**here)["Body"].read() == body


@pytest.mark.parametrize("name", ["XXHASH3", "XXHASH128", "BLAKE3"])
def test_an_algorithm_that_is_not_there_is_named(client, here, name):
    codes = "InvalidRequest" if name == "BLAKE3" else "NotImplemented"
    headers(client, **{f"x_amz_checksum_{name.lower()}": "AAAAAAAAAAA="})
    assert name in refused(codes, client.put_object, **here, Body=b"abc")["Error"]["Message"].upper()
    headers(client, x_amz_checksum_algorithm=name)
    assert name in refused(codes, client.create_multipart_upload, **here)["Error"]["Message"].upper()
    refused("404", client.head_object, **here)


def test_two_checksums_are_refused(client, here):
    headers(client, x_amz_checksum_md5=right("MD5", b"abc"))
    refused("InvalidRequest", client.put_object, **here, Body=b"abc", ChecksumCRC32=right("CRC32", b"abc"))


# Uploads in parts


PARTS = [os.urandom(5 * MB), os.urandom(5 * MB + 1), b"end"]


def begin(client, here, kind=None, coverage=None, bodies=PARTS):
    """An upload whose parts are stored: the fields of its requests, and its parts with their checksums."""
    options = {"ChecksumAlgorithm": kind} if kind else {}
    answer = client.create_multipart_upload(**here, **options, **({"ChecksumType": coverage} if coverage else {}))
    fields = {**here, "UploadId": answer["UploadId"]}
    parts = []
    for number, body in enumerate(bodies, 1):
        sent = {f"Checksum{kind}": right(kind, body)} if kind else {}
        answer = client.upload_part(**fields, PartNumber=number, Body=body, **sent)
        if kind:
            assert answer[f"Checksum{kind}"] == right(kind, body)
        parts.append({"PartNumber": number, "ETag": answer["ETag"], **sent})
    return fields, parts


def complete(client, fields, parts, **options):
    return client.complete_multipart_upload(**fields, MultipartUpload={"Parts": parts}, **options)


@pytest.mark.parametrize("kind", ["CRC32", "CRC32C", "SHA1", "SHA256", "SHA512", "MD5"])
def test_a_composite_checksum(client, here, kind):
    expected = composite(kind, *PARTS)
    fields, parts = begin(client, here, kind, "COMPOSITE")
    listed = client.list_parts(**fields)
    assert [part[f"Checksum{kind}"] for part in listed["Parts"]] == [right(kind, body) for body in PARTS]
    assert (listed["ChecksumAlgorithm"], listed["ChecksumType"]) == (kind, "COMPOSITE")
    refused("BadDigest", complete, client, fields, parts, **{f"Checksum{kind}": wrong(kind) + "-3"})
    refused("BadDigest", complete, client, fields, parts, **{f"Checksum{kind}": expected[:-1] + "2"})
    refused("InvalidPart", complete, client, fields, [*parts[:2], {**parts[2], f"Checksum{kind}": wrong(kind)}])
    refused("InvalidRequest", complete, client, fields, parts, ChecksumType="FULL_OBJECT")
    refused("404", client.head_object, **here)
    answer = complete(client, fields, parts, **{f"Checksum{kind}": expected}, ChecksumType="COMPOSITE")
    assert (answer[f"Checksum{kind}"], answer["ChecksumType"]) == (expected, "COMPOSITE")
    answer = client.get_object(**here, ChecksumMode="ENABLED")
    assert (answer[f"Checksum{kind}"], answer["ChecksumType"]) == (expected, "COMPOSITE")
    assert answer["Body"].read() == b"".join(PARTS)
    answer = client.get_object_attributes(**here, ObjectAttributes=["Checksum", "ObjectParts"])
    assert answer["Checksum"] == {f"Checksum{kind}": expected, "ChecksumType": "COMPOSITE"}
    assert answer["ObjectParts"]["TotalPartsCount"] == 3


@pytest.mark.parametrize("kind", CRCS)
def test_a_checksum_of_all_bytes_in_parts(client, here, kind):
    expected = right(kind, b"".join(PARTS))
    fields, parts = begin(client, here, kind, "FULL_OBJECT")
    refused("BadDigest", complete, client, fields, parts, **{f"Checksum{kind}": wrong(kind)})
    answer = complete(client, fields, parts, **{f"Checksum{kind}": expected}, ChecksumType="FULL_OBJECT")
    assert (answer[f"Checksum{kind}"], answer["ChecksumType"]) == (expected, "FULL_OBJECT")
    # boto3 compares the bytes with it.
    answer = client.get_object(**here, ChecksumMode="ENABLED")
    assert answer["Body"].read() == b"".join(PARTS) and answer[f"Checksum{kind}"] == expected


def test_a_part_without_a_checksum_gets_that_of_the_upload(client, here):
    upload = client.create_multipart_upload(**here, ChecksumAlgorithm="SHA256")["UploadId"]
    fields = {**here, "UploadId": upload}
    url = client.generate_presigned_url("upload_part", {**fields, "PartNumber": 1})
    tag = requests.put(url, data=b"abc", timeout=30).headers["ETag"]
    refused("InvalidRequest", client.upload_part, **fields, PartNumber=1, Body=b"abc", ChecksumCRC32=right("CRC32", b"abc"))
    assert complete(client, fields, [{"PartNumber": 1, "ETag": tag}])["ChecksumSHA256"] == composite("SHA256", b"abc")


def test_a_copied_part_has_the_checksum_of_the_upload(client, here):
    client.put_object(**here, Body=BODY)
    target = {"Bucket": here["Bucket"], "Key": new_name("k")}
    upload = client.create_multipart_upload(**target, ChecksumAlgorithm="SHA1")["UploadId"]
    parts = []
    for number, extra, body in [(1, {}, BODY), (1, {"CopySourceRange": "bytes=1-3"}, BODY[1:4])]:
        part = client.upload_part_copy(**target, UploadId=upload, PartNumber=number, CopySource=here, **extra)["CopyPartResult"]
        assert part["ChecksumSHA1"] == right("SHA1", body)
        parts = [{"PartNumber": 1, "ETag": part["ETag"], "ChecksumSHA1": part["ChecksumSHA1"]}]
    assert complete(client, {**target, "UploadId": upload}, parts)["ChecksumSHA1"] == composite("SHA1", BODY[1:4])


@pytest.mark.parametrize("kind, coverage", [("SHA256", "FULL_OBJECT"), ("CRC64NVME", "COMPOSITE"), ("CRC32", "OTHER")])
def test_an_impossible_type_of_checksum(client, here, kind, coverage):
    refused("InvalidRequest InvalidArgument", client.create_multipart_upload, **here, ChecksumAlgorithm=kind, ChecksumType=coverage)


@pytest.mark.parametrize("size, status", [("10485764", 200), ("10485763", 400), ("10485765", 400), ("-1", 400), ("9" * 30, 400), ("a", 400)])
def test_the_size_of_an_object_in_parts(client, here, size, status):
    fields, parts = begin(client, here)
    headers(client, x_amz_mp_object_size=size)
    if status == 200:
        complete(client, fields, parts)
    else:
        refused("InvalidRequest InvalidArgument", complete, client, fields, parts)
        refused("404", client.head_object, **here)


# Copies, forms and documents


@pytest.mark.parametrize("kind", ["CRC32", "SHA256", "SHA512", "MD5", "XXHASH64"])
@pytest.mark.parametrize("directive", ["COPY", "REPLACE"])
def test_a_copy_has_the_checksum_that_was_asked_for(client, here, kind, directive):
    client.put_object(**here, Body=BODY, ChecksumSHA1=right("SHA1", BODY))
    target = {"Bucket": here["Bucket"], "Key": new_name("k")}
    answer = client.copy_object(**target, CopySource=here, ChecksumAlgorithm=kind, MetadataDirective=directive)
    assert answer["CopyObjectResult"][f"Checksum{kind}"] == right(kind, BODY)
    answer = client.head_object(**target, ChecksumMode="ENABLED")
    assert answer[f"Checksum{kind}"] == right(kind, BODY) and "ChecksumSHA1" not in answer
    client.copy_object(**target, CopySource=here, MetadataDirective=directive)
    assert client.head_object(**target, ChecksumMode="ENABLED")["ChecksumSHA1"] == right("SHA1", BODY)


def test_a_checksum_in_a_form(client, here):
    for body, status in ((b"abc", 204), (b"abd", 400)):
        form = client.generate_presigned_post(
            here["Bucket"], here["Key"], Fields={"x-amz-checksum-md5": right("MD5", b"abc")},
            Conditions=[{"x-amz-checksum-md5": right("MD5", b"abc")}])
        answer = requests.post(form["url"], data=form["fields"], files={"file": ("a", body)}, timeout=30)
        assert answer.status_code == status, answer.text
    assert client.head_object(**here, ChecksumMode="ENABLED")["ChecksumMD5"] == right("MD5", b"abc")


def test_a_checksum_of_a_document(client, here):
    client.put_object(**here, Body=b"abc")
    headers(client, x_amz_checksum_crc32=wrong("CRC32"))
    refused("BadDigest", client.delete_objects, Bucket=here["Bucket"], Delete={"Objects": [{"Key": here["Key"]}]})
    client.meta.events.unregister("before-sign.s3", unique_id="headers")
    assert client.get_object(**here)["Body"].read() == b"abc"


def test_a_checksum_stays_when_swift_changes_metadata(store, ana, client, here):
    client.put_object(**here, Body=b"abc", ChecksumSHA256=right("SHA256", b"abc"))
    assert Swift(store, ana).request("POST", f"/{here['Bucket']}/{here['Key']}", headers={"X-Object-Meta-A": "1"}).status_code == 202
    answer = client.get_object(**here, ChecksumMode="ENABLED")
    assert (answer["ChecksumSHA256"], answer["Metadata"]) == (right("SHA256", b"abc"), {"a": "1"})
