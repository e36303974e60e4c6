"""The content of a feed's row."""

import base64

import pytest

from feeds import ENDLESS, db, shared

TREE = [
    {"_id": "c", "_revisions": {"start": 2, "ids": ["b", "a"]}, "v": "b"},
    {"_id": "c", "_revisions": {"start": 2, "ids": ["c", "a"]}, "v": "c"},
    {"_id": "c", "_revisions": {"start": 3, "ids": ["d", "x", "a"]}, "_deleted": True},
]


def graft(db, *documents):
    body = {"new_edits": False, "docs": list(documents)}
    assert db.server.json("POST", f"/{db.name}/_bulk_docs", json=body) == []


@pytest.mark.parametrize("kind", ENDLESS)
def test_style(db, kind):
    with db.feed(f"feed={kind}&style=all_docs&heartbeat=60000") as feed:
        graft(db, *TREE)
        row = feed.change()[0] if kind == "eventsource" else feed.row()
    assert [leaf["rev"] for leaf in row["changes"]] == ["2-c", "2-b", "3-d"]
    assert db.changes("style=main_only")["results"][0]["changes"] == [{"rev": "2-c"}]


def test_conflicts_in_documents(db):
    graft(db, *TREE)
    assert db.changes("include_docs=true")["results"][0]["doc"] == {"_id": "c", "_rev": "2-c", "v": "c"}
    row = db.changes("include_docs=true&conflicts=true")["results"][0]
    assert row["doc"] == {"_id": "c", "_rev": "2-c", "v": "c", "_conflicts": ["2-b"]}
    assert "doc" not in db.changes("conflicts=true&attachments=true")["results"][0]


@pytest.mark.parametrize("kind", ENDLESS)
def test_attachments_in_documents(db, kind):
    content = bytes(range(256)) * 400
    with db.feed(f"feed={kind}&include_docs=true&attachments=true&heartbeat=60000") as feed:
        db.server.json("PUT", f"/{db.name}/x/a.bin", data=content, headers={"Content-Type": "image/x"})
        row = feed.change()[0] if kind == "eventsource" else feed.row()
    attachment = row["doc"]["_attachments"]["a.bin"]
    assert base64.b64decode(attachment["data"]) == content and "stub" not in attachment
    stub = db.changes("include_docs=true")["results"][0]["doc"]["_attachments"]["a.bin"]
    assert stub["stub"] and stub["length"] == len(content) and "data" not in stub


@pytest.mark.parametrize("kind", ENDLESS)
def test_deletions(db, kind):
    first = db.put("a", n=1)
    with db.feed(f"feed={kind}&since=now&include_docs=true&heartbeat=60000") as feed:
        gone = db.server.json("DELETE", f"/{db.name}/a?rev={first}")["rev"]
        row = feed.change()[0] if kind == "eventsource" else feed.row()
    assert row == {"seq": row["seq"], "id": "a", "changes": [{"rev": gone}], "deleted": True,
                   "doc": {"_id": "a", "_rev": gone, "_deleted": True}}
    assert db.changes()["results"] == [{"seq": row["seq"], "id": "a", "changes": [{"rev": gone}], "deleted": True}]
    again = db.put("a", n=2)
    row = db.changes()["results"][0]
    assert row["changes"] == [{"rev": again}] and "deleted" not in row


def test_local_documents_are_in_no_feed(db):
    with db.feed("feed=continuous&heartbeat=60000&limit=1") as feed:
        db.put("_local/x")
        db.put("a")
        assert [row.get("id") for row in feed.rows()] == ["a", None]
