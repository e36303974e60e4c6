"""Small answers that CouchDB's tools read: parameters, local documents, counters, settings. The right values are those of
CouchDB 3.5.0, unless a test says otherwise."""

import base64
import hmac
import json
import time

import pytest
import requests

from conftest import ADMIN, Server
from loads import MB, resident

CONFIG = "/_node/_local/_config/"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("answers"))
    server.json("PUT", "/d")
    for number in range(3):
        server.json("PUT", f"/d/d{number}", json={"n": number})
    yield server
    server.stop()


def test_a_semicolon_separates_parameters(server):
    rows = server.json("GET", "/d/_all_docs?limit=1;skip=1;include_docs=true")["rows"]
    assert [(row["id"], row["doc"]["n"]) for row in rows] == [("d1", 1)]


@pytest.mark.parametrize("value", ["false", 0, None, [], "true"])
def test_new_edits_is_a_boolean(server, value):
    answer = server.request("POST", "/d/_bulk_docs", json={"docs": [{"_id": "never"}], "new_edits": value})
    assert answer.status_code == 400 and "new_edits" in answer.json()["reason"]
    assert server.request("GET", "/d/never").status_code == 404


@pytest.mark.parametrize("feed", ["normal", "longpoll", "continuous", "eventsource"])
def test_a_feed_with_limit_0_ends(server, feed):
    begin = time.monotonic()
    answer = server.request("GET", f"/d/_changes?feed={feed}&limit=0&timeout=50000")
    assert answer.status_code == 200 and '"id"' not in answer.text and time.monotonic() - begin < 40


def test_an_empty_filter_is_none(server):
    assert len(server.json("GET", "/d/_changes?filter=&limit=2")["results"]) == 2


def test_the_late_body_of_an_inner_revision_is_kept(server):
    def graft(**document):
        assert server.json("POST", "/d/_bulk_docs", json={"docs": [document], "new_edits": False}) == []

    graft(_id="late", _rev="3-c", _revisions={"start": 3, "ids": ["c", "b", "a"]}, v=3)
    assert server.request("GET", "/d/late?rev=1-a").status_code == 404
    graft(_id="late", _rev="1-a", v=1, _attachments={"x": {"data": "eA==", "content_type": "text/plain"}})
    graft(_id="late", _rev="2-b", _revisions={"start": 2, "ids": ["b", "a"]}, _deleted=True)
    assert server.json("GET", "/d/late?rev=1-a")["v"] == 1
    assert server.request("GET", "/d/late/x?rev=1-a").text == "x"
    assert server.json("GET", "/d/late?revs_info=true")["_revs_info"] == [
        {"rev": "3-c", "status": "available"}, {"rev": "2-b", "status": "deleted"}, {"rev": "1-a", "status": "available"}]
    assert server.json("GET", "/d/late")["v"] == 3
    # A stub whose bytes are unknown is no reason to refuse a revision that is known.
    graft(_id="late2", _rev="2-b", _revisions={"start": 2, "ids": ["b", "a"]}, v=2)
    graft(_id="late2", _rev="1-a", v=1, _attachments={"x": {"stub": True, "digest": "md5-XUFAKrxLKna5cZ2REBfFkg==", "length": 5}})
    assert server.json("GET", "/d/late2")["v"] == 2


def test_purges_are_listed(server):
    assert server.json("GET", "/d/_purged_infos") == {"purged_infos": []}
    revision = server.json("PUT", "/d/purged", json={})["rev"]
    server.json("POST", "/d/_purge", json={"purged": [revision]})
    assert server.json("GET", "/d/_purged_infos") == {"purged_infos": [{"id": "purged", "revs": [revision]}]}
    assert requests.get(server.url + "/d/_purged_infos", timeout=30).status_code == 401


@pytest.mark.parametrize("members", [{}, {"language": "javascript"}, {"filters": {"f": "function(d){return true}"}}])
def test_a_design_document_without_views_has_information(server, members):
    server.json("PUT", "/d/_design/none", json=members | {"_rev": server.request("GET", "/d/_design/none").json().get("_rev")} if
                server.request("GET", "/d/_design/none").ok else members)
    info = server.json("GET", "/d/_design/none/_info")
    assert info["name"] == "none" and info["view_index"]["sizes"] == {"file": 0, "external": 0, "active": 0}
    assert server.request("GET", "/d/_design/absent/_info").status_code == 404


def test_local_documents_have_revisions_everywhere(server):
    def put(path, **options):
        answer = server.request("PUT", path, json={"v": 1}, **options)
        assert answer.status_code == 201, answer.text
        return answer.json()["rev"]

    assert put("/d/_local/x") == "0-1"
    assert put("/d/_local/x", headers={"If-Match": '"0-1"'}) == "0-2"
    assert put("/d/_local/x?rev=0-2") == "0-3"
    assert put("/d/_local/x", headers={"If-Match": "0-99"}) == "0-100"
    assert server.request("PUT", "/d/_local/x?rev=1-a", json={}).status_code == 400

    def copy(source, destination):
        return server.request("COPY", f"/d/{source}", headers={"Destination": destination})

    assert copy("_local/x", "_local/y").json() == {"ok": True, "id": "_local/y", "rev": "0-1"}
    assert copy("_local/x", "_local/y?rev=0-7").json()["rev"] == "0-8"
    assert copy("_local/x", "from-local").json()["rev"].startswith("1-")
    assert server.json("GET", "/d/from-local")["v"] == 1
    assert copy("d0", "_local/z").json()["rev"] == "0-1"
    assert server.json("GET", "/d/_local/z") == {"_id": "_local/z", "_rev": "0-1", "n": 0}
    assert copy("_local/absent", "_local/y").status_code == 404
    assert copy("_local/x", "_local/").status_code == 400
    found = server.json("POST", "/d/_bulk_get", json={"docs": [{"id": "_local/x"}]})["results"][0]
    assert found == {"id": "_local/x", "docs": [{"error": {
        "id": "_local/x", "rev": "undefined", "error": "not_found", "reason": "missing"}}]}


@pytest.mark.parametrize("reduce,reason", [
    *[(name, "rank value must be between 1 and 100") for name in ("_top_101", "_top_0", "_bottom_101")],
    *[(name, "invalid rank reducer") for name in ("_top_x", "_top_", "_bottom_1.5")],
])
def test_ranks_are_1_to_100(server, reduce, reason):
    answer = server.request("PUT", "/d/_design/ranks", json={"views": {"v": {"map": "function(d){emit(1, d.n)}", "reduce": reduce}}})
    assert answer.json() == {"error": "invalid_design_doc", "reason": reason}


def test_counters_are_there_from_the_start(tmp_path):
    server = Server(tmp_path)
    stats = server.json("GET", "/_node/_local/_stats/couchdb")
    assert set(stats["httpd_request_methods"]) == {"COPY", "DELETE", "GET", "HEAD", "OPTIONS", "POST", "PUT"}
    assert {"200", "201", "304", "404", "409", "412", "413", "500", "503"} <= set(stats["httpd_status_codes"])
    assert stats["open_os_files"]["value"] > 3 and stats["database_reads"]["value"] == 0
    server.json("PUT", "/d")
    server.json("PUT", "/d/a", json={})
    server.json("GET", "/d/a")
    server.json("POST", "/d/_bulk_get", json={"docs": [{"id": "a"}, {"id": "b"}]})
    server.json("POST", "/d/_bulk_docs", json={"docs": [{}]})
    server.json("PUT", "/d/_design/v", json={"views": {"v": {"map": "function(d){emit(1)}"}}})
    server.json("GET", "/d/_design/v/_view/v")
    server.json("POST", "/d/_purge", json={"b": ["1-a"]})
    later = server.json("GET", "/_node/_local/_stats/couchdb")
    assert later["database_reads"]["value"] == 3 and later["database_writes"]["value"] >= 3
    assert later["open_databases"]["value"] >= 1
    values = {name: counter["value"] for name, counter in later["httpd"].items() if name != "requests"}
    assert values == {"bulk_requests": 2, "view_reads": 1, "temporary_view_reads": 0, "purge_requests": 1,
                      "clients_requesting_changes": 0}
    server.stop()


def test_metrics_cost_no_memory(tmp_path):
    """Foundation loses a page for each empty file that it reads, and a thread without children has an empty file in /proc."""
    server = Server(tmp_path)

    def ask(count):
        for _ in range(count):
            assert server.request("GET", "/_node/_local/_prometheus").ok and server.json("GET", "/_node/_local/_system")
        return resident(server)

    before = ask(50)
    assert ask(250) - before < 8 * MB
    server.stop()


# What a known plug-in sets and reads again until it is as written.
@pytest.mark.parametrize("section, name, value", [
    ("chttpd", "require_valid_user", "false"), ("chttpd_auth", "require_valid_user", "true"),
    ("httpd", "WWW-Authenticate", 'Basic realm="couchdb"'), ("httpd", "enable_cors", "true"),
    ("chttpd", "enable_cors", "true"), ("cors", "credentials", "true"),
    ("cors", "origins", "app://obsidian.md,capacitor://localhost,http://localhost"), ("foo", "bar", "1")])
def test_settings_give_back_what_was_written(server, section, name, value):
    server.json("PUT", f"{CONFIG}{section}/{name}", json=value)
    assert server.json("GET", f"{CONFIG}{section}/{name}") == value
    assert server.json("GET", f"{CONFIG}{section}")[name] == value
    assert server.json("GET", CONFIG[:-1])[section][name] == value
    server.json("DELETE", f"{CONFIG}{section}/{name}")


def test_a_setting_without_effect_says_so(server):
    answer = server.request("PUT", CONFIG + "nothing/here", json="1")
    assert answer.ok and "no effect" in answer.json() and "no effect" in answer.headers["X-Godwit-Note"]
    assert server.json("PUT", CONFIG + "nothing/here", json="2") == "1"
    assert server.json("DELETE", CONFIG + "nothing/here") == "2"


# MARK: Tokens

HANDLERS = "{{chttpd_auth, {}_authentication_handler}}"


def token(secret, claims, **header):
    def encode(value):
        return base64.urlsafe_b64encode(value).rstrip(b"=")

    head = {"alg": "HS256", "typ": "JWT"} | header
    claims = {"exp": time.time() + 600} | claims
    signed = encode(json.dumps(head).encode()) + b"." + encode(json.dumps(claims).encode())
    digest = {"HS256": "sha256", "HS384": "sha384", "HS512": "sha512"}[head["alg"]]
    return (signed + b"." + encode(hmac.new(secret, signed, digest).digest())).decode()


def who(server, **headers):
    return requests.get(f"{server.url}/_session", headers=headers, timeout=30)


@pytest.fixture
def tokens(server):
    handlers = ", ".join(HANDLERS.format(name) for name in ["cookie", "jwt", "default"])
    server.json("PUT", CONFIG + "chttpd/authentication_handlers", json=handlers)
    # The example of CouchDB's documentation has five bytes.
    server.json("PUT", CONFIG + "jwt_keys/hmac:_default", json=base64.b64encode(b"hello").decode())
    server.json("PUT", CONFIG + "jwt_auth/roles_claim_path", json="roles")
    yield server
    for name in ["chttpd/authentication_handlers", "jwt_keys/hmac:_default", "jwt_auth/roles_claim_path"]:
        server.json("DELETE", CONFIG + name)


@pytest.mark.parametrize("algorithm", ["HS256", "HS384", "HS512"])
def test_a_short_shared_secret_is_accepted(tokens, algorithm):
    answer = who(tokens, Authorization="Bearer " + token(b"hello", {"sub": "ada", "roles": ["x"]}, alg=algorithm))
    assert answer.ok, answer.text
    assert answer.json()["userCtx"] == {"name": "ada", "roles": ["x"]}
    assert who(tokens, Authorization="Bearer " + token(b"other", {"sub": "ada"}, alg=algorithm)).status_code == 401


def test_roles_may_be_one_text(tokens):
    answer = who(tokens, Authorization="Bearer " + token(b"hello", {"sub": "ada", "roles": "a, b,c"}))
    assert answer.json()["userCtx"]["roles"] == ["a", "b", "c"]


def test_a_dot_in_the_name_of_a_claim_is_escaped(tokens):
    tokens.json("PUT", CONFIG + "jwt_auth/roles_claim_path", json="foo.bar\\.zonk.roles")
    answer = who(tokens, Authorization="Bearer " + token(b"hello", {"sub": "ada", "foo": {"bar.zonk": {"roles": ["b"]}}}))
    assert answer.json()["userCtx"]["roles"] == ["b"]


@pytest.mark.parametrize("critical", [["exp"], ["b64"], [], "b64", None])
def test_critical_extensions_are_refused(tokens, critical):
    answer = who(tokens, Authorization="Bearer " + token(b"hello", {"sub": "ada"}, crit=critical))
    assert answer.status_code == 401 and "crit" in answer.json()["reason"]


def test_the_order_of_the_handlers_counts(tokens):
    session = requests.post(
        f"{tokens.url}/_session", json=dict(zip(("name", "password"), ADMIN)), timeout=30).headers["Set-Cookie"].split(";")[0]
    headers = {"Cookie": session, "Authorization": "Bearer " + token(b"hello", {"sub": "ada"})}
    assert who(tokens, **headers).json()["userCtx"]["name"] == ADMIN[0]
    handlers = ", ".join(HANDLERS.format(name) for name in ["jwt", "cookie", "default"])
    tokens.json("PUT", CONFIG + "chttpd/authentication_handlers", json=handlers)
    assert who(tokens, **headers).json()["userCtx"]["name"] == "ada"


def test_a_copy_needs_the_right_to_write(server):
    """Someone who may only read cannot write by a copy, neither a document nor a local document."""
    server.json("PUT", "/_users/org.couchdb.user:reader", json={
        "name": "reader", "password": "reads and reads", "roles": [], "type": "user"})
    server.json("PUT", "/shelf")
    server.json("PUT", "/shelf/d", json={})
    server.json("PUT", "/shelf/_local/l", json={})
    server.json("PUT", "/shelf/_security", json={
        "members": {"names": ["reader"], "roles": []}, "admins": {"names": [], "roles": []},
        "readers": {"names": ["reader"], "roles": []}})
    for name, password in [(None, None), ("reader", "reads and reads")]:
        auth = (name, password) if name else None
        for source in ("d", "_local/l"):
            for destination in ("_design/evil", "_users"):
                answer = requests.request(
                    "COPY", f"{server.url}/shelf/{source}", headers={"Destination": destination}, auth=auth, timeout=30)
                assert answer.status_code in (400, 401, 403), (name, source, destination, answer.text)
    answer = requests.request("COPY", f"{server.url}/_users/org.couchdb.user:reader", headers={"Destination": "_local/x"},
                              auth=("reader", "reads and reads"), timeout=30)
    assert answer.status_code in (401, 403)


def test_users_that_are_made_again_have_their_design_document(tmp_path):
    server = Server(tmp_path)
    server.json("DELETE", "/_users")
    server.json("PUT", "/_users")
    # Tools wait for an empty database: in CouchDB, the document comes some seconds later.
    assert server.json("GET", "/_users")["doc_count"] == 0
    server.json("PUT", "/_users/org.couchdb.user:jan", json={"name": "jan", "password": "apple", "roles": [], "type": "user"})
    assert server.json("GET", "/_users/_design/_auth")["language"] == "javascript"
    server.stop()


def test_an_index_may_have_a_selector_as_in_old_versions(server):
    server.json("PUT", "/old")
    server.json("POST", "/old/_bulk_docs", json={"docs": [{"_id": f"d{n}", "n": n, "a": n % 2} for n in range(4)]})
    server.json("PUT", "/old/_design/sel", json={"language": "query", "views": {"s": {
        "map": {"fields": {"n": "asc"}, "selector": {"a": 1}}, "reduce": "_count", "options": {"def": {"fields": ["n"]}}}}})
    found = server.json("POST", "/old/_find", json={
        "selector": {"n": {"$gte": 0}}, "use_index": "sel", "fields": ["_id"]})
    assert [document["_id"] for document in found["docs"]] == ["d1", "d3"] and "warning" not in found


def test_text_queries_take_the_notations_of_others(server):
    server.json("PUT", "/words")
    server.json("POST", "/words/_bulk_docs", json={"docs": [{"_id": f"d{n}", "n": n, "t": f"fox {n}"} for n in range(4)]})
    server.json("POST", "/words/_index", json={"type": "text", "index": {
        "fields": [{"name": "t", "type": "string"}, {"name": "n", "type": "number"}]}})

    def ids(**query):
        return [document["_id"] for document in server.json("POST", "/words/_find", json=query)["docs"]]

    assert sorted(ids(selector={"$text": {"$search": "fox"}})) == ["d0", "d1", "d2", "d3"]
    assert ids(selector={"$text": "fox"}, sort=[{"n:number": "desc"}]) == ["d3", "d2", "d1", "d0"]
    assert ids(selector={"$text": "fox"}, sort=["t:string"], limit=2) == ["d0", "d1"]
    # A text index also serves a sort without `$text`, unless an index has a field with the complete name.
    assert ids(selector={"n": {"$gt": 0}}, sort=[{"n:number": "desc"}], limit=2) == ["d3", "d2"]
    for argument in ({"$search": 1}, {"$search": "a", "x": 1}, {}, {"search": "a"}):
        assert server.request("POST", "/words/_find", json={"selector": {"$text": argument}}).status_code == 400
    # Without a default field, a word without a field is a mistake of the request.
    server.json("PUT", "/plain")
    server.json("POST", "/plain/_index", json={"type": "text", "index": {
        "fields": [{"name": "t", "type": "string"}], "default_field": False}})
    answer = server.request("POST", "/plain/_find", json={"selector": {"$text": "fox"}})
    assert answer.status_code == 400 and "default field" in answer.json()["reason"]


def test_many_ids_are_read_by_their_ids(server):
    server.json("PUT", "/many")
    server.json("POST", "/many/_bulk_docs", json={"docs": [{"_id": f"d{n:05}"} for n in range(3_000)]})
    wanted = [f"d{n:05}" for n in range(0, 3_000, 5)]
    for selector in ({"$or": [{"_id": id} for id in wanted]}, {"_id": {"$in": wanted}},
                     {"$or": [{"_id": {"$in": wanted[:300]}}, *({"_id": id} for id in wanted[300:] + wanted[:50])]}):
        found = server.json("POST", "/many/_find", json={
            "selector": selector, "fields": ["_id"], "limit": 1_000, "execution_stats": True})
        assert [document["_id"] for document in found["docs"]] == wanted
        assert found["execution_stats"]["total_docs_examined"] == len(wanted), found["execution_stats"]


def test_a_text_index_allows_a_sort_by_its_fields(server):
    server.json("PUT", "/sorted")
    server.json("POST", "/sorted/_bulk_docs", json={"docs": [{"_id": f"d{n}", "n": -n, "m": n} for n in range(4)]})
    body = {"selector": {"n": {"$lt": 0}}, "sort": [{"n": "asc"}], "fields": ["_id"]}
    assert server.request("POST", "/sorted/_find", json=body).status_code == 400
    server.json("POST", "/sorted/_index", json={"type": "text", "index": {"fields": [{"name": "n", "type": "number"}]}})
    assert [document["_id"] for document in server.json("POST", "/sorted/_find", json=body)["docs"]] == ["d3", "d2", "d1"]
    assert server.request("POST", "/sorted/_find", json=body | {"sort": ["m"]}).status_code == 400
