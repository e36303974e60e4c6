"""Forged, altered, replayed and malformed requests to object storage are refused, and nothing is stored."""

import base64
import hashlib
import json
import re
import socket

import pytest
import requests

from loads import EXPECT, send_all_and_ask
from objectstores import (
    MB, Account, Request, Swift, ana, ben, code_of, crc, new_name, our_bucket, ours, s3_of, store, timestamp, token_of)
from raw import Answer, connect

BODY = bytes(range(256)) * 4
MALFORMED = {"AccessDenied", "AuthorizationHeaderMalformed", "InvalidArgument", "InvalidRequest", "SignatureDoesNotMatch"}


@pytest.fixture
def bucket(store, ours, our_bucket):
    """A bucket with one object. After the test it has this object only, and the server is alive."""
    ours.put_object(Bucket=our_bucket, Key="kept", Body=b"kept")
    yield our_bucket
    assert requests.get(f"{store.url}/_up", timeout=2).status_code == 200
    assert [row["Key"] for row in ours.list_objects_v2(Bucket=our_bucket).get("Contents", [])] == ["kept"]
    assert ours.get_object(Bucket=our_bucket, Key="kept")["Body"].read() == b"kept"


@pytest.fixture(scope="module")
def token(store, ana):
    return token_of(store, ana)


def put(bucket, name="new", **options):
    return Request("PUT", f"/{bucket}/{name}", body=BODY, headers={"x-amz-meta-a": "1"}, **options)


def swift_text(token, method, path, *headers, body=b""):
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", f"X-Auth-Token: {token}", *headers]
    if not any(line.lower().startswith("content-length") for line in headers):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def is_swift_error(answer):
    return 400 <= answer.status < 600 and answer.headers.get("content-type", "").startswith(("text/html", "text/plain"))


# Signatures


def alter_signature(request):
    text = request.headers["authorization"]
    request.headers["authorization"] = text[:-1] + ("0" if text[-1] != "0" else "1")


ALTERED = {
    "signature": (alter_signature, "SignatureDoesNotMatch"),
    "header": (lambda request: request.headers.update({"x-amz-meta-a": "2"}), "SignatureDoesNotMatch"),
    "more-headers": (
        lambda request: request.headers.update({"x-amz-acl": "public-read"}), "SignatureDoesNotMatch AccessDenied"),
    "path": (lambda request: setattr(request, "path", request.path + "er"), "SignatureDoesNotMatch"),
    "query": (lambda request: request.query.append(("acl", "")), "SignatureDoesNotMatch"),
    "method": (lambda request: setattr(request, "method", "DELETE"), "SignatureDoesNotMatch"),
    "host": (lambda request: request.headers.update(host="127.0.0.2"), "SignatureDoesNotMatch"),
    "body": (lambda request: setattr(request, "body", b"x" * 1024), "XAmzContentSHA256Mismatch"),
    "longer-body": (lambda request: setattr(request, "body", BODY + b"x"), "XAmzContentSHA256Mismatch"),
    "shorter-body": (lambda request: setattr(request, "body", BODY[:-1]), "XAmzContentSHA256Mismatch"),
    "no-signature": (lambda request: request.headers.pop("authorization"), "AccessDenied"),
    "no-date": (lambda request: request.headers.pop("x-amz-date"), " ".join(MALFORMED)),
}


@pytest.mark.parametrize("change", ALTERED)
def test_altered_after_it_was_signed(store, ana, bucket, change):
    request = put(bucket).sign(ana)
    alter, codes = ALTERED[change]
    alter(request)
    answer = request.send(store)
    assert 400 <= answer.status < 500 and code_of(answer) in codes.split(), answer.body


def test_unsigned_and_strangers_keys(store, ana, ben, bucket):
    assert code_of(put(bucket).send(store)) == "AccessDenied"
    stranger = Account("x", "GW" + "A" * 18, ana.secret_key)
    assert code_of(put(bucket).sign(stranger).send(store)) == "InvalidAccessKeyId"
    mixed = Account("x", ana.access_key, ben.secret_key)
    assert code_of(put(bucket).sign(mixed).send(store)) == "SignatureDoesNotMatch"


@pytest.mark.parametrize("minutes", [-20, 20, -60 * 24 * 365, 60 * 24 * 365])
def test_a_clock_that_is_wrong_and_a_replay(store, ana, bucket, minutes):
    answer = put(bucket).sign(ana, at=timestamp(minutes * 60)).send(store)
    assert answer.status == 403 and code_of(answer) == "RequestTimeTooSkewed"


@pytest.mark.parametrize("value", [
    "AWS4-HMAC-SHA256", "AWS4-HMAC-SHA256 Credential=", "AWS AKIA:sig", "Bearer x", "Basic YTpi",
    "AWS4-HMAC-SHA256 Credential=a/b/c/d/e, SignedHeaders=, Signature=", "AWS4-HMAC-SHA256 " + "," * 3_000,
    "AWS4-HMAC-SHA256 Credential=a/20200101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=ü"])
def test_malformed_authorizations(store, ana, bucket, value):
    request = put(bucket).sign(ana)
    request.headers["authorization"] = value
    answer = request.send(store)
    assert 400 <= answer.status < 500 and code_of(answer) in MALFORMED | {"InvalidAccessKeyId"}


def test_a_signature_for_another_day_or_service(store, ana, bucket):
    for old, new in (("/s3/", "/sts/"), (timestamp()[:8], "20200101"), ("aws4_request", "aws5_request"), ("host;", "")):
        request = put(bucket).sign(ana)
        request.headers["authorization"] = request.headers["authorization"].replace(old, new)
        assert code_of(request.send(store)) in MALFORMED


def test_presigned_urls_that_ended_or_were_altered(store, ana, bucket):
    ended = put(bucket).presign(ana, at=timestamp(-600)).send(store)
    assert ended.status == 403 and code_of(ended) == "AccessDenied" and b"Request has expired" in ended.body
    early = put(bucket).presign(ana, at=timestamp(1_200)).send(store)
    assert early.status == 403 and code_of(early) in ("AccessDenied", "RequestTimeTooSkewed")
    for expires in (604_801, -1, "x", 10 ** 30):
        answer = put(bucket).presign(ana, expires=expires).send(store)
        assert code_of(answer) in {"AuthorizationQueryParametersError", "AccessDenied"}, expires
    for place, value in ((3, "X-Amz-Expires=9999"), (1, "X-Amz-Credential=x"), (5, "X-Amz-Signature=")):
        request = put(bucket).presign(ana)
        request.query[place] = tuple(value.split("="))
        assert code_of(request.send(store)) in MALFORMED | {"AuthorizationQueryParametersError", "InvalidAccessKeyId"}
    for alter in ("path", "method", "query", "host"):
        request = put(bucket).presign(ana)
        ALTERED[alter][0](request)
        assert code_of(request.send(store)) == "SignatureDoesNotMatch", alter


def test_a_presigned_upload_of_another_size_or_type(store, ana, bucket):
    for name, value, body in (("content-type", "text/html", BODY), ("content-length", "1025", BODY + b"x")):
        headers = {"content-type": "image/png", "content-length": "1024"}
        request = Request("PUT", f"/{bucket}/new", headers=headers, body=body).presign(ana)
        request.headers[name] = value
        assert code_of(request.send(store)) == "SignatureDoesNotMatch", name


def chunked(bucket, ana):
    return Request("PUT", f"/{bucket}/new").sign_chunks(ana, [BODY * 64, BODY * 64, b"end"])


def test_chunks_with_signatures_and_trailers(store, ana, ours, bucket):
    assert chunked(bucket, ana).send(store).status == 200
    assert ours.get_object(Bucket=bucket, Key="new")["Body"].read() == BODY * 128 + b"end"
    for trailer, status in ((crc(BODY, 0xEDB88320, 32), 200), ("AAAAAA==", 400)):
        request = Request("PUT", f"/{bucket}/new", headers={
            "content-encoding": "aws-chunked", "x-amz-decoded-content-length": "1024",
            "x-amz-trailer": "x-amz-checksum-crc32"}).sign(ana, payload="STREAMING-UNSIGNED-PAYLOAD-TRAILER")
        request.body = b"400\r\n" + BODY + b"\r\n0\r\nx-amz-checksum-crc32:" + trailer.encode() + b"\r\n\r\n"
        assert request.send(store).status == status
        assert "aws-chunked" not in ours.head_object(Bucket=bucket, Key="new").get("ContentEncoding", "")
    ours.delete_object(Bucket=bucket, Key="new")


CHUNKS = {
    "data": lambda body: body.replace(b"\x00\x01\x02", b"\x01\x01\x02", 1),
    "signature": lambda body: re.sub(rb"signature=.", b"signature=g", body, count=1),
    "last-signature": lambda body: body[:-5] + (b"1" if body[-5:-4] == b"0" else b"0") + body[-4:],
    "no-end": lambda body: body[:body.rindex(b"0;chunk")],
    "no-signatures": lambda body: re.sub(rb";chunk-signature=\w+", b"", body),
    "size": lambda body: b"ffffffffffffffffff" + body[5:],
    "negative": lambda body: b"-1" + body[5:],
    "no-lines": lambda body: b"x" * len(body),
}


@pytest.mark.parametrize("change", CHUNKS)
def test_altered_chunks(store, ana, bucket, change):
    request = chunked(bucket, ana)
    changed = CHUNKS[change](request.body)
    assert changed != request.body
    request.body = changed
    answer = request.send(store)
    assert 400 <= answer.status < 500 and code_of(answer) in {
        "SignatureDoesNotMatch", "IncompleteBody", "InvalidRequest", "InvalidChunkSizeError", "InvalidArgument",
        "AccessDenied", "EntityTooLarge"}


# Paths and names


@pytest.mark.parametrize("name", [
    "a%00b", "%ff%fe", "%c0%af", "%ed%a0%80", "%zz", "%", "%4", "k" * 1_025, "%C3%BC" * 513, "x/" * 20_000],
    ids=lambda name: name[:9])
def test_bad_names_are_refused(store, ana, token, bucket, name):
    answer = put(bucket, name).sign(ana).send(store)
    assert 400 <= answer.status < 500, answer.line
    if len(name) < 10_000:
        assert code_of(answer)
    answer = send_all_and_ask(store, swift_text(token, "PUT", f"/v1/AUTH_ana/{bucket}/{name}", body=BODY))
    assert 400 <= answer.status < 500, answer.line
    if len(name) < 10_000:
        assert is_swift_error(answer), answer.headers


@pytest.mark.parametrize("name", [
    "..%2f..%2fx", "%2e%2e/x", "../x", "./x", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "/", "//x", "a/../../x"])
def test_dots_and_slashes_never_lead_out_of_a_bucket(store, ana, ours, token, bucket, name):
    """Such a name is refused, or is the name of an object as any other."""
    buckets = {row["Name"] for row in ours.list_buckets()["Buckets"]}
    for text, is_error in (
        (put(bucket, name).sign(ana).text(), code_of),
        (swift_text(token, "PUT", f"/v1/AUTH_ana/{bucket}/{name}", body=BODY), is_swift_error),
    ):
        answer = send_all_and_ask(store, text)
        if answer.status >= 300:
            assert answer.status < 500 and is_error(answer)
            continue
        stored = [row["Key"] for row in ours.list_objects_v2(Bucket=bucket)["Contents"] if row["Key"] != "kept"]
        assert stored == [requests.utils.unquote(name)]
        ours.delete_objects(Bucket=bucket, Delete={"Objects": [{"Key": stored[0]}]})
    assert {row["Name"] for row in ours.list_buckets()["Buckets"]} == buckets


def test_nothing_of_another_account(store, ana, ben, bucket):
    theirs = s3_of(store, ben)
    assert bucket not in [row["Name"] for row in theirs.list_buckets()["Buckets"]]
    for method, path in (("GET", ""), ("GET", "/kept"), ("PUT", "/kept"), ("DELETE", "/kept"), ("DELETE", "")):
        answer = Request(method, f"/{bucket}{path}").sign(ben).send(store)
        assert answer.status in (403, 404) and code_of(answer) in ("NoSuchBucket", "AccessDenied")
    mine = new_name()
    theirs.create_bucket(Bucket=mine)
    source = {"x-amz-copy-source": f"/{bucket}/kept"}
    answer = Request("PUT", f"/{mine}/stolen", headers=source).sign(ben).send(store)
    assert code_of(answer) in ("NoSuchBucket", "NoSuchKey", "AccessDenied")
    swift = Swift(store, ben)
    source = {"X-Copy-From": f"{bucket}/kept"}
    for headers in (source, {**source, "X-Copy-From-Account": "AUTH_ana"}):
        assert swift.request("PUT", f"/{mine}/stolen", headers=headers).status_code in (403, 404, 501)
    manifest = json.dumps([{"path": f"/{bucket}/kept"}])
    assert swift.request("PUT", f"/{mine}/stolen?multipart-manifest=put", data=manifest).status_code in (400, 403, 404)
    swift.request("PUT", f"/{mine}/stolen", headers={"X-Object-Manifest": f"{bucket}/kept"})
    assert b"kept" not in swift.request("GET", f"/{mine}/stolen").content


# Bodies


def xml_bodies():
    entities = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10}">' for n in range(1, 10))
    yield "bomb", f'<!DOCTYPE a [<!ENTITY e0 "ha">{entities}]><Delete>&e9;</Delete>'
    yield "file", '<!DOCTYPE a [<!ENTITY f SYSTEM "file:///etc/passwd">]><Delete><Object><Key>&f;</Key></Object></Delete>'
    yield "doctype", "<!DOCTYPE Delete><Delete><Object><Key>kept</Key></Object></Delete>"
    yield "deep", "<Delete>" + "<a>" * 100_000 + "</a>" * 100_000 + "</Delete>"
    yield "wide", "<Delete>" + "<a/>" * 500_000 + "</Delete>"
    yield "large", "<Delete>" + "x" * 20 * MB + "</Delete>"
    yield "attributes", "<Delete " + "".join(f'a{n}="{n}" ' for n in range(100_000)) + "/>"
    yield "unclosed", "<Delete><Object><Key>kept</Key>"
    yield "text", "kept"
    yield "empty", ""
    yield "reference", "<Delete><Object><Key>&#0;&#xD800;&#x110000;&none;</Key></Object></Delete>"
    yield "keys", "<Delete>" + "<Object><Key>kept</Key></Object>" * 3_000 + "</Delete>"


XML_BODIES = dict(xml_bodies())


@pytest.mark.parametrize("kind", XML_BODIES)
def test_hostile_xml(store, ana, bucket, kind):
    body = XML_BODIES[kind].encode()
    digest = base64.b64encode(hashlib.md5(body).digest()).decode()
    for method, query in (("POST", "delete"), ("PUT", "cors")):
        request = Request(method, f"/{bucket}", [(query, "")], {"content-md5": digest}, body).sign(ana)
        answer = request.send(store)
        assert 400 <= answer.status < 500, (query, answer.line)
        assert code_of(answer) in {
            "MalformedXML", "EntityTooLarge", "MaxMessageLengthExceeded", "MissingRequestBodyError", "InvalidRequest"}


def test_parts_beyond_10_000(store, ana, ours, bucket):
    upload = ours.create_multipart_upload(Bucket=bucket, Key="new")["UploadId"]
    for number in ("10001", "0", "-1", "x", "1e3", "", "9" * 40):
        query = [("partNumber", number), ("uploadId", upload)]
        answer = put(bucket, query=query).sign(ana).send(store)
        assert answer.status == 400 and code_of(answer) == "InvalidArgument", number
    part = '<Part><PartNumber>{0}</PartNumber><ETag>"d41d8cd98f00b204e9800998ecf8427e"</ETag></Part>'
    parts = "".join(part.format(number) for number in range(1, 10_002))
    body = f"<CompleteMultipartUpload>{parts}</CompleteMultipartUpload>".encode()
    answer = Request("POST", f"/{bucket}/new", [("uploadId", upload)], body=body).sign(ana).send(store)
    assert code_of(answer) in ("MalformedXML", "InvalidArgument", "InvalidPart", "EntityTooLarge")
    for stranger in ("x", "../../x", "0" * 200, "'; drop table uploads; --"):
        answer = put(bucket, query=[("partNumber", "1"), ("uploadId", stranger)]).sign(ana).send(store)
        assert answer.status == 404 and code_of(answer) == "NoSuchUpload"
    ours.abort_multipart_upload(Bucket=bucket, Key="new", UploadId=upload)


def test_bodies_that_end_early(store, ana, token, bucket):
    short = put(bucket).sign(ana)
    short.headers["content-length"] = "2048"
    for text in (short.text(), swift_text(token, "PUT", f"/v1/AUTH_ana/{bucket}/new", "Content-Length: 2048", body=BODY)):
        with connect(store) as connection, connection.makefile("rb") as stream:
            connection.sendall(text)
            connection.shutdown(socket.SHUT_WR)
            try:
                assert 400 <= Answer(stream).status < 500
            except (EOFError, ConnectionResetError):
                pass


@pytest.mark.parametrize("headers", [
    {"x-amz-meta-a": "x" * 9_000}, {f"x-amz-meta-a{number}": "x" * 100 for number in range(90)}], ids=["one", "many"])
def test_too_much_metadata(store, ana, token, bucket, headers):
    answer = Request("PUT", f"/{bucket}/new", body=BODY, headers=headers).sign(ana).send(store)
    assert answer.status in (400, 431) and (answer.status == 431 or code_of(answer) == "MetadataTooLarge")
    lines = [f"{name.replace('amz', 'object').title()}: {value}" for name, value in headers.items()]
    answer = send_all_and_ask(store, swift_text(token, "PUT", f"/v1/AUTH_ana/{bucket}/new", *lines, body=BODY))
    assert answer.status == 431 or answer.status == 400 and is_swift_error(answer)


def test_huge_lists_of_ranges(store, ana, token, bucket):
    ranges = "bytes=" + ",".join(["0-3"] * 1_500)
    for text in (Request("GET", f"/{bucket}/kept", headers={"range": ranges}).sign(ana).text(),
                 swift_text(token, "GET", f"/v1/AUTH_ana/{bucket}/kept", f"Range: {ranges}")):
        answer = send_all_and_ask(store, text)
        assert answer.status in (200, 206, 400, 416) and (answer.status >= 400 or answer.body == b"kept")
    for ranges in ("bytes=3-1", "bytes=x", "bytes=-", "bytes=99999999999999999999999-", "lines=1-2"):
        answer = Request("GET", f"/{bucket}/kept", headers={"range": ranges}).sign(ana).send(store)
        assert answer.status in (200, 400, 416) and (answer.status == 200 or code_of(answer))


@pytest.mark.parametrize("method", ["PATCH", "TRACE", "PROPFIND", "LOCK"])
def test_methods_that_do_not_exist(store, ana, token, bucket, method):
    answer = Request(method, f"/{bucket}/kept").sign(ana).send(store)
    assert answer.status in (400, 405, 501)
    if answer.status == 405:
        assert code_of(answer) == "MethodNotAllowed"
    answer = send_all_and_ask(store, swift_text(token, method, f"/v1/AUTH_ana/{bucket}/kept"))
    assert answer.status in (400, 405, 501)


# Forms and strangers


@pytest.mark.parametrize("change", ["larger", "key", "type", "policy", "signature", "expired", "more", "none"])
def test_forms_beyond_their_policy(store, ours, bucket, change):
    conditions = [["content-length-range", 1, 1024], {"Content-Type": "image/png"}]
    form = ours.generate_presigned_post(
        bucket, "new", Fields={"Content-Type": "image/png"}, Conditions=conditions,
        ExpiresIn=-10 if change == "expired" else 60)
    fields, body = form["fields"], b"x" * (1025 if change == "larger" else 1024)
    if change == "policy":
        policy = json.loads(base64.b64decode(fields["policy"]))
        policy["conditions"] = [["starts-with", "$key", ""]]
        fields["policy"] = base64.b64encode(json.dumps(policy).encode()).decode()
    elif change == "none":
        fields = {"key": "new"}
    else:
        fields |= {"key": {"key": "kept"}, "type": {"Content-Type": "text/html"}, "more": {"x-amz-meta-a": "1"},
                   "signature": {"x-amz-signature": "0" * 64}}.get(change, {})
    answer = requests.post(form["url"], data=fields, files={"file": ("a.png", body)}, timeout=30)
    code = re.search("<Code>(.*)</Code>", answer.text)[1]
    assert answer.status_code in (400, 403)
    known = {"larger": "EntityTooLarge", "policy": "SignatureDoesNotMatch", "signature": "SignatureDoesNotMatch"}
    assert code in known.get(change, "AccessDenied InvalidPolicyDocument").split()


@pytest.mark.parametrize("expect", [[EXPECT], []], ids=["expect", "at-once"])
def test_a_stranger_is_refused_before_the_body_is_read(store, bucket, expect):
    for number in range(200):
        path = f"/v1/AUTH_ana/{bucket}/new{number}" if number % 2 else f"/_s3/{bucket}/new{number}"
        head = "\r\n".join([f"PUT {path} HTTP/1.1", "Host: 127.0.0.1", f"Content-Length: {MB}", *expect]) + "\r\n\r\n"
        with connect(store, timeout=5) as connection, connection.makefile("rb") as stream:
            connection.sendall(head.encode())
            answer = Answer(stream)
        assert answer.status == (401 if number % 2 else 403)
        assert is_swift_error(answer) if number % 2 else code_of(answer) == "AccessDenied"


def test_a_page_among_the_objects_cannot_act_as_a_page_of_the_server(store, ana):
    swift = Swift(store, ana)
    swift.request("PUT", "/pages", headers={"X-Container-Read": ".r:*"})
    swift.request("PUT", "/pages/a.html", data="<script>1</script>", headers={"Content-Type": "text/html"})
    answer = requests.get(f"{swift.url}/pages/a.html", timeout=10)
    assert answer.headers["Content-Security-Policy"] == "sandbox"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
