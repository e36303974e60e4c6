"""Devices of BluePic: real processes with a real server."""

import hashlib
import random
import re

import pytest
import requests

from bad_network import LONG, Proxy
from bluepic_devices import KEY, Device
from bluepics import PASSWORD, PHOTOS, Site, picture
from conftest import Server, eventually
from geopixes import with_exif

POSTS = 50 if LONG else 12
# As on the device: the number of images of a new window, and the number from which it is made new.
WINDOW, WINDOW_MAX = 200, 400


@pytest.fixture
def site(tmp_path):
    site = Site(tmp_path)
    yield site
    if site.process.poll() is None:
        site.stop()


@pytest.fixture
def device(tmp_path, site):
    device = Device(tmp_path / "device", site.url)
    yield device
    device.stop()


def complete(device):
    return eventually(lambda: device.state()["isComplete"], 60)


def test_a_guest_sees_the_feed_without_signing_in(site, device):
    ann = site.user("ann")
    ann.ask("POST", "/users", json={"name": "Ann Heron"})
    images = [ann.posted(file.read_bytes(), f"Photo {number}") for number, file in enumerate(PHOTOS[:3])]
    assert device.state()["stage"] == "signedOut"
    device.done("later")
    assert device.state()["stage"] == "ready" and device.state()["user"] is None
    eventually(lambda: len(device.feed()) == 3, 60)
    photo = device.feed()[0]
    assert (photo["id"], photo["caption"], photo["name"]) == (images[2]["_id"], "Photo 2", "Ann Heron")
    assert device.get(f"/pictures/{photo['id']}/thumbnail").content == site.get(images[2]["thumbnail"]).content
    assert device.get("/portraits/ann").status_code == 404
    refused = device.browser.post(f"{device.url}/photos", data=picture(), timeout=60)
    assert refused.status_code == 409 and "Sign in" in refused.json()["reason"]
    late = ann.posted(caption="Live")["_id"]
    eventually(lambda: device.feed()[0]["id"] == late, 60)
    ann.ask("DELETE", f"/images/{late}")
    eventually(lambda: device.feed()[0]["id"] == photo["id"], 60)
    # The choice lasts.
    device.stop()
    device.start()
    assert device.state()["stage"] == "ready" and len(device.feed()) == 3


def test_a_post_is_uploaded_when_chosen_and_made_when_posted(site, device):
    device.register("ann", "Ann Heron")
    id = device.chosen(PHOTOS[0].read_bytes(), source="file")
    post = device.state()["posts"][0]
    assert post["stage"] == "draft" and post["width"] == 600
    eventually(lambda: device.state()["posts"][0]["isUploaded"], 60)
    assert site.ids() == []
    device.done("post", id=id, caption="Dawn #alps")
    device.shows(id)
    image = site.get(f"/images/{id}").json()
    assert re.fullmatch(r"\d\d-\d\d-\d{4}_\d{6}\.JPG", image["fileName"])
    assert (image["caption"], image["user"]["name"], image["width"]) == ("Dawn #alps", "Ann Heron", 600)
    profile = eventually(lambda: (found := device.state()["profile"])["count"] == 1 and found)
    assert profile["name"] == "Ann Heron"


def test_a_high_picture_is_600_wide_upright_and_without_exif(site, device):
    device.register("ann")
    # Orientation 6: the camera was turned.
    file = with_exif(PHOTOS[2].read_bytes(), [(0x0112, 3, 1, b"\x06\0\0\0")])
    id = device.posted(file)
    device.shows(id)
    image = site.get(f"/images/{id}").json()
    assert image["width"] == 600 and image["height"] > 600
    assert b"Exif" not in site.get(image["url"]).content


def test_a_draft_that_is_removed_leaves_nothing(site, device):
    device.register("ann")
    id = device.chosen(picture())
    eventually(lambda: device.state()["posts"][0]["isUploaded"], 60)
    device.done("remove", id=id)
    assert device.state()["posts"] == []
    assert device.act("post", id=id, caption="").status_code == 404
    ann = site.user("ann", registers=False)
    eventually(lambda: ann.post(id).status_code == 409)
    assert site.ids() == []


def test_posts_wait_for_the_server_and_follow_in_order(site, device):
    device.register("ann")
    complete(device)
    site.kill()
    ids = [device.posted(picture((number, 9, 9)), f"Post {number}") for number in range(3)]
    eventually(lambda: device.state()["trouble"], 60)
    assert [post["caption"] for post in device.state()["posts"]] == ["Post 0", "Post 1", "Post 2"]
    device.done("remove", id=ids[1])
    device.kill()
    device.start()
    assert [post["id"] for post in device.state()["posts"]] == [ids[0], ids[2]]
    site.start()
    device.done("refresh")
    device.shows(ids[2])
    assert site.ids() == [ids[2], ids[0]]


def test_posts_wait_for_the_storage(tmp_path):
    """The server answers, but not its storage: the feed continues, and the post follows."""
    storage = Server(tmp_path / "storage", arguments=["--objects"])
    keys = storage.json("PUT", "/_godwit/objects/feed", json={})
    site = Site(tmp_path, environment={
        "BLUEPIC_STORAGE": f"s3+http://{keys['access_key']}:{keys['secret_key']}@127.0.0.1:{storage.port}/_s3"})
    ben = site.user("ben")
    image = ben.posted(caption="Before")["_id"]
    device = Device(tmp_path / "device", site.url).register("ann")
    storage.kill()
    id = device.posted(picture(), "Waits")
    eventually(lambda: device.state()["trouble"], 60)
    assert [photo["id"] for photo in device.feed()] == [image] and site.ids() == [image]
    assert device.state()["posts"][0]["refusal"] is None
    storage.start()
    device.done("refresh")
    device.shows(id)
    device.stop()
    site.stop()
    storage.stop()


def test_seen_pictures_are_seen_without_a_network(site, device):
    ann = site.user("ann")
    seen, unseen = [ann.posted(file.read_bytes())["_id"] for file in PHOTOS[:2]]
    ann.ask("PUT", "/users/ann/picture", json={"image": seen})
    device.done("later")
    eventually(lambda: len(device.feed()) == 2, 60)
    thumbnail = device.get(f"/pictures/{seen}/thumbnail").content
    portrait = device.get("/portraits/ann").content
    site.kill()
    device.stop()
    device.start()
    assert len(device.feed()) == 2
    assert device.get(f"/pictures/{seen}/thumbnail").content == thumbnail
    # The thumbnail is better than nothing.
    assert device.get(f"/pictures/{seen}").content == thumbnail
    assert device.get("/portraits/ann").content == portrait
    assert device.get(f"/pictures/{unseen}/thumbnail").status_code == 502
    site.start()


def test_a_user_deletes_own_posts_only(site, device):
    ben = site.user("ben").posted(caption="Ben's")["_id"]
    device.register("ann")
    id = device.posted(picture(), "Ann's")
    device.shows(id)
    eventually(lambda: len(device.feed()) == 2, 60)
    assert device.act("remove", id=ben).status_code == 404
    site.kill()
    device.done("remove", id=id)
    assert [photo["id"] for photo in device.feed()] == [ben]
    site.start()
    device.done("refresh")
    # The removed photo does not come back while the device and the server exchange the removal.
    shown = []
    eventually(lambda: shown.append([photo["id"] for photo in device.feed()]) or site.ids() == [ben], 60)
    assert all(ids == [ben] for ids in [*shown, [photo["id"] for photo in device.feed()]])


def test_the_profile(site, device):
    device.register("ann")
    id = device.posted(picture((5, 5, 5)), "Me")
    device.shows(id)
    device.done("rename", name="Ann of the Lake")
    device.done("setPicture", id=id)
    assert device.get("/portraits/ann").status_code == 200
    eventually(lambda: device.state()["profile"] == {"name": "Ann of the Lake", "picture": id, "count": 1}, 60)
    assert site.get("/users/ann").json()["name"] == "Ann of the Lake"
    assert [photo["id"] for photo in device.feed(user="ann")] == [id]


def test_signing_out_removes_everything(site, device):
    device.register("ann")
    device.shows(device.posted(picture(), "Mine"))
    device.done("signOut")
    state = device.state()
    assert state["stage"] == "signedOut" and state["user"] is None and state["posts"] == []
    device.done("signIn", name="ann", password=PASSWORD)
    eventually(lambda: device.state()["profile"]["count"] == 1, 60)
    assert device.act("signIn", name="ben", password="x").status_code == 400


def test_a_wrong_password_is_told(site, device):
    site.user("ann")
    answer = device.act("signIn", name="ann", password="wrong-password")
    assert answer.status_code == 403 and device.state()["busy"] is None and device.state()["stage"] == "signedOut"


def test_the_window_moves_and_older_images_leave_the_device(site, device):
    """The device has the newest images, and all of its user."""
    device.register("ann")
    own = device.posted(picture(), "Old, but Ann's")
    device.shows(own)
    old = {**site.json("GET", f"/bluepic/{own}"), "uploadedTs": "2001-01-01T00:00:00", "order": f"2001-01-01T00:00:00 {own}"}
    site.json("PUT", f"/bluepic/{own}", json=old)

    def document(number):
        uploaded = f"2020-01-01T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}"
        return {"_id": f"image-{number:05}", "type": "image", "uploadedTs": uploaded, "userId": "ben", "caption": "",
                "order": f"{uploaded} image-{number:05}", "width": 1, "height": 1, "userName": "Ben"}

    def known():
        ids = [photo["id"] for photo in device.feed(limit=100)]
        return ids

    count = WINDOW_MAX + 150
    site.json("POST", "/bluepic/_bulk_docs", json={"docs": [document(number) for number in range(count)]})
    newest = f"image-{count - 1:05}"
    eventually(lambda: known()[0] == newest, 60)

    def total():
        ids, before = [], None
        while True:
            page = device.get("/feed", params={"limit": 100, **({"before": before} if before else {})}).json()
            ids += [photo["id"] for photo in page["photos"]]
            before = page["next"]
            if not before:
                return ids

    ids = eventually(lambda: len(found := total()) == WINDOW + 1 and found, 60)
    assert ids[:WINDOW] == [f"image-{number:05}" for number in range(count - 1, count - 1 - WINDOW, -1)]
    assert ids[-1] == own


def test_a_new_device_pulls_the_window_only(site, tmp_path):
    docs = [{"_id": f"image-{number:05}", "type": "image", "uploadedTs": f"2020-01-{number // 100 + 1:02}T00:00:{number % 60:02}",
             "userId": "ben", "order": f"2020-01-{number // 100 + 1:02}T00:00:{number % 60:02} image-{number:05}"}
            for number in range(1_000)]
    site.json("POST", "/bluepic/_bulk_docs", json={"docs": docs})
    with Proxy(site) as proxy:
        device = Device(tmp_path / "device", f"http://127.0.0.1:{proxy.port}")
        device.done("later")
        complete(device)
        first = device.feed(limit=100)
        ids, before = [], None
        while before != "":
            page = device.get("/feed", params={"limit": 100, **({"before": before} if before else {})}).json()
            ids += [photo["id"] for photo in page["photos"]]
            before = page["next"] or ""
        device.stop()
    assert first and WINDOW <= len(ids) < WINDOW_MAX


def test_a_token_that_is_revoked_ends_the_session(site, device):
    device.register("ann")
    complete(device)
    name = site.json("GET", "/_apps/bluepic/users/ann")["devices"][0]["id"]
    assert site.request("DELETE", f"/_apps/bluepic/users/ann/devices/{name}").status_code == 200
    eventually(lambda: device.state()["stage"] == "signedOut", 60)
    assert device.state()["notice"]["kind"] == "loggedOut"


def test_files_contain_no_secret_and_no_caption(site, device, tmp_path):
    device.register("ann")
    site.kill()
    device.posted(PHOTOS[0].read_bytes(), "a caption that nobody reads")
    device.stop()
    texts = ["a caption that nobody reads", PASSWORD, KEY, "access_token", "refresh_token", "JFIF"]
    for path in device.home.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            for text in texts:
                assert text.encode() not in content, (path, text)
            assert path.stat().st_mode & 0o077 == 0, path
    site.start()


def test_kills_of_device_and_server_lose_no_post(site, device):
    """Each post of the user is in the feed once and complete; nothing else is."""
    device.register("ann")
    random_ = random.Random(3)
    ids = []
    for number in range(POSTS):
        ids.append(device.posted(picture((number * 4, 60, 90), 90, 70), f"Post {number}"))
        if number % 4 == 3:
            site.kill()
            site.start()
        if number % 4 == random_.randint(0, 3):
            device.kill()
            device.start()
    device.done("refresh")
    eventually(lambda: sorted(site.ids()) == sorted(ids), 90)
    eventually(lambda: not device.state()["posts"], 90)
    for number, id in enumerate(ids):
        document = site.json("GET", f"/bluepic/{id}")
        assert document["caption"] == f"Post {number}"
        assert hashlib.sha256(site.get(f"/pictures/{id}").content).hexdigest() == document["digest"]


def test_other_programs_do_not_use_the_device(device):
    for path in ["/state", "/feed", "/pictures/some-image", "/portraits/ann"]:
        assert requests.get(device.url + path, timeout=60).status_code == 403
    assert requests.post(f"{device.url}/photos", data=b"x", timeout=60).status_code == 403
    assert requests.post(f"{device.url}/actions/signOut", json={}, timeout=60).status_code == 403


def test_a_passphrase_protects_the_data(site, tmp_path):
    device = Device(tmp_path / "protected", site.url, key=None)
    assert device.state()["stage"] == "new"
    assert device.act("unlock", passphrase="short").status_code == 400
    device.done("unlock", passphrase="a long passphrase")
    assert device.state()["stage"] == "signedOut"
    device.stop()
