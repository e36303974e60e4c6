"""A POST of JSON must have the content type JSON: the pages of other sites can send all other types."""

import re
import time

import pytest

from accounts import ask, site  # noqa: F401

# Routes that accept other types than JSON: forms, any type that a function reads, and routes without an effect.
POSTED_OTHERWISE = ("/_session", "/_show/", "/_update/", "/_rewrite", "/_sync_shards", "/_config/_reload",
                    # A provider sends a form here, which counts only with the state of a login in this browser.
                    "/callback")
FORMS = ("/{db}/{id}", "/{db}/_design/{design}")


def json_posts(site):
    """The paths of the route table that accept only a POST of JSON, with names instead of their parameters."""
    for route in site.json("GET", "/_godwit/routes")["routes"]:
        takes_others = route["path"] in FORMS or any(piece in route["path"] for piece in POSTED_OTHERWISE)
        if route["method"] == "POST" and not takes_others:
            names = {"{db}": "db", "{node}": "_local"}
            yield re.sub(r"\{.*?\}", lambda match: names.get(match[0], "x"), route["path"])


@pytest.mark.parametrize("kind", [
    None, "", "application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x",
    "application/jsonp", "text/plain; application/json"])
@pytest.mark.parametrize("body", ["{}", ""], ids=["body", "empty"])
def test_post_must_say_that_it_is_json(site, kind, body):
    """Issue 21, number 9: no route accepts a POST that a page of another site can make a browser send."""
    headers = {} if kind is None else {"Content-Type": kind}
    paths = list(json_posts(site))
    assert {"/db", "/db/_bulk_docs", "/db/_purge", "/db/_compact", "/_replicate", "/_api/v2/api_keys"} <= set(paths)
    before = site.json("GET", "/db")["update_seq"]
    for path in paths:
        # A browser sends the origin; Cloudant's clients create keys without a body or a type.
        origin = {"Origin": "http://elsewhere.example"} if path == "/_api/v2/api_keys" and not body else {}
        response = site.request("POST", path, data=body, headers={**headers, **origin})
        assert response.status_code == 415, (path, response.text)
        assert response.json() == {
            "error": "bad_content_type", "reason": "Content-Type must be application/json"}
    assert site.json("GET", "/db")["update_seq"] == before


@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8", "Application/JSON;x=y"])
def test_posts_of_json(site, kind):
    assert site.json("POST", "/db/_all_docs", data="{}", headers={"Content-Type": kind})["rows"] is not None


def test_posts_without_a_body_need_the_type(site):
    """As in CouchDB, and issue 21, number 9."""
    for path in ("/db/_compact", "/db/_ensure_full_commit", "/db/_view_cleanup"):
        assert site.request("POST", path).status_code == 415
        assert site.request("POST", path, headers={"Content-Type": "application/json"}).ok


def test_posts_of_other_types_to_no_database(site):
    """A missing database is reported first, and a request without rights is refused first."""
    assert site.request("POST", "/nowhere/_bulk_docs", data="{}").status_code == 404
    assert ask(site, "POST", "/db/_bulk_docs", data="{}").status_code == 401


def test_each_answer_has_an_identifier(site):
    for path in ("/", "/nowhere", "/_all_dbs", "/db"):
        assert re.fullmatch("[0-9a-f]{10}", ask(site, "GET", path).headers["X-Couch-Request-ID"])


def test_a_client_chooses_the_identifier(site):
    for chosen in ("a", "Trace_0-9", "x" * 36):
        response = ask(site, "GET", "/", headers={"X-Couch-Request-ID": chosen})
        assert response.headers["X-Couch-Request-ID"] == chosen
    for chosen in ("x" * 37, "a b", "a\u00e9".encode(), "a;b", ""):
        response = ask(site, "GET", "/", headers={"X-Couch-Request-ID": chosen})
        assert re.fullmatch("[0-9a-f]{10}", response.headers["X-Couch-Request-ID"])


def test_each_answer_tells_how_long_its_body_took(site):
    assert ask(site, "GET", "/").headers["X-CouchDB-Body-Time"] == "0"

    def slowly():
        yield b'{"docs":'
        time.sleep(0.3)
        yield b"[]}"

    response = site.request(
        "POST", "/db/_bulk_docs", data=slowly(), headers={"Content-Type": "application/json"})
    assert 250 <= int(response.headers["X-CouchDB-Body-Time"]) < 30_000


def test_each_answer_has_an_identifier_of_its_own(site):
    assert len({ask(site, "GET", "/").headers["X-Couch-Request-ID"] for _ in range(4)}) == 4


def test_method_override(site):
    def post(method, path, **options):
        return site.request("POST", path, headers={"X-HTTP-Method-Override": method}, **options)

    revision = post("PUT", "/db/overridden", json={"n": 1}).json()["rev"]
    assert post("GET", "/db/overridden").json()["n"] == 1
    assert post("DELETE", f"/db/overridden?rev={revision}").ok
    ignored = site.request("GET", "/db", headers={"X-HTTP-Method-Override": "DELETE"})
    assert ignored.json()["db_name"] == "db"
    guest = ask(site, "POST", "/db", headers={"X-HTTP-Method-Override": "DELETE"})
    assert guest.status_code == 401 and site.json("GET", "/db")["db_name"] == "db"
