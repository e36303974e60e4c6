"""Faults that a review of the object storage found."""

import json
import os
import threading

import pytest
import requests

from conftest import eventually, godwit
from objectstores import Swift, add_account, ana, ben, new_name, objects_server, store


def test_a_refused_upload_does_not_remove_the_file_of_an_equal_one(store, ana):
    poor = Swift(store, add_account(store, quota=1))
    rich, box = Swift(store, ana), new_name()
    poor.request("PUT", f"/{box}")
    rich.request("PUT", f"/{box}")
    for number in range(6):
        body = os.urandom(200_000)

        def chunks():
            yield body

        threads = [threading.Thread(target=lambda: poor.request("PUT", f"/{box}/x", data=chunks())) for _ in range(4)]
        for thread in threads:
            thread.start()
        assert rich.request("PUT", f"/{box}/{number}", data=chunks()).status_code == 201
        for thread in threads:
            thread.join()
        assert rich.request("GET", f"/{box}/{number}").content == body


def test_a_writer_of_one_container_reads_and_deletes_no_other(store, ana, ben):
    owner, guest = Swift(store, ana), Swift(store, ben)
    private, shared = new_name("p"), new_name("s")
    owner.request("PUT", f"/{private}")
    owner.request("PUT", f"/{private}/secret", data=b"TOP SECRET")
    owner.request("PUT", f"/{shared}", headers={"X-Container-Read": ben.name, "X-Container-Write": ben.name})
    url = f"{owner.url}/{shared}"
    headers = {"X-Auth-Token": guest.token}
    assert requests.get(f"{owner.url}/{private}/secret", headers=headers, timeout=10).status_code == 403
    assert requests.put(f"{url}/dlo", headers={**headers, "X-Object-Manifest": f"{private}/"}, timeout=10).status_code == 201
    assert requests.get(f"{url}/dlo", headers=headers, timeout=10).status_code == 403
    manifest = json.dumps([{"path": f"/{private}/secret"}])
    assert requests.put(f"{url}/slo?multipart-manifest=put", headers=headers, data=manifest, timeout=10).status_code == 400
    assert owner.request("PUT", f"/{shared}/slo?multipart-manifest=put", data=manifest).status_code == 201
    assert requests.delete(f"{url}/slo?multipart-manifest=delete", headers=headers, timeout=10).status_code == 403
    assert owner.request("GET", f"/{private}/secret").content == b"TOP SECRET"


def test_the_keys_of_temporary_urls_are_shown_to_the_owner_only(store, ana):
    swift, box = Swift(store, ana), new_name()
    swift.request("PUT", f"/{box}", headers={
        "X-Container-Read": ".r:*,.rlistings", "X-Container-Meta-Temp-URL-Key": "k33p"})
    assert "k33p" in str(swift.request("HEAD", f"/{box}").headers)
    answer = requests.get(f"{swift.url}/{box}", timeout=10)
    assert answer.ok and "k33p" not in str(answer.headers) and "X-Container-Read" not in answer.headers


def test_large_objects_of_large_objects_do_not_multiply(store, ana):
    swift, box = Swift(store, ana), new_name()
    swift.request("PUT", f"/{box}")
    swift.request("PUT", f"/{box}/0", data=b"x")
    statuses = []
    for level in range(3):
        manifest = json.dumps([{"path": f"/{box}/{level}"}] * 1_000)
        statuses.append(swift.request("PUT", f"/{box}/{level + 1}?multipart-manifest=put", data=manifest).status_code)
    assert statuses == [201, 413, 400]


def test_a_rule_and_a_metadata_change_at_the_same_time_are_both_kept(store, ana):
    swift, box = Swift(store, ana), new_name()
    swift.request("PUT", f"/{box}")
    for number in range(20):
        swift.request("POST", f"/{box}", headers={"X-Container-Read": ".r:*"})
        other = threading.Thread(
            target=lambda: Swift(store, ana).request("POST", f"/{box}", headers={"X-Container-Meta-N": str(number)}))
        other.start()
        swift.request("POST", f"/{box}", headers={"X-Container-Read": ""})
        other.join()
        headers = swift.request("HEAD", f"/{box}").headers
        assert "X-Container-Read" not in headers and headers["X-Container-Meta-N"] == str(number)


def test_a_form_without_a_file_ends_early(store, ana):
    def fields():
        for number in range(3_000):
            yield f'--x\r\nContent-Disposition: form-data; name="{"n" * 10_000}{number}"\r\n\r\n\r\n'.encode()

    try:
        answer = requests.post(
            f"{store.url}/_s3/box", data=fields(), headers={"Content-Type": "multipart/form-data; boundary=x"}, timeout=20)
        assert "MaxPostPreDataLengthExceeded" in answer.text
    except requests.ConnectionError:
        pass  # The server closed the connection before the end.


def test_plain_files_of_a_crash_do_not_survive_encryption(tmp_path):
    server = objects_server(tmp_path / "data")
    swift = Swift(server, add_account(server))
    swift.request("PUT", "/box")
    swift.request("PUT", "/box/a", data=b"kept")
    orphan = tmp_path / "data/objects/ab" / ("ab" + "0" * 62)
    orphan.parent.mkdir(exist_ok=True)
    orphan.write_bytes(b"plain words")
    server.kill()
    key = tmp_path / "key"
    key.write_text("47" * 32)
    key.chmod(0o600)
    assert godwit("encrypt", tmp_path / "data", "--encryption-key-file", key).returncode == 0
    assert not orphan.exists()
    run = godwit("doctor", tmp_path / "data", "--encryption-key-file", key)
    assert run.returncode == 0, run.stdout + run.stderr


def test_a_missing_file_stops_encryption_before_anything_is_changed(tmp_path):
    server = objects_server(tmp_path / "data")
    swift = Swift(server, add_account(server))
    swift.request("PUT", "/box")
    swift.request("PUT", "/box/a", data=b"gone")
    server.stop()
    [file] = [path for path in (tmp_path / "data/objects").glob("??/*")]
    file.unlink()
    key = tmp_path / "key"
    key.write_text("47" * 32)
    key.chmod(0o600)
    run = godwit("encrypt", tmp_path / "data", "--encryption-key-file", key)
    assert run.returncode == 1 and "missing" in run.stderr, run.stderr
    server.start()
    assert server.request("GET", "/_up").ok
    server.stop()


def test_a_backup_during_deletions_has_all_files_of_its_catalogue(tmp_path):
    server = objects_server(tmp_path / "data", "--backups", str(tmp_path / "backups"))
    swift = Swift(server, add_account(server))
    swift.request("PUT", "/box")
    for number in range(300):
        swift.request("PUT", f"/box/{number}", data=str(number) * 50)
    eventually(lambda: not server.json("GET", "/_godwit/backups").get("running"))
    deletions = threading.Thread(target=lambda: [swift.request("DELETE", f"/box/{number}") for number in range(300)])
    deletions.start()
    name = server.json("POST", "/_godwit/backups", json={})["id"]
    eventually(lambda: any(backup["id"] == name for backup in server.json("GET", "/_godwit/backups")["backups"]))
    deletions.join()
    server.stop()
    assert godwit("restore", tmp_path / "backups" / name, tmp_path / "restored").returncode == 0
    run = godwit("doctor", tmp_path / "restored")
    assert run.returncode == 0, run.stdout


@pytest.mark.parametrize("header", ["X-Container-Meta-Quota-Bytes", "X-Container-Meta-Quota-Count"])
def test_a_quota_that_would_not_be_enforced_is_refused(store, ana, header):
    assert Swift(store, ana).request("PUT", f"/{new_name()}", headers={header: "10"}).status_code == 400
