"""Object storage: servers with accounts, boto3 and swiftclient clients, and requests signed here field by field."""

import base64
import dataclasses
import datetime
import functools
import hashlib
import hmac
import logging
import os
import re
import secrets
import time
import urllib.parse

import boto3
import pytest
import requests
import swiftclient
from botocore.config import Config
from botocore.exceptions import ClientError
from moto.server import ThreadedMotoServer

from conftest import Server, godwit
from loads import send_all_and_ask

REGION = "us-east-1"
MB = 1 << 20
EMPTY_SHA256 = hashlib.sha256(b"").hexdigest()
UNSIGNED = "UNSIGNED-PAYLOAD"
STREAMING = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
# moto logs each request.
logging.getLogger("werkzeug").setLevel(logging.ERROR)


@dataclasses.dataclass(frozen=True)
class Account:
    name: str
    access_key: str
    secret_key: str


# moto accepts any credentials.
MOTO_ACCOUNT = Account("moto", "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")


def objects_server(data, *arguments, **options):
    return Server(data, arguments=["--objects", *arguments], **options)


def account_command(server, *arguments):
    """Runs `godwit objects account` as the server's administrator."""
    return godwit("objects", "account", *arguments, "--url", server.database("").rstrip("/"))


def keys_in(output):
    """The two keys that a command printed."""
    return [re.search(rf"^{kind} key: (\S+)$", output, re.MULTILINE)[1] for kind in ("access", "secret")]


def add_account(server, name=None, quota=None):
    name = name or "a" + secrets.token_hex(4)
    run = account_command(server, "add", name, *([] if quota is None else ["--quota", str(quota)]))
    assert run.returncode == 0, run.stdout + run.stderr
    return Account(name, *keys_in(run.stdout))


def s3_client(endpoint, account, **config):
    return boto3.client(
        "s3", endpoint_url=endpoint, region_name=REGION,
        aws_access_key_id=account.access_key, aws_secret_access_key=account.secret_key,
        config=Config(**{"signature_version": "s3v4", "s3": {"addressing_style": "path"},
                         "retries": {"total_max_attempts": 1}, **config}))


def s3_of(server, account, **config):
    return s3_client(f"{server.url}/_s3", account, **config)


def swift_options(server, account):
    """The options by which swiftclient's `Connection` and `SwiftService` log in with Keystone."""
    return {
        "auth_version": "3", "os_auth_url": f"{server.url}/v3", "os_username": account.name,
        "os_password": account.secret_key, "os_project_name": account.name, "os_user_domain_name": "Default",
        "os_project_domain_name": "Default", "os_region_name": REGION}


def swift_of(server, account):
    return swiftclient.Connection(
        authurl=f"{server.url}/v3", user=account.name, key=account.secret_key, auth_version="3", retries=0,
        os_options={"project_name": account.name, "user_domain_name": "Default", "project_domain_name": "Default",
                    "region_name": REGION})


def credentials(account, project=True):
    """The body of a request for a token."""
    user = {"name": account.name, "domain": {"name": "Default"}, "password": account.secret_key}
    body = {"auth": {"identity": {"methods": ["password"], "password": {"user": user}}}}
    if project:
        body["auth"]["scope"] = {"project": {"name": account.name, "domain": {"name": "Default"}}}
    return body


def token_of(server, account):
    answer = requests.post(f"{server.url}/v3/auth/tokens", json=credentials(account), timeout=30)
    assert answer.status_code == 201, answer.text
    return answer.headers["X-Subject-Token"]


class Swift:
    """Plain requests to an account at `/v1`, with a token or without one."""

    def __init__(self, server, account, token=None):
        self.token = token_of(server, account) if token is None else token
        self.url = f"{server.url}/v1/AUTH_{account.name}"

    def request(self, method, path="", headers=None, **options):
        token = {"X-Auth-Token": self.token} if self.token else {}
        return requests.request(method, self.url + path, headers={**token, **(headers or {})}, timeout=60, **options)


def refused(codes, call, *arguments, **options):
    """Makes a boto3 call that fails with one of the codes (separated by spaces); returns the answer."""
    with pytest.raises(ClientError) as error:
        call(*arguments, **options)
    assert error.value.response["Error"]["Code"] in codes.split(), error.value
    return error.value.response


def new_name(prefix="b"):
    return f"{prefix}-{secrets.token_hex(6)}"


# Fixtures


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    server = objects_server(tmp_path_factory.mktemp("objects") / "data")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def ana(store):
    return add_account(store, "ana")


@pytest.fixture(scope="module")
def ben(store):
    return add_account(store, "ben")


@pytest.fixture(scope="module")
def moto_url():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    yield "http://%s:%d" % server.get_host_and_port()
    server.stop()


@pytest.fixture(scope="module")
def ours(store, ana):
    return s3_of(store, ana)


@pytest.fixture(scope="module", params=["godwit", "moto"])
def s3(request):
    """A boto3 client of Godwit, then of moto."""
    if request.param == "godwit":
        return request.getfixturevalue("ours")
    return s3_client(request.getfixturevalue("moto_url"), MOTO_ACCOUNT)


@pytest.fixture
def bucket(s3):
    name = new_name()
    s3.create_bucket(Bucket=name)
    return name


@pytest.fixture
def our_bucket(ours):
    name = new_name()
    ours.create_bucket(Bucket=name)
    return name


def make_key(path):
    """A file with an encryption key of a directory."""
    path.write_text(secrets.token_hex(32) + "\n")
    path.chmod(0o600)
    return str(path)


# Signature Version 4


def escaped(text, safe=""):
    return urllib.parse.quote(text, safe=safe + "-._~")


def timestamp(seconds=0):
    """The present time, moved by some seconds, as Signature Version 4 writes it."""
    moment = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=seconds)
    return moment.strftime("%Y%m%dT%H%M%SZ")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def hmac_sha256(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Request:
    """A request to S3 whose every field may be altered after it was signed.

    The path is as on the wire, without `/_s3`; the query has decoded names and values; header names are lowercase.
    """

    def __init__(self, method, path, query=(), headers=None, body=b""):
        self.method, self.path, self.query, self.body = method, "/_s3" + path, list(query), body
        self.headers = {"host": "127.0.0.1", **(headers or {})}

    def query_text(self):
        return "&".join(f"{escaped(name)}={escaped(value)}" for name, value in self.query)

    def signature(self, account, names, at, payload, region):
        """The signature by the present fields. It becomes the seed of chunk signatures."""
        pairs = sorted((escaped(name), escaped(value)) for name, value in self.query)
        canonical = "\n".join([
            self.method, self.path, "&".join(f"{name}={value}" for name, value in pairs),
            *(f"{name}:{' '.join(self.headers[name].split())}" for name in names), "", ";".join(names), payload])
        self.at, self.scope = at, f"{at[:8]}/{region}/s3/aws4_request"
        self.key = f"AWS4{account.secret_key}".encode()
        for part in self.scope.split("/"):
            self.key = hmac_sha256(self.key, part)
        text = f"AWS4-HMAC-SHA256\n{at}\n{self.scope}\n{sha256(canonical.encode())}"
        self.seed = hmac_sha256(self.key, text).hex()
        return self.seed

    def sign(self, account, at=None, payload=None, region=REGION):
        at, payload = at or timestamp(), payload or sha256(self.body)
        self.headers |= {"x-amz-date": at, "x-amz-content-sha256": payload}
        names = sorted(self.headers)
        signature = self.signature(account, names, at, payload, region)
        self.headers["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={account.access_key}/{self.scope}, "
            f"SignedHeaders={';'.join(names)}, Signature={signature}")
        return self

    def presign(self, account, expires=300, at=None, region=REGION):
        at, names = at or timestamp(), sorted(self.headers)
        self.query += [
            ("X-Amz-Algorithm", "AWS4-HMAC-SHA256"),
            ("X-Amz-Credential", f"{account.access_key}/{at[:8]}/{region}/s3/aws4_request"), ("X-Amz-Date", at),
            ("X-Amz-Expires", str(expires)), ("X-Amz-SignedHeaders", ";".join(names))]
        self.query.append(("X-Amz-Signature", self.signature(account, names, at, UNSIGNED, region)))
        return self

    def sign_chunks(self, account, chunks):
        """Signs the request and each chunk of its body; the body is the chunks in the form `aws-chunked`."""
        self.headers |= {
            "content-encoding": "aws-chunked", "x-amz-decoded-content-length": str(sum(map(len, chunks)))}
        self.sign(account, payload=STREAMING)
        signature, pieces = self.seed, []
        for chunk in [*chunks, b""]:
            text = "\n".join(
                ["AWS4-HMAC-SHA256-PAYLOAD", self.at, self.scope, signature, EMPTY_SHA256, sha256(chunk)])
            signature = hmac_sha256(self.key, text).hex()
            pieces.append(b"%x;chunk-signature=%s\r\n%s\r\n" % (len(chunk), signature.encode(), chunk))
        self.body = b"".join(pieces)
        return self

    def text(self, *more):
        """The bytes of the request; more header lines are neither signed nor checked."""
        target = self.path + ("?" + self.query_text() if self.query else "")
        fields = [f"{name}: {value}" for name, value in self.headers.items()]
        lines = [f"{self.method} {target} HTTP/1.1", *fields, *more]
        if "content-length" not in self.headers and (self.body or self.method in ("PUT", "POST")):
            lines.append(f"content-length: {len(self.body)}")
        return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + self.body

    def send(self, server, *more):
        return send_all_and_ask(server, self.text(*more))


def code_of(answer):
    """The code in S3's error body."""
    assert answer.headers["content-type"].startswith("application/xml"), (answer.line, answer.headers, answer.body[:500])
    found = re.search(rb"<Error>.*<Code>(\w+)</Code>", answer.body, re.DOTALL)
    assert found, answer.body[:500]
    return found[1].decode()


# Temporary URLs and checksums


def temp_url(server, account, key, method, path, *, seconds=60, digest="sha256", signed_path=None, **more):
    """The URL of an object (or of a prefix, with `signed_path="prefix:…"`) that needs no token for some time."""
    path, expires = f"/v1/AUTH_{account.name}{path}", int(time.time()) + seconds
    text = f"{method}\n{expires}\n{signed_path or path}"
    signature = hmac.new(key.encode(), text.encode(), digest).hexdigest()
    query = {"temp_url_sig": signature, "temp_url_expires": expires, **more}
    return f"{server.url}{urllib.parse.quote(path)}?{urllib.parse.urlencode(query)}"


@functools.lru_cache(maxsize=8)
def crc(data, polynomial, bits):
    """A reflected cyclic redundancy check, bit by bit, in base64 as S3's checksum headers have it."""
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (polynomial if value & 1 else 0)
        table.append(value)
    rest = mask = (1 << bits) - 1
    for byte in data:
        rest = table[(rest ^ byte) & 255] ^ rest >> 8
    return base64.b64encode((rest ^ mask).to_bytes(bits // 8, "big")).decode()


def checksum(kind, data):
    if kind in ("SHA1", "SHA256"):
        return base64.b64encode(hashlib.new(kind.lower(), data).digest()).decode()
    return crc(data, *{"CRC32": (0xEDB88320, 32), "CRC32C": (0x82F63B78, 32),
                       "CRC64NVME": (0x9A6C9329AC4BC9B5, 64)}[kind])


def object_files(data):
    """The files of objects' bytes below a server's directory, and those of unfinished uploads."""
    root = os.path.join(data, "objects")
    blobs, uploads = [], []
    for folder, _, names in os.walk(root):
        place = os.path.relpath(folder, root)
        if place == "uploads" or place.startswith("uploads" + os.sep):
            uploads += [os.path.join(folder, name) for name in names]
        elif place != ".":
            blobs += [os.path.join(folder, name) for name in names]
    return sorted(blobs), sorted(uploads)
