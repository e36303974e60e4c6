"""Every kind of function of a design document may have code before it, as in CouchDB: helper functions, variables, 'use strict'."""

import pytest

FORMS = {
    "a variable": "var a = 1; {function}",
    "a helper": "function helper(value) { return value; } {function}",
    "strict": "'use strict'; {function}",
    "a name": "var f = {function}; f",
    "a comment": "// it does this\n{function}",
    "parentheses": "({function})",
}


def design(form):
    def code(function):
        return FORMS[form].replace("{function}", function)

    return {
        "views": {"n": {"map": code("function (doc) { emit(doc.n, doc.n); }"), "reduce": code("function (keys, values) { return sum(values); }")}},
        "filters": {"even": code("function (doc, req) { return doc.n % 2 === 0; }")},
        "updates": {"make": code("function (doc, req) { return [{_id: req.query.id, n: 8}, 'made']; }")},
        "shows": {"n": code("function (doc, req) { return 'n is ' + doc.n; }")},
        "lists": {"all": code("function (head, req) { var row, text = ''; while (row = getRow()) text += row.value + ';'; return text; }")},
        "rewrites": code("function (req) { return {path: '_show/n/' + req.path.slice(-1)[0]}; }"),
        "indexes": {"words": {"index": code("function (doc) { if (doc.text) index('text', doc.text); }")}},
        "st_indexes": {"places": {"index": code("function (doc) { if (doc.place && doc.n) st_index(doc.place); }")}},
        "validate_doc_update": code("function (doc, old, user) { if (doc.bad) throw {forbidden: 'it is bad'}; }"),
    }


@pytest.mark.parametrize("form", FORMS)
def test_functions_with_code_before_them(server, form):
    server.json("PUT", "/db")
    server.json("PUT", "/db/_design/d", json=design(form))
    place = {"type": "Point", "coordinates": [8, 47]}
    server.json("POST", "/db/_bulk_docs", json={"docs": [{"_id": f"d{n}", "n": n, "text": "red fox", "place": place} for n in range(1, 5)]})
    root = "/db/_design/d"
    assert [row["value"] for row in server.json("GET", f"{root}/_view/n?reduce=false")["rows"]] == [1, 2, 3, 4]
    assert server.json("GET", f"{root}/_view/n")["rows"] == [{"key": None, "value": 10}]
    changes = server.json("GET", "/db/_changes?filter=d/even")["results"]
    assert {row["id"] for row in changes} == {"d2", "d4"}
    assert server.request("POST", f"{root}/_update/make?id=made").status_code == 201
    assert server.json("GET", "/db/made")["n"] == 8
    assert server.request("GET", f"{root}/_show/n/d3").text == "n is 3"
    assert server.request("GET", f"{root}/_list/all/n?reduce=false&limit=2").text == "1;2;"
    assert server.request("GET", f"{root}/_rewrite/d2").text == "n is 2"
    assert server.json("GET", f"{root}/_search/words?q=text:fox")["total_rows"] == 4
    assert len(server.json("GET", f"{root}/_geo/places?bbox=7,46,9,48")["rows"]) == 4
    answer = server.request("PUT", "/db/other", json={"bad": True})
    assert answer.status_code == 403 and answer.json()["reason"] == "it is bad"
    # A replicated design document works too.
    server.json("PUT", "/copy")
    assert server.json("POST", "/_replicate", json={"source": "db", "target": "copy"})["ok"]
    assert server.request("PUT", "/copy/other", json={"bad": True}).status_code == 403
    assert server.request("PUT", "/copy/other", json={"good": True}).status_code == 201
