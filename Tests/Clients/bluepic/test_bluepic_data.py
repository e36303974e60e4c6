"""The expectations of the original's server test, on the API of 2019."""

import pytest

from bluepics import Site, base64_text, picture

# As in the original: nine images of five users. The tags of each image.
IMAGES = {
    "2001": ("1001", []), "2002": ("1000", ["city", "building"]), "2003": ("1002", ["mountain", "lake"]),
    "2004": ("1001", ["flower", "garden"]), "2005": ("1003", ["bridge", "cloudy sky"]), "2006": ("1000", ["person"]),
    "2007": ("1001", ["flower", "nature"]), "2008": ("1002", ["mountain", "nature"]), "2010": ("1001", ["mountain"]),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("bluepic"))
    for id in ["1000", "1001", "1002", "1003", "anonymous"]:
        made = site.request("POST", "/users", json={"_id": id, "name": f"User {id}"})
        assert made.status_code == 201, made.text
    for id, (user, tags) in IMAGES.items():
        made = site.request("POST", "/images", json={
            "_id": id, "fileName": f"{id}.png", "caption": f"Image {id}", "contentType": "image/png", "width": 64,
            "height": 48, "uploadedTs": f"2017-03-{int(id[2:]) + 10:02}T20:00:00", "userId": user,
            "deviceId": "3001", "tags": [{"label": label, "confidence": 75} for label in tags],
            "location": {"name": "Austin, TX", "latitude": 34.53, "longitude": 84.5},
            "image": base64_text(picture((int(id) % 255, 80, 120)))})
        assert made.status_code == 201, made.text
    yield site
    site.stop()


def test_ping(site):
    answer = site.get("/ping")
    assert answer.status_code == 200 and answer.headers["Content-Type"].startswith("text/plain")
    assert answer.text == "Hello World, from BluePic-Server! Original URL: /ping"


def test_images_are_the_newest_first(site):
    assert site.ids() == sorted(IMAGES, reverse=True) and len(IMAGES) == 9
    pages, path = [], "/images?limit=4"
    while path:
        answer = site.get(path)
        pages.append([image["_id"] for image in answer.json()])
        path = answer.links.get("next", {}).get("url")
        path = path and path + "&limit=4"
    assert [len(page) for page in pages] == [4, 4, 1] and sum(pages, []) == sorted(IMAGES, reverse=True)


def test_an_image_has_the_members_of_2019(site):
    image = site.get("/images/2010").json()
    assert image["_rev"] and image["type"] == "image"
    assert {name: image[name] for name in ("_id", "fileName", "caption", "width", "height", "uploadedTs", "userId",
                                           "deviceId")} == {
        "_id": "2010", "fileName": "2010.png", "caption": "Image 2010", "width": 64, "height": 48,
        "uploadedTs": "2017-03-20T20:00:00", "userId": "1001", "deviceId": "3001"}
    assert image["tags"] == [{"label": "mountain", "confidence": 75}]
    assert image["location"] == {"name": "Austin, TX", "latitude": 34.53, "longitude": 84.5}
    assert image["user"] == {"_id": "1001", "name": "User 1001", "type": "user"}
    # The server stores a JPEG, whatever was sent.
    assert image["contentType"] == "image/jpeg"
    assert site.get(image["url"]).headers["Content-Type"] == "image/jpeg"
    assert site.get(image["thumbnail"]).content.startswith(b"\xff\xd8\xff")
    assert site.get("/images/2009").status_code == 404
    assert site.get("/images/user:1001").status_code == 404
    assert site.get("/images/_design%2Ffeed").status_code in (401, 404)


def test_images_of_a_tag(site):
    assert site.ids("/images/tag/mountain") == ["2010", "2008", "2003"]
    assert site.ids("/images/tag/cloudy%20sky") == ["2005"]
    assert site.ids("/images/tag/nothing") == []
    assert site.get("/images/tag/mountain?limit=1").links["next"]["url"].endswith("&limit=1")
    first = site.get("/images/tag/mountain?limit=2")
    assert [image["_id"] for image in first.json()] == ["2010", "2008"]
    assert [image["_id"] for image in site.get(first.links["next"]["url"]).json()] == ["2003"]


def test_users(site):
    assert [user["_id"] for user in site.get("/users").json()] == ["anonymous", "1003", "1002", "1001", "1000"]
    user = site.get("/users/1001").json()
    assert (user["_id"], user["name"], user["type"]) == ("1001", "User 1001", "user")
    assert site.get("/users/1009").status_code == 404 and site.get("/users/1009/images").status_code == 404
    assert site.ids("/users/1001/images") == ["2010", "2007", "2004", "2001"]
    assert site.ids("/users/anonymous/images") == []
    again = site.request("POST", "/users", json={"_id": "1001", "name": "Another"})
    assert again.status_code == 200 and again.json() == user


def test_top_tags(site):
    assert site.get("/tags").json() == ["mountain", "flower", "nature", "bridge", "building", "city", "cloudy sky",
                                        "garden", "lake", "person"]
    assert site.get("/tags?limit=2").json() == [{"label": "mountain", "count": 3}, {"label": "flower", "count": 2}]


def test_search(site):
    assert site.ids("/search?q=garden") == ["2004"]
    assert sorted(site.ids("/search?q=austin")) == sorted(IMAGES)
    assert site.ids("/search?q=" + '"(%2B%7B') == []
    assert site.ids("/search?q=caption:*") == []


def test_push_says_that_it_sent_nothing(site):
    assert site.request("POST", "/push/images/2010").json() == {"status": False}
    assert site.request("POST", "/push/images/2009").status_code == 404
    assert site.request("POST", "/push/images").status_code == 400
