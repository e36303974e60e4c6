"""Compressed requests and answers."""

import base64
import gzip
import json
import os
import zlib

import pytest

from loads import GB, MB, Growth, many_files, send_all_and_ask, shared
from raw import ask, request

BOMB_BYTES = GB
BOMB_GROWTH_BYTES_MAX = 150 * MB


def bomb():
    """`{"docs":["aaa…` of `BOMB_BYTES`, compressed by a factor of a thousand."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    head = packer.compress(b'{"docs":["') + packer.flush(zlib.Z_FULL_FLUSH)
    piece = packer.compress(b"a" * MB) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + piece * (BOMB_BYTES // MB)


@pytest.mark.parametrize("method,path", [
    ("POST", "/db/_bulk_docs"), ("PUT", "/db/bomb"), ("POST", "/db/_all_docs"), ("POST", "/db/_revs_diff"),
    ("POST", "/db/_changes?filter=_doc_ids"), ("POST", "/_session"),
])
def test_gzip_bomb(shared, method, path):
    """1 GB in 1 MB is refused, and never held in memory."""
    packed = bomb()
    with Growth(shared) as growth:
        text = request(method, path, "Content-Encoding: gzip", "Content-Type: application/json", body=packed)
        assert send_all_and_ask(shared, text).status == 413
    assert growth.most < BOMB_GROWTH_BYTES_MAX, f"{growth.most / MB:.0f} MB"
    assert shared.request("GET", "/db/bomb").status_code == 404


def test_packed_requests(shared):
    docs = [{"_id": f"packed{number}", "text": "x" * 1_000} for number in range(500)]
    body = gzip.compress(json.dumps({"docs": docs}).encode())
    headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
    saved = shared.json("POST", "/db/_bulk_docs", data=body, headers=headers)
    assert len(saved) == 500 and all(row["ok"] for row in saved)
    assert shared.json("GET", "/db/packed499")["text"] == "x" * 1_000
    cut = shared.request("POST", "/db/_bulk_docs", data=body[:-20], headers=headers)
    assert cut.status_code == 400 and set(cut.json()) == {"error", "reason"}
    broken = shared.request("POST", "/db/_bulk_docs", data=b"no gzip", headers=headers)
    assert broken.status_code == 400
    other = shared.request("POST", "/db/_bulk_docs", data=body, headers={**headers, "Content-Encoding": "br"})
    assert other.status_code == 415


def test_packed_answers(shared):
    shared.json("PUT", "/packed")
    docs = [{"_id": f"{number:05}", "text": "x" * 200} for number in range(3_000)]
    shared.json("POST", "/packed/_bulk_docs", json={"docs": docs})
    for path in ["/packed/_all_docs?include_docs=true", "/packed/_changes?include_docs=true"]:
        plain = ask(shared, request("GET", path))
        identity = ask(shared, request("GET", path, "Accept-Encoding: identity"))
        assert "content-encoding" not in plain.headers and "content-encoding" not in identity.headers
        assert plain.body == identity.body and len(plain.body) > 600_000
        for accepted in ["gzip", "deflate, gzip;q=0.5", "gzip, br"]:
            packed = ask(shared, request("GET", path, f"Accept-Encoding: {accepted}"))
            assert packed.headers["content-encoding"] == "gzip"
            assert "accept-encoding" in packed.headers["vary"].lower()
            assert len(packed.body) < len(plain.body) / 5
            assert gzip.decompress(packed.body) == plain.body
        for accepted in ["gzip;q=0", "br", ""]:
            assert "content-encoding" not in ask(shared, request("GET", path, f"Accept-Encoding: {accepted}")).headers


def test_packed_attachments_stay_what_they_are(shared):
    content = base64.b64encode(os.urandom(3_000))
    shared.json("PUT", "/db/text/a.txt", data=content, headers={"Content-Type": "text/plain"})
    for accepted in ["identity", "gzip"]:
        answer = ask(shared, request("GET", "/db/text/a.txt", f"Accept-Encoding: {accepted}"))
        body = gzip.decompress(answer.body) if answer.headers.get("content-encoding") == "gzip" else answer.body
        assert body == content
