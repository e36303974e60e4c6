"""A device of Conversation: answers without a network, the history on two devices, topics, and speech."""

import time

import pytest

from conftest import eventually
from conversations import PASSWORD, Device, cloud, corpus, corpus_file, ready, speech_model, spoken


@pytest.fixture
def site(tmp_path):
    server = ready(cloud(tmp_path, "--corpus", str(corpus_file(tmp_path))))
    server.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
    yield server
    if server.process.poll() is None:
        server.stop()


@pytest.fixture
def device(tmp_path, site):
    one = Device(tmp_path / "first", site.url).opened()
    yield one
    one.stop()


def test_questions_are_answered_without_a_network(device, site):
    assert device.act("ask", question="what is gout").status_code in (200, 404)
    device.filled(9)
    site.stop()
    device.done("later")
    asked = device.ask("how is gouty arthritis treated")
    assert asked["answers"][0]["text"] == "About the treatment of Gout." and asked["answers"][0]["url"] == "https://example.org/Gout"
    assert device.ask("who won the world cup")["answers"] == []
    assert device.history()[:2] == ["who won the world cup", "how is gouty arthritis treated"]
    assert device.act("ask", question=" ").status_code == 400 and device.act("ask", question="x" * 3_000).status_code == 400
    # After a restart too. The kernel may have the key still.
    device.stop()
    device.start()
    if device.state()["stage"] == "locked":
        device.opened()
    eventually(lambda: device.state()["isCorpusReady"], 60)
    assert device.ask("signs of malaria")["answers"][0]["question"] == "What are the symptoms of Malaria ?"
    device.done("remove", id=device.get("/history").json()["questions"][0]["id"])
    assert "signs of malaria" not in device.history()


def test_the_history_is_on_all_devices_of_a_user_and_encrypted(device, site, tmp_path):
    device.filled(9).done("register", name="ann", password=PASSWORD)
    device.ask("what is psoriasis", isSpoken=True)
    eventually(lambda: device.state()["isSent"], 60)
    second = Device(tmp_path / "second", site.url).opened().filled(9)
    second.done("signIn", name="ann", password=PASSWORD)
    eventually(lambda: second.history() == ["what is psoriasis"], 60)
    second.ask("what is malaria")
    eventually(lambda: second.state()["isSent"], 60)
    assert second.get("/history").json()["questions"][1]["isSpoken"] is True
    # Nothing of a question is readable in the files of a device.
    for path in (tmp_path / "second").rglob("*"):
        if path.is_file():
            assert b"psoriasis" not in path.read_bytes().lower(), path
    # Another user cannot sign in on a device with the questions of ann, and a device without them begins empty.
    assert device.act("register", name="ben", password=PASSWORD).status_code == 400
    second.done("signOut")
    assert second.state()["user"] is None and second.state()["stage"] == "signedOut"
    second.done("register", name="ben", password=PASSWORD)
    assert second.history() == []
    second.stop()


def test_a_device_has_the_chosen_topics(device, site):
    device.filled(9).done("later")
    assert device.get("/topics?prefix=Ma").json() == {"database": "corpus", "sources": ["test"], "topics": ["Malaria"]}
    device.done("select", sources=[], topics=["Malaria"])
    device.filled(3)
    assert device.ask("what is malaria")["answers"] and device.ask("what is gout")["answers"] == []
    site.json("PUT", "/corpus/new", json={"question": "Is Malaria inherited ?", "answer": "No.", "focus": "Malaria"})
    eventually(lambda: device.state()["corpusCount"] == 4, 60)
    device.done("select", sources=["test"], topics=[])
    device.filled(9)
    device.done("select", sources=[], topics=[])
    device.filled(10)
    assert device.act("select", sources=["x"] * 200, topics=[]).status_code == 400


def test_deleted_questions_are_deleted_on_the_device(device, site):
    device.filled(9)
    revision = site.json("GET", "/corpus/Gout-treatment")["_rev"]
    site.json("DELETE", f"/corpus/Gout-treatment?rev={revision}")
    device.filled(8)


def test_a_device_follows_the_corpus_to_another_database(device, site, tmp_path):
    device.filled(9)
    site.json("PUT", "/own")
    for pair in corpus()[:3]:
        site.json("PUT", f"/own/{pair['id']}-2", json={name: value for name, value in pair.items() if name != "id"})
    site.stop()
    site.arguments[site.arguments.index("--corpus") + 1] = str(tmp_path / "data/own")
    site.start()
    ready(site)
    device.kill()
    device.start()
    if device.state()["stage"] == "locked":
        device.opened()
    # The three questions of the other database, and none of the nine.
    device.filled(3)


def test_a_lost_device_removes_its_data(device, site):
    device.filled(9).done("register", name="hal", password=PASSWORD)
    device.ask("what is gout")
    eventually(lambda: device.state()["isSent"], 60)
    [known] = site.json("GET", "/_apps/conversation/users/hal/devices")["devices"]
    site.json("PUT", f"/_apps/conversation/users/hal/devices/{known['id']}/state", json={"state": "lost"})
    device.kill()
    device.start()
    if device.state()["stage"] == "locked":
        device.opened()
    # The data is open again, and empty, when the screen to sign in is shown.
    eventually(lambda: (state := device.state())["stage"] == "signedOut" and (state["notice"] or {}).get("kind") == "wiped", 90)
    assert device.state()["user"] is None
    assert device.history() == []


def test_the_device_speaks_and_recognises(tmp_path, tmp_path_factory):
    server = ready(cloud(tmp_path))
    device = Device(tmp_path / "first", server.url, "--speech-model", speech_model(tmp_path_factory)).opened()
    file = device.get("/speech?text=What+causes+narcolepsy&format=ogg")
    assert file.headers["Content-Type"].startswith("audio/ogg") and file.content[:4] == b"OggS"
    samples, results = spoken(server, "What causes narcolepsy"), []
    server.stop()
    for start in range(0, len(samples), 8_000):
        is_last = start + 8_000 >= len(samples)
        answer = device.browser.post(f"{device.url}/sound?recording=0123456789{'&end=1' if is_last else ''}", data=samples[start:start + 8_000], timeout=60)
        assert answer.status_code == 201, answer.text
        results += answer.json()["results"]
    assert results[-1] == {"transcript": "what causes narcolepsy", "isFinal": True} and not results[0]["isFinal"]
    assert device.browser.post(device.url + "/sound?recording=1", data=b"", timeout=60).status_code == 400
    assert device.browser.post(device.url + "/sound?recording=0123456789", data=bytes(300_000), timeout=60).status_code == 413
    # A new recording ends the one before, so that the only process is free.
    begun = time.monotonic()
    for number in range(3):
        assert device.browser.post(f"{device.url}/sound?recording=recording{number}", data=bytes(16_000), timeout=60).ok
    assert time.monotonic() - begun < 20
    device.stop()
