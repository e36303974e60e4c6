"""The names of CDTDatastore and IMFData: the calls of the old guide against a server, an old app on an imported datastore, and the
documentation of each name."""

import pathlib
import re
import subprocess

import pytest

from cloudant_sync import Datastore
from conftest import GODWIT, ROOT, Server, godwit

PROGRAMS = pathlib.Path(GODWIT).parent
SOURCES = sorted((ROOT / "Sources/Cloudant/GodwitCloudantCompat").glob("*.swift"))


@pytest.fixture
def server(tmp_path):
    server = Server(tmp_path / "server")
    yield server
    server.stop()


def run(program, *arguments):
    return subprocess.run([PROGRAMS / program, *map(str, arguments)], capture_output=True, text=True, timeout=90)


def test_the_calls_of_the_guide_run(tmp_path, server):
    result = run("CloudantSteps", tmp_path / "stores", server.database("").rstrip("/"))
    assert result.returncode == 0, result.stdout + result.stderr
    for step in ["before: a query with a predicate", "after: customer > '', type Claim", "a login after 401, and the request once more",
                 "notifications name the replication", "a refusal of a request", "a refusal of a response", "is refused again"]:
        assert step in result.stdout, step


def test_an_old_app_continues_on_an_imported_datastore(tmp_path, server):
    old = Datastore("claims")
    first = old.revise("c1", {"@datatype": "Claim", "customer": "Ada", "text": "hail", "closed": False},
                       attachments={"photo": (b"jpeg" * 100, "image/jpeg")})
    old.revise("c2", {"@datatype": "Claim", "customer": "Grace", "text": "fire", "closed": False})
    old.revise("c3", {"@datatype": "Policy", "customer": "Ada"})
    old.index("claimindex", "@datatype", "customer")
    old.save(tmp_path / "old")
    app, url = tmp_path / "app", server.database("claims")
    server.json("PUT", "/claims")
    for target in (app, server.database("").rstrip("/")):
        result = godwit("import-cdt", str(tmp_path / "old"), str(target))
        assert result.returncode == 0, result.stderr
    listed = run("ClaimsApp", app, url, "list")
    assert listed.stdout.splitlines() == [
        "c1  open  Ada  hail  photo (400 bytes)", "c2  open  Grace  fire"], listed.stdout + listed.stderr
    # The server, which took the place of the old one, has every revision: nothing is transferred.
    synced = run("ClaimsApp", app, url, "sync")
    assert synced.returncode == 0, synced.stdout + synced.stderr
    assert server.json("GET", "/claims/c1")["_rev"] == first
    # Both sides change a claim; a claim is added with a photo.
    assert run("ClaimsApp", app, url, "close", "c1").returncode == 0
    claim = server.json("GET", "/claims/c1")
    server.json("PUT", "/claims/c1", json={**claim, "text": "hail, 2 cm"})
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8" + bytes(200_000))
    added = run("ClaimsApp", app, url, "add", "Linus", "flood", tmp_path / "photo.jpg").stdout.strip()
    for _ in range(2):
        synced = run("ClaimsApp", app, url, "sync")
        assert synced.returncode == 0 and "CDTReplicatorStateComplete" in synced.stdout, synced.stdout
    assert server.json("GET", "/claims/c1?conflicts=true")["closed"] is True
    assert "_conflicts" not in server.json("GET", "/claims/c1?conflicts=true")
    assert len(server.request("GET", f"/claims/{added}/photo").content) == 200_002
    assert "in conflict" not in run("ClaimsApp", app, url, "list").stdout


def public_symbols():
    """Each public declaration with the comment above it."""
    for path in SOURCES:
        comment, depth = [], 0
        for line in path.read_text().splitlines():
            text = line.strip()
            if text.startswith("///"):
                comment.append(text)
            elif text.startswith("@") or (comment and text.startswith("-")):
                continue
            elif re.match(r"(public|case) ", text):
                isInPublicEnum = text.startswith("case ") and " ." not in text and not text.endswith(":")
                if text.startswith("public") and not text.startswith("public import") or (
                        isInPublicEnum and comment):
                    yield f"{path.name}: {text}", " ".join(comment)
                comment = []
            else:
                comment = []


def test_each_name_has_its_origin_and_its_successor():
    symbols = list(public_symbols())
    assert len(symbols) > 120
    missing = [name for name, comment in symbols if "Origin: " not in comment or "New: " not in comment]
    assert not missing, missing


def test_what_was_left_out_is_in_the_guide():
    guide = (ROOT / "docs/coming-from/cloudant-sync-ios.md").read_text()
    for name in ("IMFLogger", "IMFPushClient", "CDTFetchChanges", "IAM"):
        assert name in guide, name
