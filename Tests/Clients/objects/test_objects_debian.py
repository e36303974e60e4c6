"""Godwit and Debian's OpenStack Swift: the cases of ObjectStoreTests, and the same answers to calls of swiftclient.

Swift's own `tempauth` is the identity service, without Keystone. The last test is Amazon's command `aws` with Godwit.
"""

import hashlib
import os
import pathlib
import re
import subprocess
import sys

import pytest
import swiftclient
from swiftclient.exceptions import ClientException

from conftest import ROOT
from debian_swift import OTHER_USER, PASSWORD, debian
from objectstores import MB, REGION, ana, new_name, store, swift_of

pytestmark = pytest.mark.skipif(
    not os.environ.get("GODWIT_LONG"), reason="takes Debian's Swift and Amazon's aws: ./test --long, or GODWIT_LONG=1")

BODY = bytes(range(256)) * 4


@pytest.mark.timeout(600)
def test_the_swift_client_behaves_alike_with_debian(debian):
    # It uses the build that ./test has made.
    run = subprocess.run(
        ["swift", "test", "--skip-build", "--filter", "ObjectStoreTests/"], cwd=ROOT, capture_output=True, text=True,
        timeout=280, env={**os.environ, "GODWIT_SWIFT_URL": debian.auth_url})
    assert run.returncode == 0, run.stdout[-6_000:] + run.stderr[-2_000:] + debian.log("proxy")
    assert "foreignSwift" in run.stdout


# Headers with the same values.
VALUES = ("content-length", "content-range", "content-type", "etag", "accept-ranges", "x-object-meta-place",
          "x-object-meta-two", "x-container-object-count", "x-container-bytes-used", "x-container-meta-color",
          "x-container-read", "x-static-large-object", "x-object-manifest")
# Headers of each answer of one service, which are not compared.
OTHERS = {
    "cache-control": "Godwit: a proxy must not store what needs a token",
    "content-security-policy": "Godwit: a browser must not run an object's scripts with the rights of the server's pages",
    "x-content-type-options": "Godwit: as above", "cross-origin-resource-policy": "Godwit: as above",
    "server": "Godwit: as CouchDB's answers", "x-couch-request-id": "Godwit: as CouchDB's answers",
    "x-couchdb-body-time": "Godwit: as CouchDB's answers",
    "transfer-encoding": "the form of an empty body", "vary": "Swift: lists have several forms",
    "date": "Swift: Godwit's answers have no Date",
}
PAGE = ("content-length", "content-type")
CALLS = {
    "a container is made": lambda c, box: c.put_container(box),
    "it is made again": lambda c, box: c.put_container(box),
    "a bad name": lambda c, box: c.put_container("n" * 257),
    "metadata of a container": lambda c, box: c.post_container(
        box, {"X-Container-Meta-Color": "red", "X-Container-Read": ".r:*,.rlistings"}),
    "an empty list": lambda c, box: c.get_container(box),
    "PUT": lambda c, box: c.put_object(
        box, "a/ü b", BODY, content_type="image/jpeg", headers={"X-Object-Meta-Place": "Husum"}),
    "PUT with an MD5": lambda c, box: c.put_object(box, "b", BODY, etag=hashlib.md5(BODY).hexdigest()),
    "PUT with another MD5": lambda c, box: c.put_object(box, "c", BODY, etag="0" * 32),
    "PUT without a container": lambda c, box: c.put_object(box + "x", "c", BODY),
    "PUT of an empty object": lambda c, box: c.put_object(box, "a/empty", b"", content_type="a/b"),
    "PUT if there is none": lambda c, box: c.put_object(box, "b", BODY, headers={"If-None-Match": "*"}),
    "PUT that has expired": lambda c, box: c.put_object(box, "b", BODY, headers={"X-Delete-At": "1000"}),
    "HEAD": lambda c, box: c.head_object(box, "a/ü b"),
    "GET": lambda c, box: c.get_object(box, "a/ü b"),
    "GET of a range": lambda c, box: c.get_object(box, "b", headers={"Range": "bytes=10-19"}),
    "GET of the end": lambda c, box: c.get_object(box, "b", headers={"Range": "bytes=-10"}),
    "GET of a range after the end": lambda c, box: c.get_object(box, "b", headers={"Range": "bytes=5000-"}),
    "GET if changed": lambda c, box: c.get_object(box, "b", headers={"If-None-Match": hashlib.md5(BODY).hexdigest()}),
    "GET if unchanged": lambda c, box: c.get_object(box, "b", headers={"If-Match": "0" * 32}),
    "GET of no object": lambda c, box: c.get_object(box, "none"),
    "POST": lambda c, box: c.post_object(box, "a/ü b", {"X-Object-Meta-Two": "2"}),
    "HEAD after POST": lambda c, box: c.head_object(box, "a/ü b"),
    "POST to no object": lambda c, box: c.post_object(box, "none", {"X-Object-Meta-Two": "2"}),
    "COPY": lambda c, box: c.copy_object(box, "a/ü b", f"/{box}/copy", {"X-Object-Meta-Place": "Bristol"}),
    "HEAD of the copy": lambda c, box: c.head_object(box, "copy"),
    "COPY of no object": lambda c, box: c.copy_object(box, "none", f"/{box}/copy"),
    "PUT of a large object": lambda c, box: c.put_object(
        box, "large", '[{"path": "/%s/b"}, {"path": "/%s/copy"}]' % (box, box), content_type="a/b",
        query_string="multipart-manifest=put"),
    "HEAD of a large object": lambda c, box: c.head_object(box, "large"),
    "GET of a large object": lambda c, box: c.get_object(box, "large"),
    "PUT of a dynamic object": lambda c, box: c.put_object(
        box, "dynamic", b"", content_type="a/b", headers={"X-Object-Manifest": f"{box}/a/"}),
    "GET of a dynamic object": lambda c, box: c.get_object(box, "dynamic"),
    "HEAD of a container": lambda c, box: c.head_container(box),
    "a list": lambda c, box: c.get_container(box),
    "a list with a delimiter": lambda c, box: c.get_container(box, delimiter="/"),
    "a list with a prefix": lambda c, box: c.get_container(box, prefix="a/"),
    "a page of a list": lambda c, box: c.get_container(box, marker="a/empty", limit=2),
    "a list up to a name": lambda c, box: c.get_container(box, end_marker="copy"),
    "a list in reverse": lambda c, box: c.get_container(box, query_string="reverse=true"),
    "a list of no container": lambda c, box: c.get_container(box + "x"),
    "DELETE of a container with objects": lambda c, box: c.delete_container(box),
    "DELETE of a large object": lambda c, box: c.delete_object(box, "dynamic"),
    "DELETE": lambda c, box: [c.delete_object(box, name) for name in ("a/ü b", "a/empty", "b", "copy", "large")],
    "DELETE of no object": lambda c, box: c.delete_object(box, "none"),
    "DELETE of a container": lambda c, box: c.delete_container(box),
    "DELETE of no container": lambda c, box: c.delete_container(box),
    "HEAD of the account": lambda c, box: c.head_account(),
}


LISTS = ["an empty list", "a list", "a list with a delimiter", "a list with a prefix", "a page of a list",
         "a list up to a name", "a list in reverse"]
COUNTS = [*LISTS[1:], "HEAD of a container"]
# The calls, what differs, and the reason. `-name` is a header that only Swift sends, `name` a header with another value.
DIFFERENCES = [
    (["a bad name"], ["status"],
     "Swift refuses a name that is too long with 400, a path that is no UTF-8 with 412; Godwit has 412 for both"),
    ([*LISTS, "HEAD of a container"], ["-last-modified"], "Godwit does not store when a container changed"),
    (COUNTS, ["x-container-bytes-used"],
     "a static large object counts with all its bytes in Godwit, with those of its manifest in Swift"),
    (["a list", "a list with a delimiter", "a list in reverse"], ["body"],
     "Swift lists the MD5 of a large object's manifest as its `hash`, and its ETag as `slo_etag`; Godwit its ETag as `hash`"),
    (["HEAD of a large object", "GET of a large object"], ["-x-manifest-etag"], "Godwit has no MD5 of manifests"),
    (["PUT of a large object", "PUT with another MD5"], ["-last-modified"],
     "Godwit sends the time of an object with the object only"),
    (["GET of a range after the end"],
     ["-accept-ranges", "-etag", "-last-modified", "-x-timestamp"],
     "Godwit's errors have no headers of the object"),
    (["GET if unchanged"], ["-etag", "-last-modified", "-x-timestamp"], "Godwit's errors have no headers of the object"),
    (["COPY"], ["-x-copied-from", "-x-copied-from-account", "-x-copied-from-last-modified", "-x-object-meta-place",
                "-x-object-meta-two"], "Godwit's answer to COPY has only the copy's ETag and time"),
    (["HEAD of the account"],
     ["-accept-ranges", *(f"-x-account-storage-policy-policy-0-{what}"
                          for what in ("bytes-used", "container-count", "object-count"))], "Godwit has no storage policies"),
]


def plain(value, box):
    """An answer of swiftclient without the container's name and the times, which differ from service to service."""
    if isinstance(value, dict):
        return {name: re.sub(r"\d", "0", item) if name == "last_modified" else plain(item, box)
                for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, box) for item in value]
    return value.replace(box, "BOX") if isinstance(value, str) else value


def transcript(connection, monkeypatch):
    """The answers to the calls: for each call its statuses, its headers and the content."""
    answers = []
    request = swiftclient.client.HTTPConnection._request

    def recorded(self, *arguments, **options):
        answer = request(self, *arguments, **options)
        answers.append((answer.status_code, {name.lower(): value for name, value in answer.headers.items()}))
        return answer

    # The login is not a part of the comparison: Keystone's and that of version 1 differ.
    connection.get_auth()
    box, found = new_name("c"), {}
    with monkeypatch.context() as patch:
        patch.setattr(swiftclient.client.HTTPConnection, "_request", recorded)
        for name, call in CALLS.items():
            answers.clear()
            try:
                content = call(connection, box)
            except ClientException:
                content = None
            status, fields = answers[-1]
            # A list or an object comes with its headers. Other content types and lengths are those of pages and messages.
            compared = {name: fields[name] for name in fields if name not in OTHERS}
            if status not in (200, 206):
                compared = {name: value for name, value in compared.items() if name not in PAGE}
            elif "x-container-object-count" in compared:
                # The order and the spaces of JSON.
                del compared["content-length"]
            found[name] = {
                "status": [status for status, _ in answers], "fields": plain(compared, box),
                "body": plain(content[1], box) if isinstance(content, tuple) else None}
    return found


def differences(ours, theirs):
    """The parts of two answers to one call that differ, in the form of DIFFERENCES."""
    mine, other = ours["fields"], theirs["fields"]
    return sorted(
        [part for part in ("status", "body") if ours[part] != theirs[part]]
        + [f"-{name}" for name in other.keys() - mine.keys()] + [f"+{name}" for name in mine.keys() - other.keys()]
        + [name for name in VALUES if name in mine and name in other and mine[name] != other[name]])


def test_swiftclient_has_the_same_answers(store, ana, debian, monkeypatch):
    ours = transcript(swift_of(store, ana), monkeypatch)
    theirs = transcript(
        swiftclient.Connection(authurl=debian.auth_url, user=OTHER_USER, key=PASSWORD, auth_version="1", retries=0),
        monkeypatch)
    found = {name: differences(ours[name], theirs[name]) for name in CALLS}
    known = {name: sorted(part for calls, parts, _ in DIFFERENCES if name in calls for part in parts) for name in CALLS}
    changed = [(name, found[name], known[name], ours[name], theirs[name]) for name in CALLS if found[name] != known[name]]
    assert not changed, "\n".join(map(str, changed))
    # The calls did what their names say.
    statuses = {name: answer["status"][-1] for name, answer in theirs.items()}
    assert [statuses[name] for name in ("PUT", "GET", "GET of a range", "POST", "COPY", "DELETE")] == [
        201, 200, 206, 202, 201, 204]
    assert len(theirs["a list"]["body"]) == 6 and theirs["GET"]["fields"]["x-object-meta-place"] == "Husum"


# Amazon's command


class Aws:
    """The command `aws s3` with the keys of an account and no settings of the user."""

    def __init__(self, server, account, directory):
        self.directory = directory
        (directory / "config").write_text("[default]\ns3 =\n  addressing_style = path\n")
        self.endpoint = f"{server.url}/_s3"
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("AWS_")},
            "AWS_ACCESS_KEY_ID": account.access_key, "AWS_SECRET_ACCESS_KEY": account.secret_key,
            "AWS_DEFAULT_REGION": REGION, "AWS_CONFIG_FILE": str(directory / "config"),
            "AWS_SHARED_CREDENTIALS_FILE": str(directory / "none"), "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_MAX_ATTEMPTS": "1"}

    def __call__(self, *words, status=0):
        """Runs `aws s3`; returns its output, or with another status the message of its error."""
        program = pathlib.Path(sys.executable).with_name("aws")
        run = subprocess.run(
            [program, "--endpoint-url", self.endpoint, "s3", *map(str, words)], cwd=self.directory, capture_output=True,
            text=True, timeout=120, env=self.environment)
        assert run.returncode == status, run.stdout + run.stderr
        return run.stdout if status == 0 else run.stderr


def test_amazons_command(store, ana, tmp_path):
    aws, bucket = Aws(store, ana, tmp_path), f"s3://{new_name()}"
    folder, back = tmp_path / "folder", tmp_path / "back"
    # Above 8 MB the command sends parts.
    files = {"large": os.urandom(20 * MB), "a/ü b.txt": BODY, "a/b/c": b"c", "empty": b""}
    for name, body in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(body)
    aws("mb", bucket)
    assert bucket.removeprefix("s3://") in aws("ls")
    # sync sends each file once, then only what changed, and deletes what is gone.
    assert aws("sync", "--no-progress", folder, bucket).count("upload: ") == 4
    assert aws("sync", "--no-progress", folder, bucket) == ""
    (folder / "a/b/c").write_bytes(b"changed")
    (folder / "empty").unlink()
    lines = sorted(aws("sync", "--no-progress", "--delete", folder, bucket).splitlines())
    assert [line.split()[0] for line in lines] == ["delete:", "upload:"]
    # ls
    rows = [line.split(None, 3)[2:] for line in aws("ls", "--recursive", bucket).splitlines()]
    assert rows == [["7", "a/b/c"], ["1024", "a/ü b.txt"], [str(20 * MB), "large"]]
    assert [line.split() for line in aws("ls", bucket + "/a/").splitlines()][0] == ["PRE", "b/"]
    assert "Total Size: 20972551" in aws("ls", "--recursive", "--summarize", bucket)
    aws("ls", bucket + "/none", status=1)
    # The other way
    aws("sync", "--no-progress", bucket, back)
    assert (back / "large").read_bytes() == files["large"] and (back / "a/ü b.txt").read_bytes() == BODY
    # cp: from the service to the service (also in parts), to standard output, with a type and metadata
    aws("cp", "--no-progress", f"{bucket}/large", f"{bucket}/copy")
    aws("cp", "--no-progress", f"{bucket}/copy", tmp_path / "copy")
    assert (tmp_path / "copy").read_bytes() == files["large"]
    assert aws("cp", f"{bucket}/a/b/c", "-") == "changed"
    aws("cp", "--no-progress", "--content-type", "text/x-gull", "--metadata", "k=v", folder / "a/b/c", f"{bucket}/typed")
    head = swift_of(store, ana).head_object(bucket.removeprefix("s3://"), "typed")
    assert head["content-type"] == "text/x-gull" and head["x-object-meta-k"] == "v"
    aws("mv", "--no-progress", f"{bucket}/typed", f"{bucket}/moved")
    assert "404" in aws("cp", f"{bucket}/typed", "-", status=1)
    # rm
    assert aws("rm", f"{bucket}/moved").startswith("delete: ")
    assert "BucketNotEmpty" in aws("rb", bucket, status=1)
    assert aws("rm", "--recursive", "--exclude", "a/*", bucket).count("delete: ") == 2
    assert aws("rb", "--force", bucket).count("delete: ") == 2
    assert "NoSuchBucket" in aws("ls", bucket, status=255)
