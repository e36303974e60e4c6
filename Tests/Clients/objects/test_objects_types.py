"""A PUT of OpenStack Swift without a type gets the type of the name, as OpenStack gives it (issue 55, 3)."""

import mimetypes

import pytest

from objectstores import Swift, ana, new_name, store

# Python's module, from which OpenStack takes the types, without the files of this machine.
PYTHON = mimetypes.MimeTypes(filenames=())
NAMES = [
    "fog.jpg", "fog.JPG", "a.b/fog.jpeg", "fog.png", "fog.gif", "fog.svg", "fog.svgz", "page.html", "page.htm", "a.css",
    "a.json", "a.txt", "a.csv", "a.pdf", "a.mp4", "a.mp3", "a.webm", "a.tar", "a.tar.gz", "a.tgz", "a.zip", "a.txt.gz",
    "a.txt.Z", "a.txt.z", "a.gz", "none", "a.", ".png", "..png", "a.b/none", "dots/.png", "a.unknown", "a.txt/", "ä.ö.png",
    "a.png.bz2", "a.tar.xz", "a.xml", "a.py", "a.ico"]
ADDED = {"a.webp": "image/webp", "a.woff2": "font/woff2", "a.md": "text/markdown", "a.js": "text/javascript",
         "a.ogv": "video/ogg", "a.flac": "audio/flac"}


@pytest.fixture(scope="module")
def swift(store, ana):
    swift = Swift(store, ana)
    swift.box = new_name()
    assert swift.request("PUT", f"/{swift.box}").ok
    return swift


def type_of(swift, name, body=b"x", **headers):
    path = f"/{swift.box}/{name}"
    answer = swift.request("PUT", path, headers={key.replace("_", "-"): value for key, value in headers.items()}, data=body)
    assert answer.status_code == 201, answer.text
    return swift.request("HEAD", path).headers["Content-Type"].split(";")[0]


@pytest.mark.parametrize("name", NAMES)
def test_the_type_of_a_name(swift, name):
    expected = PYTHON.guess_type(name)[0] or "application/octet-stream"
    assert type_of(swift, name) == expected
    assert type_of(swift, name, Content_Type="a/b") == "a/b"
    assert type_of(swift, name, Content_Type="a/b", X_Detect_Content_Type="true") == expected
    assert type_of(swift, name, Content_Type="a/b", X_Detect_Content_Type="false") == "a/b"


@pytest.mark.parametrize("name, expected", ADDED.items())
def test_types_of_debians_table(swift, name, expected):
    assert type_of(swift, name) == expected


def test_a_published_picture_is_a_picture(swift):
    type_of(swift, "fog.png", b"\x89PNG")
    swift.request("POST", f"/{swift.box}", headers={"X-Container-Read": ".r:*"})
    answer = Swift.request(type("", (), {"token": None, "url": swift.url})(), "GET", f"/{swift.box}/fog.png")
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/png")
