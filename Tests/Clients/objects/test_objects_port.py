"""S3 at the root of a port of its own, and presigned URLs with signature version 2 (issue 55, 3)."""

import base64
import hashlib
import hmac
import re
import subprocess
import threading
import time
import types
import urllib.parse

import boto3
import pytest
import requests
from botocore.config import Config

from conftest import GODWIT
from objectstores import MB, REGION, Request, add_account, code_of, new_name, objects_server, refused, s3_client

HOST = "s3.test"


def s3_url(server):
    """The URL of S3's port, which the server prints in its second line."""
    lines = []
    reader = threading.Thread(target=lambda: lines.append(server.process.stdout.readline()), daemon=True)
    reader.start()
    reader.join(20)
    assert lines, "the server prints no second line"
    return re.fullmatch(r"S3 is at (http://127\.0\.0\.1:\d+)\n", lines[0])[1]


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = objects_server(tmp_path_factory.mktemp("objects") / "data", "--s3-port", "0", "--s3-host", HOST)
    server.s3 = s3_url(server)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def port(server):
    """The port with S3, for `Request.send`."""
    return types.SimpleNamespace(url=server.s3, port=server.s3.rsplit(":", 1)[1])


@pytest.fixture(scope="module")
def account(server):
    return add_account(server)


@pytest.fixture(scope="module")
def client(server, account):
    return s3_client(server.s3, account)


@pytest.fixture
def bucket(client):
    name = new_name()
    client.create_bucket(Bucket=name)
    return name


def at_root(method, path, host="127.0.0.1", **options):
    request = Request(method, path, **options)
    request.path, request.headers["host"] = path, host
    return request


def test_boto3_at_the_root(client, bucket):
    assert bucket in [row["Name"] for row in client.list_buckets()["Buckets"]]
    for key in ("a", "a b/ü+", "/leading", "_s3/x", "_utils", "a//b", "%2F"):
        client.put_object(Bucket=bucket, Key=key, Body=key.encode())
        assert client.get_object(Bucket=bucket, Key=key)["Body"].read() == key.encode()
        url = client.generate_presigned_url("get_object", {"Bucket": bucket, "Key": key})
        assert requests.get(url, timeout=30).text == key
    assert len(client.list_objects_v2(Bucket=bucket)["Contents"]) == 7
    upload = {"Bucket": bucket, "Key": "large"}
    upload["UploadId"] = client.create_multipart_upload(**upload)["UploadId"]
    parts = [{"PartNumber": number, "ETag": client.upload_part(**upload, PartNumber=number, Body=b"x" * 5 * MB)["ETag"]}
             for number in (1, 2)]
    client.complete_multipart_upload(**upload, MultipartUpload={"Parts": parts})
    assert client.head_object(Bucket=bucket, Key="large")["ContentLength"] == 10 * MB
    form = client.generate_presigned_post(bucket, "form")
    answer = requests.post(form["url"], data=form["fields"], files={"file": ("a", b"1")}, timeout=30)
    assert answer.status_code == 204 and answer.headers["Location"] == f"/{bucket}/form"


def test_both_places_have_the_same_objects(server, account, client, bucket):
    client.put_object(Bucket=bucket, Key="a", Body=b"1")
    assert s3_client(f"{server.url}/_s3", account).get_object(Bucket=bucket, Key="a")["Body"].read() == b"1"


@pytest.mark.parametrize("host", [f"{{}}.{HOST}", f"{{}}.{HOST}:9000", f"{{}}.{HOST.upper()}"])
def test_a_bucket_in_the_host_name(account, port, client, host):
    bucket = new_name("b.dots")
    host = host.format(bucket)
    assert at_root("PUT", "/", host).sign(account).send(port).status == 200
    for key in ("a", "a/b", "/leading", bucket):
        assert at_root("PUT", f"/{key}", host, body=b"1").sign(account).send(port).status == 200
        assert client.get_object(Bucket=bucket, Key=key)["Body"].read() == b"1"
    answer = at_root("GET", "/", host, query=[("list-type", "2")]).sign(account).send(port)
    assert answer.body.count(b"<Key>") == 4 and f"<Name>{bucket}</Name>".encode() in answer.body
    assert at_root("GET", "/a", host).presign(account).send(port).body == b"1"
    # Another host is not a bucket.
    for other in (HOST, f"{bucket}.other.test", f"{bucket}{HOST}", f".{HOST}", "127.0.0.1"):
        answer = at_root("GET", f"/{bucket}/a", other).sign(account).send(port)
        assert answer.body == b"1", (other, answer.body)
    assert code_of(at_root("GET", "/a", f"UP_PER.{HOST}").sign(account).send(port)) in ("NoSuchBucket", "InvalidBucketName")


def test_the_signature_is_that_of_the_path_as_sent(account, port, bucket):
    for change in ({"path": f"/{bucket}/b"}, {"path": f"/_s3/{bucket}/a"}, {"method": "PUT"}):
        for request in (at_root("GET", f"/{bucket}/a").sign(account), at_root("GET", f"/{bucket}/a").presign(account)):
            for name, value in change.items():
                setattr(request, name, value)
            assert code_of(request.send(port)) == "SignatureDoesNotMatch"
    # A signature for /_s3 is not valid here.
    request = Request("GET", f"/{bucket}/a").sign(account)
    request.path = f"/{bucket}/a"
    assert code_of(request.send(port)) == "SignatureDoesNotMatch"
    # The host is signed, too.
    request = at_root("GET", "/a", f"{bucket}.{HOST}").sign(account)
    request.headers["host"] = f"other.{HOST}"
    assert code_of(request.send(port)) == "SignatureDoesNotMatch"


@pytest.mark.parametrize("path", [
    "/", "/_up", "/_all_dbs", "/_utils", "/_utils/index.html", "/_session", "/_users/_all_docs", "/_godwit/objects",
    "/_godwit/routes", "/v1/AUTH_a", "/v3/auth/tokens", "/info", "/_s3", "/_s3/b/k", "/_node/_local/_stats", "/db/doc", "//"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "COPY", "PATCH"])
def test_nothing_else_is_there(server, method, path):
    answer = requests.request(method, server.s3 + path, auth=("admin", "secret"), timeout=30)
    assert answer.status_code in (400, 401, 403, 405), (answer.status_code, answer.text)
    assert method == "HEAD" or answer.headers["Content-Type"] == "application/xml" and "<Error>" in answer.text


def test_only_this_machine_is_served(port):
    hexadecimal = f"{int(port.port):04X}"
    with open("/proc/net/tcp", encoding="ascii") as file:
        listening = [line.split()[1] for line in file if line.split()[3] == "0A"]
    assert [address for address in listening if address.endswith(":" + hexadecimal)] == [f"0100007F:{hexadecimal}"]


@pytest.mark.parametrize("options, message", [
    (["--s3-port", "0"], "--objects"), (["--objects", "--s3-host", "a.b"], "--s3-port"),
    (["--objects", "--s3-port", "0", "--s3-host", "a b"], "--s3-host"), (["--objects", "--s3-port", "0", "--s3-host", "a:1"], "--s3-host"),
    (["--objects", "--s3-port", "0", "--s3-host", "a..b"], "--s3-host"), (["--objects", "--s3-port", "65536"], "port"),
    (["--objects", "--port", "9173", "--s3-port", "9173"], "differ")])
def test_options_that_do_not_fit(tmp_path, options, message):
    port = [] if "--port" in options else ["--port", "0"]
    run = subprocess.run([GODWIT, "serve", "--data", tmp_path / "data", *port, *options], capture_output=True, text=True, timeout=30)
    assert run.returncode not in (0, -15) and message in run.stderr, run.stderr


def test_a_port_in_use(server, port, tmp_path):
    run = subprocess.run(
        [GODWIT, "serve", "--data", tmp_path / "data", "--port", "0", "--objects", "--s3-port", port.port, "--admin", "a:b"],
        capture_output=True, text=True, timeout=30)
    assert run.returncode == 1 and f"port {port.port} is in use" in run.stderr and "--s3-port" in run.stderr, run.stderr


def test_the_settings_of_the_environment(tmp_path):
    server = objects_server(tmp_path / "data", environment={"GODWIT_S3_PORT": "0", "GODWIT_S3_HOST": HOST, "GODWIT_S3_SIGNATURE_V2": "false"})
    url = s3_url(server)
    account = add_account(server)
    s3_client(url, account).create_bucket(Bucket="photos")
    answer = requests.get(default_client(url, account).generate_presigned_url("get_object", {"Bucket": "photos", "Key": "a"}), timeout=30)
    assert answer.status_code == 400 and "version 2" in answer.text
    server.stop()


# Signature version 2


def default_client(endpoint, account):
    """boto3 without any settings of signatures."""
    return boto3.client("s3", endpoint_url=endpoint, region_name=REGION, aws_access_key_id=account.access_key,
                        aws_secret_access_key=account.secret_key, config=Config(retries={"total_max_attempts": 1}))


@pytest.fixture(params=["port", "path"])
def plain(request, server, account):
    return default_client(server.s3 if request.param == "port" else f"{server.url}/_s3", account)


def test_urls_of_boto3_without_settings(plain, client, bucket):
    for key in ("a", "a b/ü+", "a//b", "%2F", "a&b=c"):
        here = {"Bucket": bucket, "Key": key}
        url = plain.generate_presigned_url("put_object", {**here, "ContentType": "a/b"})
        assert "AWSAccessKeyId=" in url
        assert requests.put(url, data=b"1", headers={"Content-Type": "c/d"}, timeout=30).status_code == 403
        answer = requests.put(url, data=b"1", headers={"Content-Type": "a/b"}, timeout=30)
        assert answer.status_code == 200, (url, answer.text)
        answer = requests.get(plain.generate_presigned_url("get_object", here), timeout=30)
        assert (answer.content, answer.headers["Content-Type"]) == (b"1", "a/b")
        assert requests.head(plain.generate_presigned_url("head_object", here), timeout=30).status_code == 200
        url = plain.generate_presigned_url("get_object", {**here, "ResponseContentType": "text/x; a=b"})
        assert requests.get(url, timeout=30).headers["Content-Type"] == "text/x; a=b"
    assert requests.delete(plain.generate_presigned_url("delete_object", here), timeout=30).status_code == 403
    assert client.get_object(**here)["Body"].read() == b"1"


def test_parts_by_urls(plain, client, bucket):
    here = {"Bucket": bucket, "Key": "large"}
    here["UploadId"] = client.create_multipart_upload(**here)["UploadId"]
    url = plain.generate_presigned_url("upload_part", {**here, "PartNumber": 1})
    assert requests.put(url.replace("partNumber=1", "partNumber=2"), data=b"1", timeout=30).status_code == 403
    assert requests.put(url, data=b"1", timeout=30).status_code == 200


def version2(account, method, path, seconds=60, *, query="", headers=(), signed_path=None, expires=None, key=None):
    expires = int(time.time()) + seconds if expires is None else expires
    lines = "".join(f"{name}:{value}\n" for name, value in sorted(dict(headers).items()) if name.startswith("x-amz-"))
    text = f"{method}\n\n\n{expires}\n{lines}{signed_path or path}{'?' + query if query else ''}"
    signature = base64.b64encode(hmac.new((key or account.secret_key).encode(), text.encode(), hashlib.sha1).digest()).decode()
    own = urllib.parse.urlencode({"AWSAccessKeyId": account.access_key, "Expires": expires, "Signature": signature})
    return f"{path}?{own}{'&' + query if query else ''}"


@pytest.fixture
def object_path(client, bucket):
    client.put_object(Bucket=bucket, Key="a", Body=b"1")
    return f"/{bucket}/a"


@pytest.mark.parametrize("change, code", [
    (lambda url: url, None), (lambda url: url.replace("/a?", "/b?"), "SignatureDoesNotMatch"),
    (lambda url: url + "&acl", "SignatureDoesNotMatch"), (lambda url: url + "&response-content-type=text/html", "SignatureDoesNotMatch"),
    (lambda url: url + "&partNumber=1", "SignatureDoesNotMatch"), (lambda url: url + "&attributes", "AccessDenied"),
    (lambda url: url + "&list-type=2", "AccessDenied"), (lambda url: url + "&x-amz-acl=private", "AccessDenied"),
    (lambda url: url + "&Expires=99999999999", "AccessDenied"), (lambda url: re.sub("Expires=\\d+", "Expires=9999999999", url), "AccessDenied"),
    (lambda url: re.sub("Signature=.*", "Signature=", url), "SignatureDoesNotMatch"),
    (lambda url: re.sub("Signature=.*", "Signature=AAAA", url), "SignatureDoesNotMatch"),
    (lambda url: re.sub("Signature=.*", "Signature=" + "A" * 9000, url), "SignatureDoesNotMatch"),
    (lambda url: re.sub("AWSAccessKeyId=\\w+", "AWSAccessKeyId=none", url), "InvalidAccessKeyId"),
    (lambda url: re.sub("Expires=\\d+&", "", url), "AccessDenied")])
def test_a_url_that_was_changed(server, account, object_path, change, code):
    answer = requests.get(server.s3 + change(version2(account, "GET", object_path)), timeout=30)
    if code:
        assert answer.status_code == 403 and f"<Code>{code}</Code>" in answer.text, answer.text
    else:
        assert answer.content == b"1"


@pytest.mark.parametrize("seconds, works", [(-1, False), (60, True), (604_700, True), (604_900, False), (10 ** 12, False)])
def test_the_expiry_is_bounded(server, account, object_path, seconds, works):
    assert requests.get(server.s3 + version2(account, "GET", object_path, seconds), timeout=30).ok == works


@pytest.mark.parametrize("expires", ["", "x", "1e99", "9" * 40, "-1", " 1"])
def test_an_expiry_that_is_no_time(server, account, object_path, expires):
    answer = requests.get(server.s3 + version2(account, "GET", object_path, expires=expires), timeout=30)
    assert answer.status_code == 403 and "AccessDenied" in answer.text


@pytest.mark.parametrize("method", ["PUT", "POST", "DELETE", "HEAD", "OPTIONS"])
def test_a_url_for_get_permits_nothing_else(server, account, client, object_path, method):
    url = server.s3 + version2(account, "GET", object_path)
    assert requests.request(method, url, data=b"2", timeout=30).status_code in (400, 403)
    assert requests.get(url, headers={"x-amz-meta-a": "1"}, timeout=30).status_code == 403
    assert requests.get(url, headers={"X-HTTP-Method-Override": "DELETE"}, timeout=30).ok
    url = server.s3 + version2(account, method, object_path)
    answer = requests.request(method, url, data=b"1", timeout=30)
    assert answer.ok == (method in ("PUT", "HEAD")), answer.text


@pytest.mark.parametrize("query", ["", "acl", "uploads", "cors", "location"])
def test_buckets_need_version_4(server, account, bucket, query):
    for path in (f"/{bucket}", f"/{bucket}/", "/"):
        assert requests.get(server.s3 + version2(account, "GET", path, query=query), timeout=30).status_code == 403


def test_a_body_in_signed_chunks_is_not_stored_as_it_is(server, account, object_path):
    for payload in ("STREAMING-AWS4-HMAC-SHA256-PAYLOAD", "STREAMING-UNSIGNED-PAYLOAD-TRAILER"):
        headers = {"x-amz-content-sha256": payload, "x-amz-decoded-content-length": "1"}
        answer = requests.put(
            server.s3 + version2(account, "PUT", object_path, headers=headers), data=b"1\r\n1\r\n0\r\n\r\n", headers=headers, timeout=30)
        assert answer.status_code == 400, answer.text


def test_the_host_of_a_bucket(server, account, port, object_path):
    bucket = object_path.split("/")[1]
    request = at_root("GET", "/a", f"{bucket}.{HOST}")
    request.path = version2(account, "GET", "/a", signed_path=object_path)
    assert request.send(port).body == b"1"


def test_the_log_has_no_signature(account, tmp_path):
    log = tmp_path / "log"
    server = objects_server(tmp_path / "data", "--s3-port", "0", "--access-log", str(log))
    url = s3_url(server)
    requests.get(url + version2(account, "GET", "/photos/a"), timeout=30)
    server.stop()
    text = log.read_text()
    assert "/photos/a" in text and "Signature" not in text and account.access_key not in text
