"""`godwit objects copy` makes a second storage equal to a first one, and the check of a backup reads its objects."""

import json
import os
import pathlib
import subprocess

import pytest
import requests

from conftest import GODWIT, eventually, godwit
from objectstores import (
    MB, MOTO_ACCOUNT, Swift, add_account, make_key, moto_url, new_name, object_files, objects_server, s3_client, s3_of)
from test_objects_crash import back_up, filled, flip_a_byte, remove


HEADERS = ["cache-control", "content-disposition", "content-encoding", "content-language"]


def keys(source, target):
    """The environment with the keys of both sides."""
    pairs = (("SOURCE", source), ("TARGET", target))
    return {
        **os.environ, **{f"GODWIT_{side}_ACCESS_KEY": account.access_key for side, account in pairs},
        **{f"GODWIT_{side}_SECRET_KEY": account.secret_key for side, account in pairs}}


def copy(source, target, *arguments, accounts):
    run = godwit("objects", "copy", source, target, "--json", *arguments, env=keys(*accounts))
    return run, json.loads(run.stdout) if run.stdout else None


def contents(s3, bucket):
    """The bytes and properties of all objects of a bucket by their names."""
    found = {}
    for row in s3.list_objects_v2(Bucket=bucket).get("Contents", []):
        answer = s3.get_object(Bucket=bucket, Key=row["Key"])
        found[row["Key"]] = (answer["Body"].read(), answer["ContentType"], answer["Metadata"],
                              *(answer["ResponseMetadata"]["HTTPHeaders"].get(name) for name in HEADERS))
    return found


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    servers = [objects_server(tmp_path_factory.mktemp(name) / "data") for name in ("first", "standby")]
    yield servers
    for server in servers:
        server.stop()


def test_a_standby_becomes_equal(pair):
    accounts = [add_account(server) for server in pair]
    (s3, standby), urls = [s3_of(*both) for both in zip(pair, accounts)], [f"{server.url}/_s3" for server in pair]
    s3.create_bucket(Bucket="photos", ACL="public-read")
    s3.create_bucket(Bucket="private")
    for name in ("a/ü b", "z", "m%2F?#", "x" * 200):
        s3.put_object(
            Bucket="photos", Key=name, Body=name.encode() * 10_000, ContentType="image/jpeg", Metadata={"n": "1"},
            CacheControl="max-age=60", ContentDisposition="inline", ContentEncoding="br", ContentLanguage="de")
    upload = s3.create_multipart_upload(Bucket="private", Key="parts", ContentType="video/mp4")["UploadId"]
    tags = [s3.upload_part(Bucket="private", Key="parts", UploadId=upload, PartNumber=number,
                           Body=bytes([number]) * 5 * MB)["ETag"] for number in (1, 2)]
    s3.complete_multipart_upload(Bucket="private", Key="parts", UploadId=upload, MultipartUpload={
        "Parts": [{"PartNumber": number, "ETag": tag} for number, tag in enumerate(tags, 1)]})
    run, counts = copy(*urls, accounts=accounts)
    assert run.returncode == 0, run.stderr
    assert (counts["copied"], counts["unchanged"], counts["failed"]) == (5, 0, 0)
    for bucket in ("photos", "private"):
        assert contents(s3, bucket) == contents(standby, bucket) != {}
    public = f"/v1/AUTH_{accounts[1].name}"
    assert requests.get(f"{pair[1].url}{public}/photos/z", timeout=10).status_code == 200
    assert requests.get(f"{pair[1].url}{public}/private/parts", timeout=10).status_code == 401
    # Only what changed is copied. The tags of the object in parts differ, so that it is copied once more.
    s3.put_object(Bucket="photos", Key="z", Body=b"new")
    s3.delete_object(Bucket="photos", Key="a/ü b")
    run, counts = copy(*urls, "--bucket", "photos", accounts=accounts)
    assert (counts["copied"], counts["unchanged"], counts["deleted"]) == (1, 2, 0), run.stderr
    assert "a/ü b" in contents(standby, "photos")
    run, counts = copy(*urls, "--bucket", "photos", "--delete", accounts=accounts)
    assert (counts["copied"], counts["deleted"]) == (0, 1), run.stderr
    assert contents(s3, "photos") == contents(standby, "photos")


def test_a_copy_continues_over_a_restart_of_the_standby(pair):
    first, standby = pair
    accounts = [add_account(server) for server in pair]
    s3 = s3_of(first, accounts[0])
    s3.create_bucket(Bucket="live")
    process = subprocess.Popen(
        [GODWIT, "objects", "copy", f"{first.url}/_s3", f"{standby.url}/_s3", "--continuous", "--interval", "1",
         "--delete"], env=keys(*accounts), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        s3.put_object(Bucket="live", Key="a", Body=b"1")
        eventually(lambda: standby_has(standby, accounts[1], {"a": b"1"}), seconds=60)
        standby.kill()
        s3.put_object(Bucket="live", Key="b", Body=b"2")
        s3.delete_object(Bucket="live", Key="a")
        standby.start()
        eventually(lambda: standby_has(standby, accounts[1], {"b": b"2"}), seconds=60)
    finally:
        process.terminate()
        output, errors = process.communicate(timeout=30)
    assert process.returncode == 0, errors
    assert accounts[0].secret_key not in output + errors


def standby_has(server, account, expected):
    try:
        found = contents(s3_of(server, account), "live")
    except Exception:  # The bucket is not there yet, or the server is starting.
        return False
    return {name: body for name, (body, *_) in found.items()} == expected


def test_moto_is_copied_to_godwit_and_back(pair, moto_url):
    account = add_account(pair[0])
    moto, ours = s3_client(moto_url, MOTO_ACCOUNT), s3_of(pair[0], account)
    bucket = new_name()
    moto.create_bucket(Bucket=bucket)
    for name in ("a", "b/c"):
        moto.put_object(Bucket=bucket, Key=name, Body=name.encode(), ContentType="text/plain", Metadata={"k": name})
    run, counts = copy(moto_url, f"{pair[0].url}/_s3", "--bucket", bucket, accounts=(MOTO_ACCOUNT, account))
    assert run.returncode == 0 and counts["copied"] == 2, run.stderr
    assert contents(ours, bucket) == contents(moto, bucket)
    ours.put_object(Bucket=bucket, Key="new", Body=b"of godwit")
    run, counts = copy(f"{pair[0].url}/_s3", moto_url, "--bucket", bucket, accounts=(account, MOTO_ACCOUNT))
    assert run.returncode == 0 and counts["copied"] == 1, run.stderr
    assert contents(ours, bucket) == contents(moto, bucket)


def test_errors_say_what_to_do(pair):
    account = add_account(pair[0])
    url = f"{pair[0].url}/_s3"
    run = godwit("objects", "copy", url, url, env={**os.environ, "GODWIT_SOURCE_ACCESS_KEY": ""})
    assert run.returncode == 1 and "GODWIT_SOURCE_ACCESS_KEY" in run.stderr
    wrong = type(account)(account.name, account.access_key, "not-the-secret")
    run, _ = copy(url, url, accounts=(account, wrong))
    assert run.returncode == 1 and "not-the-secret" not in run.stderr
    run, _ = copy(url, url, "--bucket", "none", accounts=(account, account))
    assert run.returncode == 1 and "none" in run.stderr
    run, _ = copy("ftp://x", url, accounts=(account, account))
    assert run.returncode == 1 and "source" in run.stderr


# The check of a backup


def check(store, id):
    """Checks a backup, and returns the report."""
    answer = store.request("POST", f"/_godwit/backups/{id}/check", json={})
    assert answer.status_code == 202, answer.text
    return eventually(lambda: (found := store.json("GET", "/_godwit/check"))["ended"] and found)


def add_a_foreign_file(files):
    (files[0].parent / "foreign.txt").write_text("what is this?")
    return "foreign.txt"


@pytest.mark.parametrize("damage", [flip_a_byte, remove, add_a_foreign_file])
@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "encrypted"])
def test_the_check_of_a_backup_reads_its_objects(tmp_path, encrypted, damage):
    key = ["--encryption-key-file", make_key(tmp_path / "key")] if encrypted else []
    store = filled(tmp_path / "data", "--backups", str(tmp_path / "backups"), *key)
    backup = pathlib.Path(back_up(store, tmp_path / "backups"))
    before = {path: path.read_bytes() for path in backup.rglob("*") if path.is_file()}
    report = check(store, backup.name)
    assert report["faulty"] == 0 and report["failure"] is None, report
    assert {path: path.read_bytes() for path in backup.rglob("*") if path.is_file()} == before
    files = sorted((backup / "objects").glob("[0-9a-f][0-9a-f]/*"))
    assert len(files) == 3
    name = damage(files)
    report = check(store, backup.name)
    assert report["faulty"] == 1, report
    assert name in json.dumps(report)
    store.stop()


def test_a_container_that_is_no_bucket_is_reported_and_the_others_are_copied(pair):
    accounts = [add_account(server) for server in pair]
    urls = [f"{server.url}/_s3" for server in pair]
    swift = Swift(pair[0], accounts[0])
    for container in ("photos_segments", "zoo"):
        swift.request("PUT", f"/{container}")
        swift.request("PUT", f"/{container}/a", data=b"a")
    run, counts = copy(*urls, accounts=accounts)
    assert run.returncode == 1 and (counts["copied"], counts["failed"]) == (1, 1), run.stderr
    assert "photos_segments" in run.stderr
    assert set(contents(s3_of(pair[1], accounts[1]), "zoo")) == {"a"}
