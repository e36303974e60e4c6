"""Rewrites of design documents: rules and functions."""

import pytest
import requests

from conftest import Server

RULES = [
    {"from": "", "to": "index.html", "method": "GET"},
    {"from": "/doc/:id", "to": "/../../:id"},
    {"from": "/doc", "to": "../../", "method": "POST"},
    {"from": "/welcome/:name", "to": "_show/welcome", "query": {"name": ":name"}},
    {"from": "/files/*", "to": "../../plain/*"},
    {"from": "/view/:start/:end", "to": "_view/n", "query": {"startkey": ":start", "endkey": ":end"},
     "formats": {"start": "int", "end": "int"}},
    {"from": "/pair/:a/:b", "to": "_view/pair", "query": {"key": [":a", ":b"]}},
    {"from": "/flag/:on", "to": "_view/n", "query": {"descending": ":on", "limit": 1}},
    {"from": "/loop", "to": "_rewrite/loop"},
    {"from": "/update/:id", "to": "_update/touch/:id", "method": "PUT"},
    {"from": "/posted", "to": "_show/method", "method": "POST"},
    {"from": "/posted", "to": "_show/welcome?", "method": "GET"},
    {"from": "/shown/:any", "to": "_show/request"},
    {"from": "/all", "to": "../../_all_docs"},
    {"from": "/unknown/:x", "to": "_show/:y"},
    {"from": "/missing", "to": "../../nobody"},
]
DESIGN = {
    "rewrites": RULES,
    "shows": {
        "welcome": "function (doc, req) { return 'Welcome ' + req.query.name; }",
        "method": "function (doc, req) { return req.method + req.body; }",
        "request": "function (doc, req) { return {json: req}; }"},
    "updates": {"touch": "function (doc, req) { doc.touched = JSON.parse(req.body); return [doc, 'touched']; }"},
    "views": {
        "n": {"map": "function (doc) { if (doc.n !== undefined) emit(doc.n, null); }"},
        "pair": {"map": "function (doc) { if (doc.n !== undefined) emit(['a', String(doc.n)], doc._id); }"}},
    "_attachments": {"index.html": {"content_type": "text/html", "data": "PGI+aGk8L2I+"}},
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("rewrites") / "data")
    for name in ["db", "other"]:
        site.json("PUT", f"/{name}")
    site.json("PUT", "/db/_design/r", json=DESIGN)
    site.json("PUT", "/db/plain", json={"_attachments": {"a/b.txt": {"content_type": "text/plain", "data": "aGk="}}})
    site.json("PUT", "/other/secret", json={"word": "hidden"})
    site.json("POST", "/db/_bulk_docs", json={"docs": [{"_id": f"d{n}", "n": n} for n in range(20)]})
    yield site
    site.stop()


def ask(site, path, method="GET", design="r", **options):
    return site.request(method, f"/db/_design/{design}/_rewrite{path}", **options)


def keys(answer):
    return [row["key"] for row in answer.json()["rows"]]


def test_paths(site):
    for path in ["", "/"]:
        assert ask(site, path).text == "<b>hi</b>"
    assert ask(site, "/doc/d3").json()["n"] == 3
    assert ask(site, "/files/a/b.txt").content == b"hi"
    assert ask(site, "/welcome/a%20b%2Fc").text == "Welcome a b/c"
    assert ask(site, "/welcome/x?other=1").text == "Welcome x"
    assert len(ask(site, "/all?limit=2").json()["rows"]) == 2


def test_queries(site):
    assert keys(ask(site, "/view/3/5")) == [3, 4, 5]
    assert keys(ask(site, "/view/3/5?descending=false&limit=1")) == [3]
    assert ask(site, "/pair/a/7").json()["rows"][0]["value"] == "d7"
    assert keys(ask(site, "/flag/true")) == [19]
    # Variables are parameters too.
    shown = ask(site, "/shown/thing?key=%22k%22").json()
    assert shown["query"] == {"any": "thing", "key": "k"}
    assert shown["requested_path"] == ["db", "_design", "r", "_rewrite", "shown", "thing"]
    assert shown["path"] == ["db", "_design", "r", "_show", "request"]


def test_methods_and_bodies(site):
    answer = ask(site, "/posted", "POST", data="hello")
    assert answer.text == "POSThello"
    answer = ask(site, "/doc", "POST", json={"_id": "posted"})
    assert answer.status_code == 201 and site.json("GET", "/db/posted")
    answer = ask(site, "/doc/put", "PUT", json={"n": "put"})
    assert answer.status_code == 201
    assert ask(site, "/update/put", "PUT", json=[1]).text == "touched"
    assert site.json("GET", "/db/put")["touched"] == [1]
    revision = site.json("GET", "/db/put")["_rev"]
    assert ask(site, f"/doc/put?rev={revision}", "DELETE").status_code == 200
    assert ask(site, "/doc/d1", "HEAD").status_code == 200


def test_the_method_that_is_meant(site):
    """A method in a header has the same effect as the request's method."""
    answer = ask(site, "/update/meant", "POST", json=[1], headers={"X-HTTP-Method-Override": "PUT"})
    assert answer.status_code == 500, "the document is not there: the rule for PUT was followed"
    site.json("PUT", "/db/meant", json={})
    answer = ask(site, "/update/meant", "POST", json=[2], headers={"X-HTTP-Method-Override": "PUT"})
    assert answer.status_code == 201 and site.json("GET", "/db/meant")["touched"] == [2]
    shown = site.request("POST", "/db/_design/r/_show/request", headers={"X-HTTP-Method-Override": "GET"}).json()
    assert shown["method"] == "GET"


@pytest.mark.parametrize("path, status, body", [
    ("/nothing/fits/this", 404, {"error": "not_found", "reason": "missing"}),
    ("/missing", 404, {"error": "not_found", "reason": "missing"}),
    ("/loop", 400, {"error": "bad_request", "reason": "Exceeded rewrite recursion limit"}),
])
def test_errors(site, path, status, body):
    answer = ask(site, path)
    assert (answer.status_code, answer.json()) == (status, body)


def test_no_rewrites(site):
    site.json("PUT", "/db/_design/none", json={"note": 1})
    answer = ask(site, "/x", design="none")
    assert (answer.status_code, answer.json()) == (404, {"error": "rewrite_error", "reason": "Invalid path."})


def test_a_rule_does_not_leave_its_database(site):
    for number, target in enumerate(["../../../other/secret", "../../..", "../../*"]):
        site.json("PUT", f"/db/_design/out{number}", json={"rewrites": [{"from": "*", "to": target}]})
    for answer in [ask(site, "/x", design="out0"), ask(site, "/x", design="out1"), ask(
            site, "/%2e%2e/other/secret", design="out2")]:
        assert answer.status_code == 500 and answer.json()["error"] == "insecure_rewrite_rule", answer.text
        assert "hidden" not in answer.text


def function(site, name, text):
    site.json("PUT", f"/db/_design/{name}", json={**DESIGN, "rewrites": text})


def test_functions(site):
    function(site, "f", """function (req) {
        var path = req.path.slice(4);
        switch (path[0]) {
        case "doc": return "../../" + path[1];
        case "made": return {path: "../../made", method: "PUT", body: JSON.stringify({by: req.method})};
        case "query": return {path: "_view/n", query: {startkey: "17"}};
        case "header": return {path: "_show/request", headers: {"X-Made": "up"}};
        case "redirect": return {code: 301, headers: {Location: "/there"}, body: "moved"};
        case "keep": return {path: "_show/method"};
        case "out": return "../../../other/secret";
        case "odd": return {path: 1};
        case "bad": return {path: "x", query: 1};
        case "no": throw {forbidden: "not here"};
        case "login": throw {unauthorized: "who are you"};
        case "oops": throw new Error("oops");
        case "loop": return "_rewrite/loop";
        }
    }""")
    assert ask(site, "/doc/d4?conflicts=true", design="f").json()["n"] == 4
    assert ask(site, "/made", design="f", method="POST", data="x").status_code == 201
    assert site.json("GET", "/db/made")["by"] == "POST"
    assert keys(ask(site, "/query?startkey=1", design="f")) == [17, 18, 19]
    assert ask(site, "/header", design="f").json()["headers"]["X-Made"] == "up"
    answer = ask(site, "/redirect", design="f", allow_redirects=False)
    assert (answer.status_code, answer.headers["Location"], answer.text) == (301, "/there", "moved")
    assert ask(site, "/keep", design="f", method="POST", data="kept").text == "POSTkept"
    for path, status, error in [
            ("/out", 500, "insecure_rewrite_rule"), ("/odd", 500, "rewrite_error"), ("/bad", 500, "rewrite_error"),
            ("/no", 403, "forbidden"), ("/login", 401, "unauthorized"), ("/oops", 500, "rewrite_error"),
            ("/other", 404, "rewrite_error"), ("/loop", 400, "bad_request")]:
        answer = ask(site, path, design="f")
        assert (answer.status_code, answer.json()["error"]) == (status, error), path


def test_rights_are_those_of_the_place(server):
    """A rewrite grants no rights."""
    server.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1000")
    server.json("PUT", "/_users/org.couchdb.user:mia", json={
        "name": "mia", "password": "mia", "type": "user", "roles": []})
    server.json("PUT", "/db")
    server.json("PUT", "/db/_security", json={"members": {"names": ["mia"]}})
    server.json("PUT", "/db/_design/r", json={"rewrites": [
        {"from": "security", "to": "../../_security"}, {"from": "design", "to": "../x"},
        {"from": "compact", "to": "../../_compact"}, {"from": "gone", "to": "../.."}]})
    url = f"{server.url}/db/_design/r/_rewrite"
    mia = ("mia", "mia")
    assert requests.get(f"{url}/security", timeout=30).status_code == 401
    assert requests.get(f"{url}/security", auth=mia, timeout=30).status_code == 200
    assert requests.put(f"{url}/security", json={}, auth=mia, timeout=30).status_code in (401, 403)
    assert requests.put(f"{url}/design", json={}, auth=mia, timeout=30).status_code == 403
    assert requests.post(f"{url}/compact", json={}, auth=mia, timeout=30).status_code == 401
    assert requests.delete(f"{url}/gone", auth=mia, timeout=30).status_code == 401
    assert server.json("GET", "/db/_security")["members"]["names"] == ["mia"]
