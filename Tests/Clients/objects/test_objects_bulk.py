"""Many objects of OpenStack Swift are deleted in one request, each with the right to do so (issue 55, 3)."""

import hashlib
import json

import pytest
import requests

from objectstores import Swift, ana, ben, new_name, store


@pytest.fixture
def swift(store, ana):
    swift = Swift(store, ana)
    swift.box = new_name()
    assert swift.request("PUT", f"/{swift.box}").ok
    for name in ("a", "b", "c"):
        assert swift.request("PUT", f"/{swift.box}/{name}", data=name).status_code == 201
    return swift


def bulk(swift, *lines, method="POST", path="", accept="application/json", body=None):
    body = "\n".join(lines).encode() if body is None else body
    answer = swift.request(method, f"{path}?bulk-delete", headers={"Accept": accept, "Content-Type": "text/plain"}, data=body)
    assert answer.status_code == 200, answer.text
    return answer.json() if accept == "application/json" else answer


def names(swift):
    return swift.request("GET", f"/{swift.box}").text.split()


@pytest.mark.parametrize("method, path", [("POST", ""), ("DELETE", ""), ("POST", "/any"), ("POST", "/any/a")])
def test_objects_are_deleted(swift, method, path):
    box = swift.box
    answer = bulk(swift, f"/{box}/a", f"{box}/none", "", f"  {box}/%62\r", method=method, path=path)
    assert answer == {"Response Status": "200 OK", "Response Body": "", "Number Deleted": 2, "Number Not Found": 1, "Errors": []}
    assert names(swift) == ["c"]


def test_a_container_is_deleted_after_its_objects(swift):
    box = swift.box
    answer = bulk(swift, box, f"{box}/a", f"{box}/b", f"{box}/c", f"/{box}/", box)
    assert answer["Errors"] == [[box, "409 Conflict"]] and answer["Response Status"] == "400 Bad Request"
    assert (answer["Number Deleted"], answer["Number Not Found"]) == (4, 1)
    assert swift.request("HEAD", f"/{box}").status_code == 404


def test_the_forms_of_the_answer(swift):
    box = swift.box
    text = bulk(swift, f"{box}/a", "%ff", accept="*/*")
    assert text.headers["Content-Type"].startswith("text/plain")
    assert text.text == ("Number Deleted: 1\nNumber Not Found: 0\nResponse Body: \nResponse Status: 400 Bad Request\n"
                         "Errors:\n%ff, 412 Precondition Failed\n")
    xml = bulk(swift, f"{box}/b&", accept="application/xml")
    assert "<number_not_found>1</number_not_found>" in xml.text


@pytest.mark.parametrize("body", [b"", b"\n\n \n"])
def test_nothing_to_delete(swift, body):
    answer = bulk(swift, body=body)
    assert (answer["Response Status"], answer["Response Body"]) == ("400 Bad Request", "Invalid bulk delete.")


def test_the_number_of_paths(swift):
    lines = [f"{swift.box}/none-{number}" for number in range(9_999)]
    answer = bulk(swift, *lines, f"{swift.box}/a", f"{swift.box}/b")
    assert answer["Response Status"] == "413 Request Entity Too Large" and "10000" in answer["Response Body"]
    assert names(swift) == ["a", "b", "c"]
    answer = bulk(swift, *lines, f"{swift.box}/a")
    assert (answer["Number Deleted"], answer["Number Not Found"], answer["Errors"]) == (1, 9_999, [])
    answer = swift.request("POST", "?bulk-delete", data=b"x" * (16 << 20) + b"y")
    assert answer.status_code == 413


def test_the_number_of_failures(swift):
    answer = bulk(swift, *["%ff"] * 1_500, f"{swift.box}/a")
    assert len(answer["Errors"]) == 1_000 and answer["Response Body"] == "Max delete failures exceeded"
    assert names(swift) == ["a", "b", "c"]


def test_the_right_is_checked_for_each_path(store, swift, ben):
    guest, nobody = Swift(store, ben), Swift(store, ben)
    guest.url = nobody.url = swift.url
    nobody.token = None
    other = new_name()
    swift.request("PUT", f"/{other}", headers={"X-Container-Write": ben.name})
    swift.request("PUT", f"/{other}/mine", data=b"1")
    answer = bulk(guest, f"{swift.box}/a", f"{other}/mine", f"{other}/none", other, "missing/a", "missing")
    assert answer["Errors"] == [[path, "403 Forbidden"] for path in (f"{swift.box}/a", other, "missing/a", "missing")]
    assert (answer["Number Deleted"], answer["Number Not Found"]) == (1, 1)
    assert nobody.request("POST", "?bulk-delete", data=f"{swift.box}/a").status_code == 401
    guest.token = "wrong"
    assert guest.request("POST", "?bulk-delete", data=f"{swift.box}/a").status_code == 401
    assert names(swift) == ["a", "b", "c"]


@pytest.mark.parametrize("line", ["..", "box/..", "box/a/../b", "box/%00", "%2e%2e/a", "n" * 300 + "/a", "box/" + "k" * 1025])
def test_names_that_cannot_be(swift, line):
    answer = bulk(swift, line)
    assert answer["Number Deleted"] == 0 and answer["Errors"] in ([[line, "412 Precondition Failed"]], [])


def test_clients_learn_the_limits(swift):
    info = requests.get(swift.url.split("/v1/")[0] + "/info", timeout=30).json()
    assert info["bulk_delete"] == {"max_deletes_per_request": 10_000, "max_failed_deletes": 1_000}


# Static large objects


def large(swift, *segments, headers=None, name="large"):
    return swift.request("PUT", f"/{swift.box}/{name}?multipart-manifest=put", data=json.dumps(segments), headers=headers)


def test_a_large_object_has_the_tag_of_its_segments(swift):
    tags = "".join(swift.request("HEAD", f"/{swift.box}/{name}").headers["ETag"] for name in "abc")
    segments = [{"path": f"/{swift.box}/{name}", "etag": None, "size_bytes": "1"} for name in "abc"]
    tag = hashlib.md5(tags.encode()).hexdigest()
    assert large(swift, *segments, headers={"ETag": "0" * 32}).status_code == 422
    assert swift.request("HEAD", f"/{swift.box}/large").status_code == 404
    assert large(swift, *segments, headers={"ETag": tag}).headers["ETag"] == f'"{tag}"'
    answer = swift.request("GET", f"/{swift.box}/large")
    assert (answer.text, answer.headers["X-Static-Large-Object"], answer.headers["ETag"]) == ("abc", "True", f'"{tag}"')
    listed = swift.request("GET", f"/{swift.box}/large?multipart-manifest=get").json()
    assert [(row["name"], row["bytes"]) for row in listed] == [(f"/{swift.box}/{name}", 1) for name in "abc"]


@pytest.mark.parametrize("fault", [
    {"size_bytes": 2}, {"size_bytes": "2"}, {"size_bytes": -1}, {"size_bytes": "x"}, {"size_bytes": 1.5}, {"etag": 1},
    {"etag": "0" * 32}, {"path": "/none/a"}, {"path": "a"}, {"path": 1}, {"range": "0-1"}, {"size_bytes": 10 ** 40}])
def test_a_segment_that_differs_is_refused(swift, fault):
    assert large(swift, {"path": f"/{swift.box}/a", **fault}).status_code == 400
    assert swift.request("HEAD", f"/{swift.box}/large").status_code == 404


def test_a_large_object_of_itself_ends(swift):
    assert large(swift, {"path": f"/{swift.box}/large"}).status_code == 400
    assert large(swift, {"path": f"/{swift.box}/a"}).status_code == 201
    # It has the bytes of before, so that there is no cycle.
    assert large(swift, {"path": f"/{swift.box}/large"}, {"path": f"/{swift.box}/b"}).status_code == 201
    assert swift.request("GET", f"/{swift.box}/large").text == "ab"


def test_a_large_object_is_deleted_with_its_segments(swift):
    assert large(swift, *[{"path": f"/{swift.box}/{name}"} for name in "ab"]).status_code == 201
    answer = swift.request("DELETE", f"/{swift.box}/large?multipart-manifest=delete", headers={"Accept": "application/json"})
    assert answer.json() == {"Response Status": "200 OK", "Response Body": "", "Number Deleted": 3, "Number Not Found": 0, "Errors": []}
    assert names(swift) == ["c"]
