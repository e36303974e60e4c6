"""A failing function causes a clear error of its own request, and does not affect others."""

import pathlib
import threading
import time

import pytest

from conftest import Server
from loads import LONG

CONFIG = "/_node/_local/_config/"
# The maximum time of a call, with a margin for a busy machine.
ANSWER_SECONDS_MAX = 40
LOOPS = {
    "loop": "for (;;);",
    "recursion": "(function again() { return again() + 1; })();",
    "memory": "var all = []; for (;;) all.push(new Array(100000).fill(Math.random()));",
    "text": "var t = 'x'; for (;;) t += t;",
    "buffers": "var all = []; for (;;) all.push(new Uint8Array(50000000).fill(1));",
}
ERRORS = {
    "loop": {"timeout"},
    "memory": {"out_of_memory", "script_process_ended", "timeout"},
    "text": {"out_of_memory", "script_process_ended", "render_error", "timeout"},
    "buffers": {"out_of_memory", "script_process_ended", "render_error", "timeout"},
    "recursion": {"render_error"},
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("runaway") / "data")
    if not LONG:
        # A loop takes a core until its time is over: by default 5 s.
        site.json("PUT", CONFIG + "couchdb/os_process_timeout", json="2000")
    for name in ["bad", "good"]:
        site.json("PUT", f"/{name}")
    site.json("PUT", "/good/_design/d", json={
        "views": {"v": {"map": "function (doc) { emit(doc._id, null); }"}},
        "shows": {"s": "function () { return 'fine'; }"}})
    site.json("PUT", "/good/a", json={})
    site.json("PUT", "/bad/a", json={})
    site.json("PUT", "/bad/_design/s", json={
        "shows": {name: f"function () {{ {body} return 'survived'; }}" for name, body in LOOPS.items()},
        "lists": {name: f"function () {{ send('x'); {body} }}" for name, body in LOOPS.items()},
        "updates": {name: f"function () {{ {body} return [null, '']; }}" for name, body in LOOPS.items()},
        "filters": {name: f"function () {{ {body} return true; }}" for name, body in LOOPS.items()}})
    yield site
    site.stop()


def children(site):
    """The child processes of the server."""
    tasks = pathlib.Path(f"/proc/{site.process.pid}/task").glob("*/children")
    return {child for task in tasks for child in task.read_text().split()}


def test_time_and_processes_are_settings_that_hold_at_once_and_stay(tmp_path):
    site = Server(tmp_path / "data")
    site.json("PUT", "/db")
    site.json("PUT", "/db/_design/d", json={"shows": {
        "s": "function (doc, req) { var end = Date.now() + Number(req.query.ms); while (Date.now() < end); return 'done'; }"}})
    show = "/db/_design/d/_show/s?ms="
    assert site.json("GET", CONFIG + "couchdb/os_process_timeout") == "5000"
    assert site.request("GET", show + "400").text == "done"
    assert site.json("PUT", CONFIG + "couchdb/os_process_timeout", json="200") == "5000"
    for _ in range(2):
        begun = time.monotonic()
        late = site.request("GET", show + "30000")
        assert late.status_code == 500 and late.json()["error"] == "timeout"
        assert time.monotonic() - begun < 25
        site.stop()
        site.start()
    assert site.json("DELETE", CONFIG + "couchdb/os_process_timeout") == "200"
    assert site.request("GET", show + "400").text == "done"
    for value in ["0", "-1", "x", "infinity"]:
        assert site.request("PUT", CONFIG + "couchdb/os_process_timeout", json=value).status_code == 400
    assert site.request("PUT", CONFIG + "query_server_config/os_process_limit", json="257").status_code == 400
    site.json("PUT", CONFIG + "query_server_config/os_process_limit", json="1")
    threads = [threading.Thread(target=site.request, args=("GET", show + "500")) for _ in range(4)]
    for thread in threads:
        thread.start()
    counts = []
    while any(thread.is_alive() for thread in threads):
        counts.append(len(children(site)))
        time.sleep(0.02)
    # A process that ends and its replacement may both be visible for a moment.
    assert sorted(counts)[len(counts) // 2] == 1, counts
    site.json("PUT", CONFIG + "query_server_config/os_process_idle_limit", json="1")
    assert site.request("GET", show + "0").text == "done"
    deadline = time.monotonic() + 20
    while children(site) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not children(site)
    site.stop()


class Meanwhile:
    """Sends requests to another database while other work runs."""

    def __init__(self, site):
        self.site, self.ended, self.slowest, self.count = site, threading.Event(), 0, 0
        self.wrong = []
        self.thread = threading.Thread(target=self.run)

    def run(self):
        while not self.ended.is_set():
            self.site.json("POST", "/good", json={})
            for path in ["/good/_design/d/_show/s", "/good/_design/d/_view/v?limit=1", "/good/a"]:
                begun = time.monotonic()
                answer = self.site.request("GET", path)
                self.slowest = max(self.slowest, time.monotonic() - begun)
                self.count += 1
                if answer.status_code != 200:
                    self.wrong.append(answer.text)
            time.sleep(0.02)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()
        assert not self.wrong and self.count >= 3
        assert self.slowest < 4, "somebody else waited for the function that ran away"


@pytest.mark.parametrize("name", LOOPS)
def test_shows(site, name):
    with Meanwhile(site):
        begun = time.monotonic()
        answer = site.request("GET", f"/bad/_design/s/_show/{name}")
        assert time.monotonic() - begun < ANSWER_SECONDS_MAX
    assert answer.status_code == 500 and answer.json()["error"] in ERRORS[name], answer.text
    assert answer.json()["reason"]


def test_an_expression_that_tries_for_ever(site):
    """JavaScriptCore gives up such expressions itself, or reaches the limit."""
    site.json("PUT", "/bad/_design/e", json={"shows": {
        "e": "function () { return String(/^(a+)+$/.test(new Array(50).join('a') + '!')); }"}})
    with Meanwhile(site):
        answer = site.request("GET", "/bad/_design/e/_show/e")
    assert answer.text == "false" or answer.json()["error"] == "timeout"


@pytest.mark.parametrize("path, method", [
    ("_update/loop", "POST"), ("_list/loop/_all_docs", "GET")])
def test_updates_and_lists(site, path, method):
    with Meanwhile(site):
        answer = site.request(method, f"/bad/_design/s/{path}")
    assert answer.status_code == 500 and answer.json()["error"] == "timeout"


def test_filters(site):
    with Meanwhile(site):
        answer = site.request("GET", "/bad/_changes?filter=s/loop")
    assert answer.status_code == 500 and answer.json()["error"] == "timeout"


@pytest.mark.parametrize("name", ["loop", "memory"])
def test_views(site, name):
    site.json("PUT", f"/bad/_design/v-{name}", json={"views": {
        "v": {"map": f"function (doc) {{ {LOOPS[name]} }}"}}})
    with Meanwhile(site):
        answer = site.request("GET", f"/bad/_design/v-{name}/_view/v")
    assert answer.status_code == 500 and answer.json()["error"] in ERRORS[name], answer.text


def test_views_that_recurse_or_throw_leave_documents_out(site):
    site.json("PUT", "/bad/_design/v-rest", json={"views": {
        "recursion": {"map": f"function (doc) {{ {LOOPS['recursion']} emit(1, 1); }}"},
        "undefined": {"map": "function (doc) { emit(undefined, undefined); emit(NaN, function () {}); }"},
        "cycle": {"map": "function (doc) { var a = {}; a.a = a; emit(a, 1); }"}}})
    view = "/bad/_design/v-rest/_view"
    assert site.json("GET", f"{view}/recursion")["rows"] == []
    assert site.json("GET", f"{view}/cycle")["rows"] == []
    assert {(row["key"], row["value"]) for row in site.json("GET", f"{view}/undefined")["rows"]} == {(None, None)}


def test_a_megabyte_is_a_value_like_any_other(site):
    site.json("PUT", "/bad/_design/large", json={
        "views": {"v": {"map": "function (doc) { emit(doc._id, new Array(1048577).join('x')); }"}},
        "shows": {"s": "function () { return new Array(1048577).join('x'); }"}})
    row = site.json("GET", "/bad/_design/large/_view/v?key=%22a%22")["rows"][0]
    assert len(row["value"]) == 1 << 20
    assert len(site.request("GET", "/bad/_design/large/_show/s").content) == 1 << 20


def test_validation(site):
    site.json("PUT", "/held")
    site.json("PUT", "/held/_design/d", json={"validate_doc_update": "function () { for (;;); }"})
    with Meanwhile(site):
        answer = site.request("PUT", "/held/a", json={})
    assert answer.status_code == 500 and answer.json()["error"] == "timeout"
    assert site.request("GET", "/held/a").status_code == 404


def test_reduces(site):
    site.json("PUT", "/bad/_design/r", json={"views": {
        "loop": {"map": "function (doc) { emit(1, 1); }", "reduce": "function () { for (;;); }"}}})
    site.json("PUT", "/bad/_design/g", json={"views": {
        "grows": {"map": "function (doc) { emit(1, new Array(1000).join('x')); }",
                  "reduce": "function (keys, values) { return values.join(''); }"}}})
    site.json("POST", "/bad/_bulk_docs", json={"docs": [{} for _ in range(200)]})
    with Meanwhile(site):
        answer = site.request("GET", "/bad/_design/r/_view/loop")
    assert answer.status_code == 500 and answer.json()["error"] == "timeout"
    answer = site.request("GET", "/bad/_design/g/_view/grows")
    assert "reduce_overflow_error" in answer.text and "Reduce output must shrink more rapidly" in answer.text


def test_many_loops_at_once(site):
    """One database cannot use all processes."""
    answers = []

    def loop():
        answers.append(Server.request(site, "GET", "/bad/_design/s/_show/loop").status_code)

    threads = [threading.Thread(target=loop) for _ in range(4)]
    with Meanwhile(site):
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert answers == [500] * 4


def test_nothing_of_one_database_is_seen_in_another(site):
    for name in ["left", "right"]:
        site.json("PUT", f"/{name}")
        site.json("PUT", f"/{name}/_design/d", json={"shows": {
            "set": "function () { globalThis.kept = 'secret'; Object.prototype.kept2 = 'secret'; JSON.kept = 1; return ''; }",
            "get": "function () { return String(globalThis.kept) + ({}).kept2 + JSON.kept; }"}})
    for _ in range(20):
        site.request("GET", "/left/_design/d/_show/set")
        assert site.request("GET", "/right/_design/d/_show/get").text == "undefinedundefinedundefined"


def test_the_world_outside_is_out_of_reach(site):
    names = ["require('fs')", "process", "fetch", "XMLHttpRequest", "importScripts", "load", "read", "print", "readline",
             "java", "Packages", "WebAssembly", "SharedArrayBuffer", "setTimeout"]
    site.json("PUT", "/bad/_design/reach", json={"shows": {
        str(place): f"function () {{ return String({name}); }}" for place, name in enumerate(names)}})
    for place, name in enumerate(names):
        assert site.request("GET", f"/bad/_design/reach/_show/{place}").status_code == 500, name
