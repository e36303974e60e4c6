"""Replications through connections that are cut: both databases are equal at the end, and received data is not requested
again."""

import contextlib
import random

import pytest

from bad_network import KB, LONG, MB, Proxy, Run, assert_equal, contents, load
from conftest import Server
from replicas import replicate

DOCUMENTS = 10_000
ATTACHMENT_BYTES = 50 * MB if LONG else 12 * MB
# In addition to the large one: a test that complete attachments of a document with several are stored too.
SMALLER_BYTES = [2 * MB, 3 * MB, 1 * MB]
# The maximum traffic through a proxy that cuts, as a multiple of that through one that does not.
WASTE_MAX = 1.3


def attach(server, name, seed):
    """Documents with attachments that compression does not make smaller: a large one, and several of one document."""
    noise = random.Random(seed)
    server.json("PUT", f"/{name}/large/film.bin", data=noise.randbytes(ATTACHMENT_BYTES),
                headers={"Content-Type": "video/mp4"})
    revision = None
    for place, size in enumerate(SMALLER_BYTES):
        revision = server.json(
            "PUT", f"/{name}/several/{place}.bin" + (f"?rev={revision}" if revision else ""),
            data=noise.randbytes(size), headers={"Content-Type": "image/jpeg"})["rev"]


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("shared") / "data")
    load(server, "plain", DOCUMENTS)
    server.json("PUT", "/films")
    attach(server, "films", 1)
    server.contents = {name: contents(server, name) for name in ("plain", "films")}
    yield server
    server.stop()


@contextlib.contextmanager
def served(directory):
    """A directory of databases that the command wrote, opened by a server."""
    server = Server(directory)
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="module")
def copies(shared, tmp_path_factory):
    """Local copies of the shared databases, to be pushed; and the traffic of pulling them through a proxy."""
    directory = tmp_path_factory.mktemp("copies")
    pulled = {}
    for name in shared.contents:
        with Proxy(shared) as proxy:
            replicate(proxy.database(name), str(directory / name), "--create-target")
            pulled[name] = proxy.bytes
    return directory, pulled


# Documents are transferred in requests of a few hundred kilobytes, which a cut wastes completely; of attachments no
# received bytes are lost.
CUTS = {"plain": (250 * KB, 1_000 * KB), "films": (1 * MB, 8 * MB) if LONG else (512 * KB, 4 * MB)}


@pytest.mark.parametrize("name", ["plain", "films"])
@pytest.mark.parametrize("seed", range(3) if LONG else range(1))
def test_pull_through_cuts(shared, copies, tmp_path, name, seed):
    """A continuous pull receives all documents through a proxy that cuts every connection; attachments continue where they
    were cut."""
    # Unread bytes of a reset connection are lost, which is megabytes on one machine: only read bytes are counted.
    with Proxy(shared, seed=seed, cut=CUTS[name], resets=0.2 if name == "plain" else 0) as proxy:
        with Run(proxy.database(name), str(tmp_path / "d" / name)) as run:
            run.wait_until_idle()
            took = proxy.bytes
            run.stop()
        waste = took / copies[1][name]
        print(f"{name}: {proxy.cuts} cuts, {waste:.2f} times the bytes")
        assert proxy.cuts >= 1
    with served(tmp_path / "d") as copy:
        assert_equal(contents(copy, name), shared.contents[name])
    assert waste < WASTE_MAX


@pytest.mark.parametrize("name", ["plain", "films"])
@pytest.mark.parametrize("seed", range(3) if LONG else range(1))
def test_push_through_cuts(shared, copies, other, name, seed):
    """A continuous push sends all documents through such a proxy; a Godwit continues attachments where they were cut."""
    source = str(copies[0] / name)
    with Proxy(other) as proxy:
        replicate(source, proxy.database("uncut"), "--create-target")
        uncut = proxy.bytes
    with Proxy(other, seed=seed, cut=CUTS[name]) as proxy:
        with Run(source, proxy.database("cut")) as run:
            run.wait_until_idle()
            took = proxy.bytes
            run.stop()
        print(f"{name}: {proxy.cuts} cuts, {took / uncut:.2f} times the bytes")
        assert proxy.cuts >= 1
    assert_equal(contents(other, "cut"), shared.contents[name])
    assert took / uncut < WASTE_MAX


def test_from_server_to_server_through_cuts(shared, copies, other, tmp_path):
    """The connections to the source and to the target of a one-shot run are cut."""
    with Proxy(shared, seed=6, cut=CUTS["films"], resets=0) as source, Proxy(other, seed=7, cut=CUTS["films"]) as target:
        done = replicate(source.database("films"), target.database("films"), "--create-target")
        print(f"{source.cuts} and {target.cuts} cuts, {target.bytes / copies[1]['films']:.2f} times the bytes")
        assert source.cuts >= 1 and target.cuts >= 1
    assert done["ok"] and done["docs_written"] == 2
    assert_equal(contents(other, "films"), shared.contents["films"])
    assert target.bytes < WASTE_MAX * copies[1]["films"]


@pytest.mark.parametrize("way", ["pull", "push"])
def test_once_through_mild_cuts(shared, copies, other, tmp_path, way):
    """A one-shot run completes despite cuts that leave it some progress each time."""
    behind = shared if way == "pull" else other
    with Proxy(behind, seed=5, cut=(600 * KB, 2 * MB)) as proxy:
        if way == "pull":
            done = replicate(proxy.database("plain"), str(tmp_path / "d" / "plain"), "--create-target")
        else:
            done = replicate(str(copies[0] / "plain"), proxy.database("once"), "--create-target")
    assert done["ok"] and done["docs_written"] == DOCUMENTS
    with served(tmp_path / "d") if way == "pull" else contextlib.nullcontext(other) as target:
        assert_equal(contents(target, "plain" if way == "pull" else "once"), shared.contents["plain"])
