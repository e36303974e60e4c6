"""boto3 works with Godwit as with S3. Most cases run against moto too, so that they describe S3 and not Godwit."""

import base64
import concurrent.futures
import datetime
import email.utils
import hashlib
import io
import os
import urllib.parse

import pytest
import requests

from objectstores import MB, ana, bucket, checksum, moto_url, new_name, our_bucket, ours, refused, s3, store

BODY = bytes(range(256)) * 4
NAMES = [
    "a b", "a+b", "a%20b", "100%", "%2F", "ä/ö ü", "日本語.txt", "🐦/👩‍👩‍👧", "e\u0301", "\u00e9", "it's \"quoted\"",
    "<a> & </b>", "a//b", "/leading", "trailing/", "dots...", ".hidden", "a;b=c,d:e@f$g!h(i)*j", "q?x=1&y=2#z",
    "tab\tand\\back", "k" * 1024, "ü" * 512]


def put(s3, bucket, *names, body=b"x", **fields):
    for name in names:
        s3.put_object(Bucket=bucket, Key=name, Body=body, **fields)


def got(s3, bucket, name, **fields):
    return s3.get_object(Bucket=bucket, Key=name, **fields)["Body"].read()


def names_of(answer):
    return [row["Key"] for row in answer.get("Contents", [])]


def prefixes_of(answer):
    return [row["Prefix"] for row in answer.get("CommonPrefixes", [])]


# Buckets


def test_a_bucket_is_made_listed_and_deleted(s3):
    name = new_name()
    s3.create_bucket(Bucket=name)
    assert name in [row["Name"] for row in s3.list_buckets()["Buckets"]]
    assert s3.head_bucket(Bucket=name)["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert s3.get_bucket_location(Bucket=name).get("LocationConstraint") is None
    assert "Status" not in s3.get_bucket_versioning(Bucket=name)
    put(s3, name, "a")
    refused("BucketNotEmpty", s3.delete_bucket, Bucket=name)
    s3.delete_object(Bucket=name, Key="a")
    s3.delete_bucket(Bucket=name)
    refused("404", s3.head_bucket, Bucket=name)
    refused("NoSuchBucket", s3.list_objects_v2, Bucket=name)
    refused("NoSuchBucket", s3.put_object, Bucket=name, Key="a", Body=b"")
    refused("NoSuchBucket", s3.delete_bucket, Bucket=name)


@pytest.mark.parametrize("name", ["ab", "x" * 64, "Upper", "a_b", "a..b", "-a-"])
def test_bad_bucket_names(ours, name):
    refused("InvalidBucketName", ours.create_bucket, Bucket=name)


# Objects


def test_an_object_keeps_its_headers_and_metadata(s3, bucket):
    fields = {
        "ContentType": "image/jpeg", "CacheControl": "max-age=60", "ContentDisposition": 'attachment; filename="a.jpg"',
        "ContentEncoding": "identity", "ContentLanguage": "de", "Metadata": {"place": "Husum", "two-words": "a  b"}}
    etag = f'"{hashlib.md5(BODY).hexdigest()}"'
    assert s3.put_object(Bucket=bucket, Key="a", Body=BODY, **fields)["ETag"] == etag
    for answer in (s3.get_object(Bucket=bucket, Key="a"), s3.head_object(Bucket=bucket, Key="a")):
        assert answer["ContentLength"] == len(BODY) and answer["ETag"] == etag and answer["LastModified"].tzinfo
        assert {name: answer[name] for name in fields if name != "Metadata"} | {"Metadata": fields["Metadata"]} == fields
    assert got(s3, bucket, "a") == BODY


def test_an_object_is_replaced_and_deleted(s3, bucket):
    put(s3, bucket, "a", body=b"one", Metadata={"n": "1"})
    put(s3, bucket, "a", body=b"")
    answer = s3.get_object(Bucket=bucket, Key="a")
    assert answer["Body"].read() == b"" and answer["Metadata"] == {} and answer["ContentType"] == "binary/octet-stream"
    for _ in range(2):
        assert s3.delete_object(Bucket=bucket, Key="a")["ResponseMetadata"]["HTTPStatusCode"] == 204
    refused("NoSuchKey", s3.get_object, Bucket=bucket, Key="a")
    refused("404", s3.head_object, Bucket=bucket, Key="a")


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_names_of_all_kinds(s3, bucket, name):
    put(s3, bucket, name, body=name.encode())
    assert got(s3, bucket, name) == name.encode()
    assert names_of(s3.list_objects_v2(Bucket=bucket)) == [name] == names_of(s3.list_objects(Bucket=bucket))
    s3.copy_object(Bucket=bucket, Key="copy", CopySource={"Bucket": bucket, "Key": name})
    assert got(s3, bucket, "copy") == name.encode()
    deleted = s3.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": name}]})
    assert [row["Key"] for row in deleted["Deleted"]] == [name]
    assert names_of(s3.list_objects_v2(Bucket=bucket)) == ["copy"]


def test_a_name_is_at_most_1024_bytes(ours, our_bucket):
    refused("KeyTooLongError", ours.put_object, Bucket=our_bucket, Key="k" * 1025, Body=b"")


@pytest.mark.parametrize("given,first,last", [
    ("0-0", 0, 0), ("5-9", 5, 9), ("1000-", 1000, 1023), ("-4", 1020, 1023), ("1000-99999", 1000, 1023), ("-9999", 0, 1023)])
def test_ranges(s3, bucket, given, first, last):
    put(s3, bucket, "a", body=BODY)
    answer = s3.get_object(Bucket=bucket, Key="a", Range=f"bytes={given}")
    assert answer["Body"].read() == BODY[first:last + 1]
    assert answer["ContentRange"] == f"bytes {first}-{last}/1024" and answer["ResponseMetadata"]["HTTPStatusCode"] == 206


def test_a_range_only_if_the_object_is_unchanged(ours, our_bucket):
    """RFC 9110, section 13.1.5: only the exact strong tag or the exact time of the object counts."""
    put(ours, our_bucket, "a", body=BODY)
    url = ours.generate_presigned_url("get_object", Params={"Bucket": our_bucket, "Key": "a"})
    head = requests.get(url, timeout=30).headers
    time = email.utils.parsedate_to_datetime(head["Last-Modified"])
    for condition, status in [
            (head["ETag"], 206), (head["Last-Modified"], 206), ("W/" + head["ETag"], 200), ('"other"', 200),
            (email.utils.format_datetime(time + datetime.timedelta(hours=1), usegmt=True), 200),
            (email.utils.format_datetime(time - datetime.timedelta(hours=1), usegmt=True), 200)]:
        answer = requests.get(url, headers={"Range": "bytes=5-9", "If-Range": condition}, timeout=30)
        assert (answer.status_code, answer.content) == (status, BODY[5:10] if status == 206 else BODY), condition


def test_a_range_behind_the_end(s3, bucket):
    put(s3, bucket, "a", body=BODY)
    assert refused("InvalidRange", s3.get_object, Bucket=bucket, Key="a", Range="bytes=1024-")[
        "ResponseMetadata"]["HTTPStatusCode"] == 416


def test_conditional_reading(s3, bucket):
    put(s3, bucket, "a")
    head = s3.head_object(Bucket=bucket, Key="a")
    here = {"Bucket": bucket, "Key": "a"}
    assert got(s3, bucket, "a", IfMatch=head["ETag"]) == b"x" == got(s3, bucket, "a", IfNoneMatch='"no"')
    refused("PreconditionFailed", s3.get_object, **here, IfMatch='"no"')
    refused("304", s3.get_object, **here, IfNoneMatch=head["ETag"])
    refused("304", s3.get_object, **here, IfModifiedSince=head["LastModified"])
    refused("304", s3.head_object, **here, IfNoneMatch=head["ETag"])
    assert got(s3, bucket, "a", IfUnmodifiedSince=head["LastModified"]) == b"x"


def test_conditional_writing(s3, bucket):
    etag = s3.put_object(Bucket=bucket, Key="a", Body=b"one", IfNoneMatch="*")["ETag"]
    refused("PreconditionFailed", s3.put_object, Bucket=bucket, Key="a", Body=b"two", IfNoneMatch="*")
    refused("PreconditionFailed", s3.put_object, Bucket=bucket, Key="a", Body=b"two", IfMatch='"no"')
    assert got(s3, bucket, "a") == b"one"
    put(s3, bucket, "a", body=b"two", IfMatch=etag)
    assert got(s3, bucket, "a") == b"two"


def test_headers_of_an_answer_are_overridden(s3, bucket):
    put(s3, bucket, "a")
    answer = s3.get_object(
        Bucket=bucket, Key="a", ResponseContentType="text/x", ResponseContentDisposition="inline",
        ResponseCacheControl="no-store")
    assert (answer["ContentType"], answer["ContentDisposition"], answer["CacheControl"]) == ("text/x", "inline", "no-store")


@pytest.mark.parametrize("kind", ["CRC32", "CRC32C", "CRC64NVME", "SHA1", "SHA256"])
def test_checksums_are_checked_and_kept(ours, our_bucket, kind):
    fields, right = {"Bucket": our_bucket, "Key": "a"}, checksum(kind, BODY)
    ours.put_object(**fields, Body=BODY, **{f"Checksum{kind}": right})
    assert ours.head_object(**fields, ChecksumMode="ENABLED")[f"Checksum{kind}"] == right
    assert ours.get_object(**fields, ChecksumMode="ENABLED")["Body"].read() == BODY
    refused("BadDigest InvalidRequest", ours.put_object, **fields, Body=b"other", **{f"Checksum{kind}": right})
    assert got(ours, our_bucket, "a") == BODY


def test_a_wrong_content_md5(ours, our_bucket):
    wrong = base64.b64encode(hashlib.md5(b"other").digest()).decode()
    refused("BadDigest", ours.put_object, Bucket=our_bucket, Key="a", Body=BODY, ContentMD5=wrong)
    refused("NoSuchKey", ours.get_object, Bucket=our_bucket, Key="a")


# Lists


def test_lists_have_pages_delimiters_and_prefixes(s3, bucket):
    names = sorted([f"d{number}/{file}" for number in range(3) for file in "ab"] + ["a", "b", "z"])
    put(s3, bucket, *reversed(names))
    assert names_of(s3.list_objects_v2(Bucket=bucket)) == names
    assert names_of(s3.list_objects_v2(Bucket=bucket, Prefix="d1/")) == ["d1/a", "d1/b"]
    assert names_of(s3.list_objects_v2(Bucket=bucket, StartAfter="d2/a")) == ["d2/b", "z"]
    page = s3.list_objects(Bucket=bucket, Delimiter="/")
    assert names_of(page) == ["a", "b", "z"] and prefixes_of(page) == ["d0/", "d1/", "d2/"]
    page = s3.list_objects_v2(Bucket=bucket, MaxKeys=4)
    assert page["IsTruncated"] and page["KeyCount"] == 4 == page["MaxKeys"]
    row = s3.list_objects_v2(Bucket=bucket, Prefix="z", FetchOwner=True)["Contents"][0]
    assert row["Size"] == 1 and row["ETag"] == f'"{hashlib.md5(b"x").hexdigest()}"' and row["StorageClass"] == "STANDARD"


@pytest.mark.parametrize("operation", ["list_objects", "list_objects_v2"])
def test_a_common_prefix_is_on_one_page(ours, our_bucket, operation):
    put(ours, our_bucket, *[f"d{number}/{file}" for number in range(3) for file in "abc"], "a", "b", "z")
    pages = list(ours.get_paginator(operation).paginate(
        Bucket=our_bucket, Delimiter="/", PaginationConfig={"PageSize": 2}))
    assert [names_of(page) for page in pages] == [["a", "b"], [], ["z"]]
    assert [prefixes_of(page) for page in pages] == [[], ["d0/", "d1/"], ["d2/"]]


def test_more_names_than_a_page_has(ours, our_bucket):
    s3, bucket = ours, our_bucket
    names = [f"n{number:04}" for number in range(1005)]
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda name: put(s3, bucket, name), names))
    page = s3.list_objects_v2(Bucket=bucket)
    assert len(page["Contents"]) == 1000 and page["IsTruncated"]
    rest = s3.list_objects_v2(Bucket=bucket, ContinuationToken=page["NextContinuationToken"])
    assert names_of(page) + names_of(rest) == names and not rest["IsTruncated"]
    objects = [{"Key": name} for name in names[:1000]]
    answer = s3.delete_objects(Bucket=bucket, Delete={"Objects": objects, "Quiet": True})
    assert "Deleted" not in answer and "Errors" not in answer
    assert names_of(s3.list_objects_v2(Bucket=bucket)) == names[1000:]


def test_names_in_an_order_of_bytes_and_encoded_as_in_urls(s3, bucket):
    names = sorted(["a b", "a+b", "ä", "Z", "z", "\U00010000", "\uffee"], key=str.encode)
    put(s3, bucket, *names)
    assert names_of(s3.list_objects_v2(Bucket=bucket)) == names
    page = s3.list_objects_v2(Bucket=bucket, EncodingType="url", Delimiter="+")
    assert page["EncodingType"] == "url"
    # boto3 decodes only what it asked for itself.
    assert [urllib.parse.unquote_plus(name) for name in names_of(page)] == [name for name in names if "+" not in name]
    assert [urllib.parse.unquote_plus(row["Prefix"]) for row in page["CommonPrefixes"]] == ["a+"]


# Copies and large objects


def test_copies(s3, bucket):
    put(s3, bucket, "a b/ü", body=BODY, ContentType="a/b", Metadata={"n": "1"})
    source = {"Bucket": bucket, "Key": "a b/ü"}
    other = new_name()
    s3.create_bucket(Bucket=other)
    etag = s3.copy_object(Bucket=other, Key="c", CopySource=source)["CopyObjectResult"]["ETag"]
    answer = s3.get_object(Bucket=other, Key="c")
    assert answer["Body"].read() == BODY and answer["ETag"] == etag
    assert (answer["ContentType"], answer["Metadata"]) == ("a/b", {"n": "1"})
    s3.copy_object(Bucket=bucket, Key="a b/ü", CopySource=source, MetadataDirective="REPLACE", Metadata={"n": "2"},
                   ContentType="c/d")
    answer = s3.get_object(**source)
    assert (answer["ContentType"], answer["Metadata"], answer["Body"].read()) == ("c/d", {"n": "2"}, BODY)
    refused("InvalidRequest", s3.copy_object, **source, CopySource=source)
    refused("NoSuchKey", s3.copy_object, Bucket=bucket, Key="d", CopySource={"Bucket": bucket, "Key": "none"})


def test_conditional_copies(ours, our_bucket):
    put(ours, our_bucket, "a")
    fields = {"Bucket": our_bucket, "Key": "b", "CopySource": {"Bucket": our_bucket, "Key": "a"}}
    refused("PreconditionFailed", ours.copy_object, **fields, CopySourceIfMatch='"no"')
    etag = ours.head_object(Bucket=our_bucket, Key="a")["ETag"]
    refused("PreconditionFailed", ours.copy_object, **fields, CopySourceIfNoneMatch=etag)
    ours.copy_object(**fields, CopySourceIfMatch=etag)


def upload(s3, bucket, name, *parts):
    """An upload whose parts are stored: its fields and the list of parts."""
    fields = {"Bucket": bucket, "Key": name}
    fields["UploadId"] = s3.create_multipart_upload(**fields, ContentType="a/b", Metadata={"n": "1"})["UploadId"]
    listed = [
        {"PartNumber": number, "ETag": s3.upload_part(**fields, PartNumber=number, Body=body)["ETag"]}
        for number, body in parts]
    return fields, listed


def test_an_object_in_three_parts(s3, bucket):
    bodies = [os.urandom(5 * MB), os.urandom(5 * MB), b"end"]
    fields, parts = upload(s3, bucket, "big", *[(number, body) for number, body in zip((9, 2, 40), bodies)])
    parts.sort(key=lambda part: part["PartNumber"])
    assert [row["UploadId"] for row in s3.list_multipart_uploads(Bucket=bucket)["Uploads"]] == [fields["UploadId"]]
    listed = s3.list_parts(**fields)["Parts"]
    assert [(row["PartNumber"], row["Size"], row["ETag"]) for row in listed] == [
        (2, 5 * MB, parts[0]["ETag"]), (9, 5 * MB, parts[1]["ETag"]), (40, 3, parts[2]["ETag"])]
    refused("NoSuchKey", s3.get_object, Bucket=bucket, Key="big")
    done = s3.complete_multipart_upload(**fields, MultipartUpload={"Parts": parts})
    digest = hashlib.md5(b"".join(bytes.fromhex(part["ETag"].strip('"')) for part in parts)).hexdigest()
    assert done["ETag"] == f'"{digest}-3"'
    answer = s3.get_object(Bucket=bucket, Key="big")
    assert answer["Body"].read() == bodies[1] + bodies[0] + bodies[2] and answer["ETag"] == done["ETag"]
    assert (answer["ContentType"], answer["Metadata"]) == ("a/b", {"n": "1"})
    joint = got(s3, bucket, "big", Range=f"bytes={5 * MB - 2}-{5 * MB + 1}")
    assert joint == bodies[1][-2:] + bodies[0][:2]
    assert not s3.list_multipart_uploads(Bucket=bucket).get("Uploads")


def test_parts_that_are_too_small_unknown_or_aborted(s3, bucket):
    fields, parts = upload(s3, bucket, "a", (1, b"small"), (2, b"end"))
    refused("EntityTooSmall", s3.complete_multipart_upload, **fields, MultipartUpload={"Parts": parts})
    unknown = [{"PartNumber": 3, "ETag": parts[0]["ETag"]}]
    refused("InvalidPart", s3.complete_multipart_upload, **fields, MultipartUpload={"Parts": unknown})
    s3.abort_multipart_upload(**fields)
    assert not s3.list_multipart_uploads(Bucket=bucket).get("Uploads")
    refused("NoSuchKey", s3.get_object, Bucket=bucket, Key="a")


def test_parts_are_listed_by_pages_until_the_upload_is_aborted(ours, our_bucket):
    fields, _ = upload(ours, our_bucket, "a", *[(number, b"x") for number in (2, 9, 40)])
    page = ours.list_parts(**fields, MaxParts=2)
    assert page["IsTruncated"] and len(page["Parts"]) == 2 and page["NextPartNumberMarker"] == 9
    rest = ours.list_parts(**fields, PartNumberMarker=9)
    assert not rest["IsTruncated"] and [row["PartNumber"] for row in rest["Parts"]] == [40]
    ours.abort_multipart_upload(**fields)
    refused("NoSuchUpload", ours.upload_part, **fields, PartNumber=1, Body=b"")
    refused("NoSuchUpload", ours.list_parts, **fields)
    refused("NoSuchUpload", ours.abort_multipart_upload, **fields)


def test_parts_in_a_wrong_order(ours, our_bucket):
    fields, parts = upload(ours, our_bucket, "a", (1, b"x" * 5 * MB), (2, b"y" * 5 * MB))
    refused("InvalidPartOrder", ours.complete_multipart_upload, **fields, MultipartUpload={"Parts": parts[::-1]})


def test_a_part_is_replaced_or_copied(s3, bucket):
    put(s3, bucket, "source", body=BODY)
    fields, _ = upload(s3, bucket, "a", (1, b"x" * 5 * MB))
    etag = s3.upload_part(**fields, PartNumber=1, Body=b"y" * 5 * MB)["ETag"]
    copied = s3.upload_part_copy(
        **fields, PartNumber=2, CopySource={"Bucket": bucket, "Key": "source"}, CopySourceRange="bytes=1-3")
    parts = [{"PartNumber": 1, "ETag": etag}, {"PartNumber": 2, "ETag": copied["CopyPartResult"]["ETag"]}]
    s3.complete_multipart_upload(**fields, MultipartUpload={"Parts": parts})
    assert got(s3, bucket, "a") == b"y" * 5 * MB + BODY[1:4]


def test_a_file_of_20_mb(s3, bucket):
    content = os.urandom(20 * MB)
    s3.upload_fileobj(io.BytesIO(content), bucket, "big", ExtraArgs={"ContentType": "video/mp4"})
    target = io.BytesIO()
    s3.download_fileobj(bucket, "big", target)
    assert target.getvalue() == content and s3.head_object(Bucket=bucket, Key="big")["ContentType"] == "video/mp4"


# Requests without boto3


def test_presigned_urls(s3, bucket):
    fields = {"Bucket": bucket, "Key": "a b/ü+"}
    url = s3.generate_presigned_url("put_object", Params={**fields, "ContentType": "a/b"})
    assert requests.put(url, data=BODY, headers={"Content-Type": "a/b"}, timeout=30).status_code == 200
    answer = requests.get(s3.generate_presigned_url("get_object", Params=fields), timeout=30)
    assert answer.content == BODY and answer.headers["Content-Type"] == "a/b"
    answer = requests.head(s3.generate_presigned_url("head_object", Params=fields), timeout=30)
    assert answer.headers["Content-Length"] == "1024"
    url = s3.generate_presigned_url("get_object", Params={**fields, "ResponseContentType": "text/x"})
    assert requests.get(url, timeout=30).headers["Content-Type"].startswith("text/x")
    assert requests.delete(s3.generate_presigned_url("delete_object", Params=fields), timeout=30).status_code == 204
    refused("NoSuchKey", s3.get_object, **fields)


def test_a_form_uploads_within_its_conditions(s3, bucket):
    conditions = [["content-length-range", 1, 1024], ["starts-with", "$key", "photos/"], {"Content-Type": "image/png"}]
    form = s3.generate_presigned_post(
        bucket, "photos/${filename}", Fields={"Content-Type": "image/png"}, Conditions=conditions)
    answer = requests.post(form["url"], data=form["fields"], files={"file": ("a b.png", BODY)}, timeout=30)
    assert answer.status_code in (200, 204), answer.text
    answer = s3.get_object(Bucket=bucket, Key="photos/a b.png")
    assert answer["Body"].read() == BODY and answer["ContentType"] == "image/png"


def test_cross_origin_rules_answer_browsers(ours, our_bucket):
    refused("NoSuchCORSConfiguration", ours.get_bucket_cors, Bucket=our_bucket)
    rule = {"AllowedOrigins": ["https://a.example"], "AllowedMethods": ["PUT", "GET"], "AllowedHeaders": ["content-type"],
            "ExposeHeaders": ["ETag"], "MaxAgeSeconds": 60}
    ours.put_bucket_cors(Bucket=our_bucket, CORSConfiguration={"CORSRules": [rule]})
    assert ours.get_bucket_cors(Bucket=our_bucket)["CORSRules"] == [rule]
    url = ours.generate_presigned_url("put_object", Params={"Bucket": our_bucket, "Key": "a"})
    ask = {"Origin": "https://a.example", "Access-Control-Request-Method": "PUT",
           "Access-Control-Request-Headers": "content-type"}
    answer = requests.options(url, headers=ask, timeout=30)
    assert answer.status_code == 200 and answer.headers["Access-Control-Allow-Origin"] == "https://a.example"
    assert "PUT" in answer.headers["Access-Control-Allow-Methods"] and answer.headers["Access-Control-Max-Age"] == "60"
    answer = requests.put(url, data=b"x", headers={"Origin": "https://a.example"}, timeout=30)
    assert answer.headers["Access-Control-Allow-Origin"] == "https://a.example" and "ETag" in answer.headers
    for change in ({"Origin": "https://b.example"}, {"Access-Control-Request-Method": "DELETE"},
                   {"Access-Control-Request-Headers": "x-other"}):
        answer = requests.options(url, headers={**ask, **change}, timeout=30)
        assert answer.status_code == 403 and "Access-Control-Allow-Origin" not in answer.headers
    ours.delete_bucket_cors(Bucket=our_bucket)
    assert requests.options(url, headers=ask, timeout=30).status_code == 403


def test_a_public_bucket_is_read_without_a_signature(store, ours, our_bucket):
    put(ours, our_bucket, "a b", body=BODY)
    url = f"{store.url}/v1/AUTH_ana/{our_bucket}/a%20b"
    assert requests.get(url, timeout=30).status_code == 401
    ours.put_bucket_acl(Bucket=our_bucket, ACL="public-read")
    grantees = [grant["Grantee"].get("URI", "") for grant in ours.get_bucket_acl(Bucket=our_bucket)["Grants"]]
    assert any(uri.endswith("/AllUsers") for uri in grantees)
    assert requests.get(url, timeout=30).content == BODY
    # Over S3 the path would not say whose bucket it is.
    assert requests.get(f"{store.url}/_s3/{our_bucket}/a%20b", timeout=30).status_code == 403
    assert requests.put(url, data=b"x", timeout=30).status_code == 401
    ours.put_bucket_acl(Bucket=our_bucket, ACL="private")
    assert requests.get(url, timeout=30).status_code == 401


@pytest.mark.parametrize("call,fields", [
    ("get_bucket_policy", {}), ("put_bucket_policy", {"Policy": "{}"}), ("get_bucket_website", {}),
    ("get_bucket_lifecycle_configuration", {}), ("get_bucket_replication", {}), ("get_bucket_encryption", {}),
    ("put_bucket_versioning", {"VersioningConfiguration": {"Status": "Enabled"}}), ("list_object_versions", {}),
    ("get_object_tagging", {"Key": "a"}), ("restore_object", {"Key": "a", "RestoreRequest": {"Days": 1}})])
def test_what_is_absent_says_so(ours, our_bucket, call, fields):
    put(ours, our_bucket, "a")
    answer = refused("NotImplemented", getattr(ours, call), Bucket=our_bucket, **fields)
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 501
    assert got(ours, our_bucket, "a") == b"x"
