"""Objects survive kills, full disks, backups and new keys; `godwit doctor` finds what happened to their files."""

import concurrent.futures
import hashlib
import os
import pathlib
import random
import threading
import time

import pytest
import requests
from botocore.exceptions import BotoCoreError, ClientError

from conftest import eventually, godwit
from loads import Growth
from disks import fill, small_disk
from objectstores import MB, Swift, add_account, make_key, object_files, objects_server, refused, s3_of

UPLOADS = 200
THREADS = 8
ROUNDS = 2
SECRET = b"a plover's flight, 0123456789 "
BODY = SECRET * 1_000


def sizes(rounds=ROUNDS, seed=1):
    """For each round, sizes of which most are small; a round has a large object. All together: at most 250 MB."""
    randomness = random.Random(seed)
    for _ in range(rounds):
        chosen = [randomness.choice((1_000, 4_097, 60_000, 300_000)) for _ in range(UPLOADS // rounds - 3)]
        yield [*chosen, 5 * MB, 20 * MB, 50 * MB]


def content(name, size):
    """Bytes that are different for each name, and the same for the same one."""
    return random.Random(name).randbytes(size)


def upload(s3, swift, name, size):
    """Stores an object with one of the protocols; returns whether the server acknowledged it."""
    body = content(name, size)
    try:
        if name.endswith("s3"):
            s3.put_object(Bucket="box", Key=name, Body=body)
            return True
        return swift.request("PUT", f"/box/{name}", data=body).status_code == 201
    except (BotoCoreError, ClientError, requests.RequestException):
        return False


def kill_amid_uploads(store, account, turn, chosen):
    """Kills the server when a part of the uploads is acknowledged: all names with sizes, and those acknowledged."""
    s3, swift, acknowledged = s3_of(store, account), Swift(store, account), set()
    names = {f"r{turn}-{number}-{('s3', 'swift')[number % 2]}": size for number, size in enumerate(chosen)}
    order = random.Random(turn).sample(sorted(names), len(names))
    enough = threading.Event()

    def run(name):
        if upload(s3, swift, name, names[name]):
            acknowledged.add(name)
            if len(acknowledged) >= len(names) // 2:
                enough.set()

    with concurrent.futures.ThreadPoolExecutor(THREADS) as pool:
        runs = [pool.submit(run, name) for name in order]
        assert enough.wait(60)
        store.kill()
        for done in runs:
            done.cancel()
    return names, acknowledged


def test_killed_amid_uploads(tmp_path):
    store = objects_server(tmp_path / "data")
    account = add_account(store, "ana")
    s3_of(store, account).create_bucket(Bucket="box")
    there = {}
    for turn, chosen in enumerate(sizes()):
        names, acknowledged = kill_amid_uploads(store, account, turn, chosen)
        store.start()
        s3 = s3_of(store, account)
        listed = {row["Key"]: row["Size"] for row in s3.list_objects_v2(Bucket="box")["Contents"]}
        there |= {
            name: hashlib.sha256(content(name, size)).hexdigest() for name, size in names.items() if name in listed}
        assert acknowledged <= set(there), "each acknowledged object is there"
        # What was not acknowledged is whole or absent.
        assert set(listed) == set(there)
        for name, digest in there.items():
            assert hashlib.sha256(s3.get_object(Bucket="box", Key=name)["Body"].read()).hexdigest() == digest, name
        eventually(lambda: swept(store, len(there)), seconds=20)
    assert there
    store.stop()
    run = godwit("doctor", store.data)
    assert run.returncode == 0, run.stdout + run.stderr


def swept(store, count):
    blobs, uploads = object_files(store.data)
    return len(blobs) == count and not uploads


def test_files_of_replaced_and_deleted_objects_go(tmp_path):
    store = filled(tmp_path / "data")
    s3 = s3_of(store, store.account)
    eventually(lambda: swept(store, 3))
    s3.put_object(Bucket="box", Key="a", Body=b"other")
    s3.copy_object(Bucket="box", Key="copy", CopySource={"Bucket": "box", "Key": "b"})
    eventually(lambda: swept(store, 3))
    s3.delete_object(Bucket="box", Key="b")
    time.sleep(0.5)
    assert s3.get_object(Bucket="box", Key="copy")["Body"].read() == BODY + b"b"
    for name in ("a", "copy", "name-of-a-plover"):
        s3.delete_object(Bucket="box", Key=name)
    eventually(lambda: swept(store, 0))
    store.stop()


# Damage


def filled(data, *arguments, **options):
    """A server with three objects of different contents in the bucket `c`."""
    store = objects_server(data, *arguments, **options)
    store.account = add_account(store, "ana")
    s3 = s3_of(store, store.account)
    s3.create_bucket(Bucket="box")
    for name in ("a", "b", "name-of-a-plover"):
        s3.put_object(Bucket="box", Key=name, Body=BODY + name.encode(), Metadata={"n": name})
    return store


def check_objects(store, account):
    s3 = s3_of(store, account)
    for name in ("a", "b", "name-of-a-plover"):
        answer = s3.get_object(Bucket="box", Key=name)
        assert answer["Body"].read() == BODY + name.encode() and answer["Metadata"] == {"n": name}


def flip_a_byte(files):
    content = bytearray(files[0].read_bytes())
    content[len(content) // 2] ^= 1
    files[0].write_bytes(content)
    return files[0].name


def remove(files):
    files[0].unlink()
    return files[0].name


def add_a_foreign_file(files):
    (files[0].parent / "foreign.txt").write_text("what is this?")
    return "foreign.txt"


@pytest.mark.parametrize("damage", [flip_a_byte, remove, add_a_foreign_file])
def test_doctor_names_damaged_missing_and_foreign_files(tmp_path, damage):
    store = filled(tmp_path / "data")
    store.stop()
    files = [pathlib.Path(file) for file in object_files(store.data)[0]]
    assert len(files) == 3 and all(len(file.name) == 64 and file.name.startswith(file.parent.name) for file in files)
    assert godwit("doctor", store.data).returncode == 0
    name = damage(files)
    run = godwit("doctor", store.data)
    assert run.returncode == 1, run.stdout + run.stderr
    assert name in run.stdout + run.stderr


# Backups and keys


def back_up(store, folder):
    """Makes a backup of all, and returns its directory. The name of a backup is its second."""
    before = eventually(lambda: (found := store.json("GET", "/_godwit/backups"))["running"] is None and found["backups"])
    while (answer := store.request("POST", "/_godwit/backups", json={})).status_code == 409 or (
            answer.json()["id"] == before[0]["id"]):
        time.sleep(0.2)
    id = answer.json()["id"]
    found = eventually(lambda: (found := store.json("GET", "/_godwit/backups"))["running"] is None and found)
    assert found["failure"] is None and found["backups"][0]["id"] == id
    return str(folder / id)


@pytest.mark.parametrize("encrypted", [False, True], ids=["plain", "encrypted"])
def test_a_backup_has_the_objects(tmp_path, encrypted):
    key = ["--encryption-key-file", make_key(tmp_path / "key")] if encrypted else []
    store = filled(tmp_path / "data", "--backups", str(tmp_path / "backups"), *key)
    backup = back_up(store, tmp_path / "backups")
    s3_of(store, store.account).delete_object(Bucket="box", Key="a")
    store.stop()
    run = godwit("restore", backup, str(tmp_path / "restored"), *key)
    assert run.returncode == 0, run.stderr
    run = godwit("doctor", str(tmp_path / "restored"), *key)
    assert run.returncode == 0, run.stdout + run.stderr
    restored = objects_server(tmp_path / "restored", *key)
    check_objects(restored, store.account)
    restored.stop()
    if encrypted:
        assert words_in(backup) == set()


WORDS = [SECRET, b"name-of-a-plover", b"plover"]


def words_in(directory):
    """The known words that any file contains."""
    files = [path for path in pathlib.Path(directory).rglob("*") if path.is_file()]
    return {word for path in files for word in WORDS if word in path.read_bytes()}


def test_no_word_of_an_object_is_on_the_disk_of_an_encrypted_server(tmp_path):
    plain = filled(tmp_path / "plain")
    plain.stop()
    assert words_in(plain.data) == set(WORDS)
    store = filled(tmp_path / "data", "--encryption-key-file", make_key(tmp_path / "key"))
    upload = s3_of(store, store.account).create_multipart_upload(Bucket="box", Key="name-of-a-plover")["UploadId"]
    s3_of(store, store.account).upload_part(
        Bucket="box", Key="name-of-a-plover", UploadId=upload, PartNumber=1, Body=BODY)
    assert words_in(store.data) == set()
    store.kill()
    assert words_in(store.data) == set()
    store.start()
    check_objects(store, store.account)
    store.stop()


def test_objects_stay_readable_when_keys_change(tmp_path):
    first, second = make_key(tmp_path / "first.key"), make_key(tmp_path / "second.key")
    store = filled(tmp_path / "data")
    for arguments, key in [
        (["encrypt", store.data, "--encryption-key-file", first], ["--encryption-key-file", first]),
        (["rekey", store.data, "--encryption-key-file", first, "--new-encryption-key-file", second],
         ["--encryption-key-file", second]),
        (["decrypt", store.data, "--encryption-key-file", second], []),
    ]:
        store.stop()
        run = godwit(*arguments)
        assert run.returncode == 0, run.stderr
        assert words_in(store.data) == (set() if key else set(WORDS))
        run = godwit("doctor", store.data, *key)
        assert run.returncode == 0, run.stdout + run.stderr
        account, store = store.account, objects_server(tmp_path / "data", *key)
        store.account = account
        check_objects(store, account)
    store.stop()


# Space


def test_a_full_disk_refuses_objects_and_loses_none(small_disk):
    store = filled(small_disk / "data")
    try:
        swift, s3 = Swift(store, store.account), s3_of(store, store.account)
        fill(small_disk)
        assert swift.request("PUT", "/box/more", data=os.urandom(MB)).status_code == 507
        codes = "InsufficientStorage ServiceUnavailable SlowDown InternalError"
        answer = refused(codes, s3.put_object, Bucket="box", Key="more", Body=os.urandom(MB))
        assert answer["ResponseMetadata"]["HTTPStatusCode"] in (503, 507)
        check_objects(store, store.account)
        (small_disk / "filler").unlink()
        eventually(lambda: swift.request("PUT", "/box/more", data=b"x").status_code == 201)
        check_objects(store, store.account)
    finally:
        store.stop()
    assert godwit("doctor", store.data).returncode == 0


def test_an_object_larger_than_the_disk_leaves_nothing(small_disk):
    store = filled(small_disk / "data")
    try:
        eventually(lambda: swept(store, 3))
        try:
            answer = Swift(store, store.account).request("PUT", "/box/more", data=os.urandom(20 * MB))
            assert answer.status_code == 507
        except requests.ConnectionError:
            # The answer came, and the connection ended, while the body was being sent.
            pass
        eventually(lambda: swept(store, 3))
        check_objects(store, store.account)
    finally:
        store.stop()


class Zeros:
    """A body of zeros that is made while it is sent."""

    def __init__(self, size):
        self.left = size

    def __len__(self):
        return self.left

    def read(self, count=-1):
        count = self.left if count < 0 else min(count, self.left)
        self.left -= count
        return bytes(count)


@pytest.mark.timeout(3_600)
@pytest.mark.skipif(not os.environ.get("GODWIT_LONG"), reason="stores 10 GB: ./test --long")
def test_5_gb_use_little_memory(tmp_path):
    store = filled(tmp_path / "data")
    size, part_size = 5 << 30, 256 * MB
    s3, fields = s3_of(store, store.account), {"Bucket": "box", "Key": "parts"}
    with Growth(store) as growth:
        fields["UploadId"] = s3.create_multipart_upload(**fields)["UploadId"]
        url = {"ClientMethod": "upload_part", "ExpiresIn": 3_600}
        parts = []
        for number in range(1, size // part_size + 1):
            signed = s3.generate_presigned_url(**url, Params={**fields, "PartNumber": number})
            answer = requests.put(signed, data=Zeros(part_size), timeout=600)
            assert answer.status_code == 200, answer.text
            parts.append({"PartNumber": number, "ETag": answer.headers["ETag"]})
        s3.complete_multipart_upload(**fields, MultipartUpload={"Parts": parts})
        swift = Swift(store, store.account)
        answer = requests.put(
            f"{swift.url}/box/one", data=Zeros(size), headers={"X-Auth-Token": swift.token}, timeout=1_200)
        assert answer.status_code == 201, answer.text
        for name in ("parts", "one"):
            body = s3.get_object(Bucket="box", Key=name)["Body"]
            assert sum(len(piece) for piece in body.iter_chunks(MB)) == size
    assert growth.most < 64 * MB
    store.stop()
