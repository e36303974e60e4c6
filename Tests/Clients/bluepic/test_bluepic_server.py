"""Uploads, posts and pictures of BluePic's server; kills; a storage that is down."""

import concurrent.futures
import hashlib
import json
import random
import struct
import subprocess
import threading

import pytest
import requests

from bad_network import LONG
from bluepics import PHOTOS, PROGRAM, Site, base64_text, picture
from conftest import Server, eventually
from geopixes import Listener, with_exif

POSTS = 50 if LONG else 16


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("bluepic"), arguments=["--objects"])
    site.ann, site.ben = site.user("ann"), site.user("ben")
    yield site
    site.stop()


def objects(site):
    """The names of all stored objects, by the object storage's own API."""
    keys = site.json("POST", "/_godwit/objects/bluepic/key")
    token = requests.post(f"{site.url}/v3/auth/tokens", timeout=60, json={"auth": {
        "identity": {"methods": ["password"], "password": {"user": {
            "name": "bluepic", "domain": {"name": "Default"}, "password": keys["secret_key"]}}},
        "scope": {"project": {"name": "bluepic", "domain": {"name": "Default"}}}}}).headers["X-Subject-Token"]
    answer = requests.get(f"{site.url}/v1/AUTH_bluepic/bluepic?format=json", headers={"X-Auth-Token": token}, timeout=60)
    return [] if answer.status_code == 404 else sorted(item["name"] for item in answer.json())


def size(jpeg):
    """Width and height of a JPEG."""
    place = 2
    while True:
        marker, length = struct.unpack(">HH", jpeg[place:place + 4])
        if marker in (0xFFC0, 0xFFC2):
            height, width = struct.unpack(">HH", jpeg[place + 5:place + 9])
            return width, height
        place += 2 + length


def test_the_upload_comes_before_the_image(site):
    file = PHOTOS[0].read_bytes()
    early = site.ann.post("image-0001", "Too early")
    assert early.status_code == 409 and early.json()["error"] == "not_uploaded"
    site.ann.upload(file, "image-0001")
    assert site.get("/images/image-0001").status_code == 404
    assert site.get("/pictures/image-0001").status_code == 404
    made = site.ann.post("image-0001", "Dawn #Alps #dawn", fileName="11-27-2026_101500.JPG", deviceId="phone")
    assert made.status_code == 201, made.text
    assert site.ann.post("image-0001", "Again").json()["caption"] == "Dawn #Alps #dawn"
    assert site.ids().count("image-0001") == 1
    tags = eventually(lambda: site.get("/images/image-0001").json()["tags"])
    assert [tag["label"] for tag in tags] == ["alps", "dawn"]


def test_pictures_are_upright_and_without_data_of_the_camera(site):
    # Orientation 6: the camera was turned. The first entry of GPS data: the reference of the latitude.
    file = with_exif(PHOTOS[1].read_bytes(), [(0x0112, 3, 1, struct.pack("<HH", 6, 0))])
    assert b"Exif" in file
    image = site.ann.posted(file)
    stored = site.get(image["url"])
    assert stored.status_code == 200 and b"Exif" not in stored.content
    width, height = size(stored.content)
    before = size(PHOTOS[1].read_bytes())
    assert (width > height) != (before[0] > before[1]) and (image["width"], image["height"]) == (width, height)
    assert max(size(site.get(image["thumbnail"]).content)) == 600


def test_pictures_have_tags_and_ranges(site):
    image = site.ann.posted(PHOTOS[2].read_bytes())
    whole = site.get(image["url"])
    assert "max-age" in whole.headers["Cache-Control"]
    part = site.get(image["url"], headers={"Range": "bytes=10-19"})
    assert part.status_code == 206 and part.content == whole.content[10:20]
    assert part.headers["Content-Range"] == f"bytes 10-19/{len(whole.content)}"
    assert site.get(image["url"], headers={"Range": "bytes=10-"}).content == whole.content[10:]
    assert site.get(image["url"], headers={"Range": "bytes=99999999-"}).status_code == 416
    assert site.get(image["url"], headers={"If-None-Match": whole.headers["ETag"]}).status_code == 304
    assert site.get(image["thumbnail"]).headers["ETag"] != whole.headers["ETag"]


def test_an_image_in_base64_and_one_in_a_form(site):
    file = picture((200, 10, 10))
    members = {"fileName": "a.png", "caption": "In Base64", "userId": "ann", "deviceId": "x", "image": base64_text(file)}
    made = site.ann.ask("POST", "/images", json=members)
    assert made.status_code == 201 and made.json()["user"]["_id"] == "ann" and made.json()["width"] == 64
    form = site.ann.ask("POST", "/images", files={"image": ("b.png", file, "image/png")},
                        data={"imageJson": json.dumps({"caption": "In a form", "userId": "ann"})})
    assert form.status_code == 201 and form.json()["caption"] == "In a form" and form.json()["fileName"] == "b.png"
    assert site.ids("/users/ann/images")[:2] == [form.json()["_id"], made.json()["_id"]]
    assert site.ann.ask("POST", "/images", json={**members, "image": "no picture"}).status_code in (400, 415)
    assert site.ann.ask("POST", "/images", data=b"{", headers={"Content-Type": "application/json"}).status_code == 400


def test_profiles_and_their_pictures(site):
    assert site.get("/users/ben/picture").status_code == 404
    made = site.ben.ask("POST", "/users", json={"name": "Ben Gull"})
    assert made.status_code == 201 and made.json()["name"] == "Ben Gull"
    image = site.ben.posted()
    assert site.get(f"/images/{image['_id']}").json()["user"]["name"] == "Ben Gull"
    assert site.ben.ask("PUT", "/users/ben/picture", json={"image": image["_id"]}).status_code == 200
    assert site.get("/users/ben/picture").headers["Content-Type"] == "image/jpeg"
    assert site.ben.ask("PUT", "/users/ben", json={"name": "Ben Tern"}).json()["name"] == "Ben Tern"
    assert site.get(f"/images/{image['_id']}").json()["user"]["name"] == "Ben Tern"
    assert site.ann.ask("PUT", "/users/ben", json={"name": "Mine"}).status_code == 403
    assert site.ann.ask("PUT", "/users/ann/picture", json={"image": image["_id"]}).status_code == 404


def test_a_deleted_image_is_gone_with_its_picture(site):
    image = site.ann.posted()["_id"]
    assert f"ann/{image}" in objects(site)
    assert site.ben.ask("DELETE", f"/images/{image}").status_code == 403
    assert requests.delete(f"{site.url}/images/{image}", timeout=60).status_code == 401
    assert site.ann.ask("DELETE", f"/images/{image}").json() == {"ok": True}
    assert site.get(f"/images/{image}").status_code == site.get(f"/pictures/{image}").status_code == 404
    assert not [name for name in objects(site) if image in name]
    assert site.ann.ask("DELETE", f"/images/{image}").status_code == 404
    # An upload that was not posted is removed the same way, by its user only.
    upload = site.ann.upload(picture())
    assert site.ben.ask("DELETE", f"/images/{upload}").status_code == 404
    assert site.ann.ask("DELETE", f"/images/{upload}").status_code == 200
    assert not [name for name in objects(site) if upload in name]


def test_events_announce_images(site):
    listener = Listener(f"{site.url}/images/events")
    eventually(lambda: listener.found)
    image = site.ann.posted(caption="Live")["_id"]
    eventually(lambda: [data for name, data in listener.found if name == "image" and data["_id"] == image])
    site.ann.ask("DELETE", f"/images/{image}")
    eventually(lambda: ("gone", {"id": image}) in listener.found)
    listener.stop.set()


def test_the_database_is_for_reading(site):
    assert requests.get(f"{site.url}/bluepic/_changes?limit=1", timeout=60).status_code == 200
    body = {"type": "image", "userId": "ann", "caption": "forged"}
    assert site.ann.ask("PUT", "/bluepic/forged", json=body).status_code in (401, 403)
    assert site.ann.ask("POST", "/bluepic/_bulk_docs", json={"docs": [body]}).status_code in (401, 403)


def test_kills_lose_no_post_and_leave_no_picture(tmp_path):
    """The server is killed while users post. Each acknowledged post is there once and complete; after the sweep each
    object belongs to a post."""
    site = Site(tmp_path, arguments=["--objects", "--upload-lifetime", "0", "--sweep-interval", "3600"])
    users = [site.user("ann"), site.user("ben")]
    files = [picture((number * 5, 40, 200 - number * 3), 80, 60) for number in range(POSTS)]
    acknowledged, lock, is_over = {}, threading.Lock(), threading.Event()

    def post(number):
        user, id = users[number % 2], f"post-{number:04}"
        while not is_over.is_set():
            try:
                granted = user.grant(files[number], id)
                if granted.status_code == 201:
                    user.send(files[number], id, granted.json()["grant"])
                if granted.status_code == 401:
                    # Access tokens end with the server's process.
                    user.log_in()
                answer = user.post(id, f"Post {number}")
                if answer.status_code in (200, 201):
                    with lock:
                        acknowledged[id] = answer.json()
                    return
            except requests.RequestException:
                pass
            is_over.wait(0.05)

    random_ = random.Random(7)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        posts = [pool.submit(post, number) for number in range(POSTS)]
        killed_at = 0
        try:
            for _ in range(3):
                wanted = min(killed_at + random_.randint(2, 4), POSTS)
                eventually(lambda: len(acknowledged) >= wanted, 60)
                site.kill()
                killed_at = len(acknowledged)
                site.start()
            concurrent.futures.wait(posts, timeout=90)
        finally:
            is_over.set()
    assert len(acknowledged) == POSTS
    site.stop()
    site.start()
    ids = site.ids()
    assert sorted(ids) == sorted(acknowledged)
    for id in ids:
        stored = site.get(f"/pictures/{id}")
        image = site.json("GET", f"/bluepic/{id}")
        assert hashlib.sha256(stored.content).hexdigest() == image["digest"]
        assert site.get(f"/pictures/{id}/thumbnail").status_code == 200
    wanted = sorted(name for id in ids for name in [f"{acknowledged[id]['userId']}/{id}"])
    eventually(lambda: sorted({name.removesuffix(".thumbnail") for name in objects(site)}) == wanted, 30)
    site.stop()


def test_the_sweep_removes_old_uploads_only(tmp_path):
    site = Site(tmp_path, arguments=["--objects", "--upload-lifetime", "2", "--sweep-interval", "0.2"])
    ann = site.user("ann")
    image = ann.posted()["_id"]
    upload = ann.upload(picture((1, 2, 3)))
    assert f"ann/{upload}" in objects(site)
    eventually(lambda: objects(site) == [f"ann/{image}", f"ann/{image}.thumbnail"], 30)
    late = ann.post(upload, "Too late")
    assert late.status_code == 409 and late.json()["error"] == "not_uploaded"
    ann.upload(picture((1, 2, 3)), upload)
    assert ann.post(upload, "In time").status_code == 201
    site.stop()


def storage_settings(kind, storage, keys):
    """The environment for a storage by the variable of BluePic, or by that of a cloud platform."""
    access, secret, place = keys["access_key"], keys["secret_key"], f"127.0.0.1:{storage.port}"
    services = {"s3": {"endpoint": f"http://{place}/_s3", "access_key_id": access, "secret_access_key": secret},
                "swift": {"auth_url": f"http://{place}", "username": "feed", "password": secret, "project": "feed",
                          "domainName": "Default"}}
    return {
        "s3": {"BLUEPIC_STORAGE": f"s3+http://{access}:{secret}@{place}/_s3"},
        "swift": {"BLUEPIC_STORAGE": f"swift+http://feed:{secret}@{place}/v3?project=feed"},
        "platform": {"VCAP_SERVICES": json.dumps({"minio": [{"credentials": services["s3"]}]})},
        "platform-swift": {"VCAP_SERVICES": json.dumps({
            "cloudantNoSQLDB": [{"credentials": {"url": "https://a:b@example.org"}}],
            "Object-Storage": [{"credentials": services["swift"]}]})},
    }[kind]


@pytest.mark.parametrize("kind", ["s3", "swift", "platform", "platform-swift"])
def test_a_storage_service_that_is_down(tmp_path, kind):
    """While the storage is down the feed continues, uploads are refused with 503 and succeed later."""
    storage = Server(tmp_path / "storage", arguments=["--objects"])
    keys = storage.json("PUT", "/_godwit/objects/feed", json={})
    site = Site(tmp_path, environment=storage_settings(kind, storage, keys))
    ann = site.user("ann")
    image = ann.posted(caption="Before")
    assert site.get(image["url"]).status_code == 200
    storage.kill()
    assert site.get("/images").json()[0]["caption"] == "Before"
    assert site.get(image["url"]).status_code == 503
    granted = ann.grant(picture(), "later-0001").json()["grant"]
    refused = ann.send(picture(), "later-0001", granted)
    assert refused.status_code == 503 and refused.headers["Retry-After"]
    assert keys["secret_key"] not in refused.text
    assert ann.post("later-0001").status_code == 503
    storage.start()
    assert ann.send(picture(), "later-0001", granted).status_code == 201
    assert ann.post("later-0001", "After").status_code == 201
    assert site.get(image["url"]).status_code == 200
    complaints = site.stop()
    assert keys["secret_key"] not in complaints
    storage.stop()


def test_a_wrong_storage_is_refused_without_its_password(tmp_path):
    run = subprocess.run([PROGRAM, "serve", "--data", str(tmp_path / "d")], capture_output=True, text=True, timeout=60,
                         env={"PATH": "/usr/bin", "BLUEPIC_STORAGE": "ftp://a:topsecret@host"})
    assert run.returncode != 0 and "BLUEPIC_STORAGE" in run.stderr and "topsecret" not in run.stderr + run.stdout


