"""Texts of users in pages, mails, lists, logs and headers: whatever is before and after a special character, the text
comes back as a text, and the answer has no element, attribute, line or header more than for a harmless text.

A Swift `Character` can consist of a special character and marks around it, and some characters are canonically equal to a
special one. The texts have each special character between such marks. The answers are read byte by byte."""

import collections
import csv
import email
import email.policy
import html.parser
import io
import itertools
import json
import re
import unicodedata
import urllib.parse
import xml.etree.ElementTree as ElementTree

import pytest
import requests

import browser as browsers
from accounts import SourceAddress
from bluepics import Site, picture
from conftest import ADMIN, Server, eventually, godwit
from conversations import cloud as conversation_cloud, corpus_file, ready
from geopixes import cloud as geopix_cloud
from objectstores import Request, Swift, add_account, objects_server, s3_of
from users.test_mail import App, Mailbox

SPECIAL = "<>&\"'`=/\\\n\r\t\0;,|%{}"
# Combining marks, marks that join with the character after them, joiners, a variation selector, and marks of direction.
MARKS = ["", "\u0301", "\u0338", "\u20d2", "\u0600", "\u06dd", "\U000110bd", "\u200d", "\u200c", "\u034f", "\ufe0f", "\u202e",
         "\u2066", "\u200f"]
EQUAL = ["\u212a", "K", "\u037e", ";", "\u1fef", "`", "\u2260", "=\u0338", "\u226e", "<\u0338", "\u226f", ">\u0338", "\u00e9",
         "e\u0301"]
RAN = "document.documentElement.dataset.ran='yes'"
PAYLOADS = [
    f"<img src=x onerror={RAN}>", f"\"><script>{RAN}</script>", f"' onmouseover={RAN} x='", f"\" onfocus={RAN} autofocus x=\"",
    f"</title><script>{RAN}</script>", "</script>", "</textarea><b>", "<!--", "-->", "]]>", "<![CDATA[", "<?x?>", "&lt;b&gt;",
    "&#60;b&#62;", "&amp", "\r\nX-Evil: 1\r\n\r\n<b>", "javascript:alert(1)", "{{name}}", "${x}", "%3Cb%3E", "\\\"><b>", "\u0600<b>",
    "<b\u0301>", "\u0600\"\u0301 onfocus=x \u0600\"\u0301", "\uff1cb\uff1e", "=1+1",
]


def texts(without=""):
    """All texts, without those with some characters. Each begins and ends with a letter, so that joined texts do not
    change each other."""
    found = [f"x{before}{character}{after}b" for character in SPECIAL for before in MARKS for after in MARKS] + EQUAL + PAYLOADS
    return [text for text in found if not set(text) & set(without)]


def portions(length, without=""):
    """All texts joined to longer ones of at most so many bytes of a URL."""
    portion = ""
    for text in texts(without):
        if portion and len(urllib.parse.quote(portion + text)) > length:
            yield portion
            portion = ""
        portion += text + " "
    yield portion


def sample(without="", every=29):
    """Some of the texts, with each special character, and all payloads."""
    found = texts(without)
    return list(dict.fromkeys([*found[::every], *(text for text in found if text in EQUAL + PAYLOADS)]))


class Page(html.parser.HTMLParser):
    """What a page consists of: its tags with the names of their attributes, and its texts."""

    def __init__(self, answer):
        super().__init__(convert_charrefs=True)
        body = answer.content.decode()
        self.tags, self.texts = [], [""]
        self.attributesCount = 0
        self.feed(body)
        self.close()
        # Each character of markup is a part of the tags that were found.
        assert body.count("<") == body.count(">") == len(self.tags) and "'" not in body
        assert body.count('"') == 2 * self.attributesCount
        assert "&" not in re.sub("&(amp|lt|gt|quot|#39);", "", body)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, *sorted(name for name, _ in attributes)))
        self.texts += [value or "" for _, value in attributes]
        self.attributesCount += sum(1 for _, value in attributes if value is not None)
        self.texts.append("")

    handle_startendtag = handle_starttag

    def handle_endtag(self, tag):
        self.tags.append(("/" + tag,))
        self.texts.append("")

    def handle_data(self, data):
        self.texts[-1] += data

    def handle_comment(self, data):
        self.tags.append(("!--", data))

    handle_pi = unknown_decl = handle_decl = handle_comment

    def shows(self, text):
        """Whether a text of an element or the value of an attribute is or contains the text."""
        return any(text in one for one in self.texts)

    def is_like(self, harmless):
        """Asserts that the page has the tags of a page with a harmless text."""
        assert self.tags == harmless.tags
        return self


def page(url, path, status=200):
    answer = requests.get(url + path, headers={"Accept": "text/html"}, timeout=30)
    assert answer.status_code == status and answer.headers["Content-Type"].startswith("text/html"), answer.text
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    return Page(answer)


def quoted(text):
    return urllib.parse.quote(text, safe="")


# Pages


@pytest.fixture(scope="module")
def bluepic(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("bluepic"))
    yield site
    site.stop()


@pytest.fixture(scope="module")
def conversation(tmp_path_factory):
    folder = tmp_path_factory.mktemp("conversation")
    site = ready(conversation_cloud(folder, "--corpus", str(corpus_file(folder))))
    yield site
    site.stop()


@pytest.fixture(scope="module")
def geopix(tmp_path_factory):
    site = geopix_cloud(tmp_path_factory.mktemp("geopix"))
    yield site
    site.stop()


def test_the_words_and_tags_of_an_address(bluepic):
    for path in ("/find?q=", "/tag/"):
        harmless = page(bluepic.url, path + "harmless")
        for text in portions(6_000):
            assert page(bluepic.url, path + quoted(text)).is_like(harmless).shows(text), text
    missing = page(bluepic.url, "/user/harmless", 404)
    for text in portions(6_000, "/"):
        page(bluepic.url, "/user/" + quoted(text), 404).is_like(missing)
        page(bluepic.url, "/photo/" + quoted(text), 404)


def test_the_captions_tags_places_and_names_of_photos(bluepic):
    image = bluepic.user("ann").posted(picture(), "caption")
    path, profile = f"/bluepic/{image['_id']}", "/bluepic/user:ann"
    eventually(lambda: bluepic.json("GET", path).get("isProcessed", True))
    assert bluepic.user("ben").ask("POST", "/users", json={"name": "Ben"}).status_code in (200, 201)

    def pages(caption, tags, name, place):
        body = bluepic.json("GET", path)
        bluepic.json("PUT", path, json={
            **body, "caption": caption, "userName": name, "tags": [{"label": tag} for tag in tags],
            "location": {"latitude": 1, "longitude": 2, "name": place}})
        known = bluepic.request("GET", profile)
        known = known.json() if known.ok else {"type": "user"}
        bluepic.json("PUT", profile, json={**known, "name": name})
        found = [page(bluepic.url, path) for path in ("/explore", f"/photo/{image['_id']}", "/user/ann", "/cloud", "/find")]
        for shown in (caption, name):
            assert all(one.shows(shown) for one in found[:2]), shown
        assert found[1].shows(place)
        for tag in tags:
            assert found[1].shows(tag), tag
        return found

    harmless = pages("caption", [f"t{number}" for number in range(20)], "name", "place")
    names = sample()
    for number, caption in enumerate(portions(8_000)):
        tags = sorted({names[(number * 30 + step) % len(names)] for step in range(40)})[:20]
        own = pages(caption, tags, names[number % len(names)], names[-1 - number % len(names)])
        for one, like in zip(own[:3], harmless):
            one.is_like(like)
        # Tags that are equal in the order of a view are one tag of the cloud.
        assert all(set(one.tags) == set(like.tags) for one, like in zip(own[3:], harmless[3:]))
        feed = requests.get(bluepic.url + "/images", timeout=30)
        assert feed.headers["Content-Type"].startswith("application/json") and feed.json()[0]["caption"] == caption


def test_the_question_of_an_address(conversation):
    harmless = page(conversation.url, "/conversation?question=harmless")
    for text in portions(6_000):
        found = page(conversation.url, "/conversation?question=" + quoted(text))
        # Words of the texts may find answers, which are lists of the page.
        assert set(found.tags) <= set(harmless.tags) | ANSWERS and found.shows(text), text
        answer = requests.get(conversation.url + "/ask", params={"query": text}, timeout=30)
        assert answer.headers["Content-Type"].startswith("application/json") and answer.json() is not None


ANSWERS = {("ol", "class"), ("/ol",), ("li", "class"), ("/li",), ("h2", "class"), ("/h2",), ("p", "class", "data-speech"), ("/p",),
           ("p", "class"), ("span", "class"), ("/span",), ("a", "class", "href", "rel", "target"), ("/a",), ("noscript",),
           ("audio", "controls", "preload", "src"), ("/audio",), ("/noscript",)}


def test_the_captions_times_and_owners_of_the_list(geopix):
    def shown(rows):
        docs = [{"_id": f"{owner}:{number}", "type": "com.geopix.entry", "sort": 1 + number, "caption": caption, "clientDate": date}
                for number, (owner, caption, date) in enumerate(rows)]
        geopix.json("POST", "/geopix/_bulk_docs", json={"docs": docs})
        found = page(geopix.url, "/list")
        for texts_ in rows:
            assert all(found.shows(text) for text in texts_[:2]), texts_
        listed = requests.get(geopix.url + "/photos", timeout=30)
        assert listed.headers["Content-Type"].startswith("application/json")
        assert [photo["caption"] for photo in listed.json()["photos"]] == [row[1] for row in reversed(rows)]
        for doc in docs:
            geopix.json("DELETE", f"/geopix/{quoted(doc['_id'])}", params={"rev": geopix.json("GET", f"/geopix/{quoted(doc['_id'])}")["_rev"]})
        return found

    harmless = shown([("owner", "caption", "date")] * 20)
    owners, portion = [text for text in sample("\0") if ":" not in text], list(portions(2_000))
    for start in range(0, len(portion), 20):
        rows = [(owners[number % len(owners)], portion[number % len(portion)], owners[-1 - number % len(owners)])
                for number in range(start, start + 20)]
        shown(rows).is_like(harmless)
    assert page(geopix.url, "/list?before=1&beforeId=" + quoted("\"><b>\u0600\"\u0301")).tags


# Lists of objects


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("store")
    server = objects_server(folder / "data", "--access-log", str(folder / "access.log"), "--log-level", "info",
                            "--log-file", str(folder / "server.log"))
    server.folder = folder
    server.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def account(store):
    return add_account(store, "ann")


@pytest.fixture(scope="module")
def names(store, account):
    """Names of objects in the container `box`, which strangers may list as a page."""
    swift = Swift(store, account)
    headers = {"X-Container-Read": ".r:*,.rlistings", "X-Container-Meta-Web-Listings": "true"}
    assert swift.request("PUT", "/box", headers=headers).status_code == 201
    kept = []
    for text in [*(text.replace("/", "\u2215") for text in sample("\0", 23)), *(text for text in sample("\0", 97) if "/" in text)]:
        if not all(text.split("/")):
            continue
        answer = swift.request("PUT", "/box/" + quoted(text), data=b"x", headers={"Content-Type": "text/plain"})
        assert answer.status_code == 201, (text, answer.text)
        kept.append(text)
    return sorted(set(kept))


def test_the_page_of_a_container(store, account, names):
    found = page(store.url, "/v1/AUTH_ann/box/")
    assert set(found.tags) == {("html", "lang"), ("head",), ("meta", "charset"), ("title",), ("/title",), ("/head",), ("body",),
                               ("h1",), ("/h1",), ("ul",), ("li",), ("a", "href"), ("/a",), ("/li",), ("/ul",), ("/body",), ("/html",),
                               ("!--", "DOCTYPE html")}
    for name in names:
        assert found.shows(name.split("/")[0]), name
    links = [text for text in found.texts if text.startswith("./")]
    plain = [name for name in names if "/" not in name]
    assert all(re.fullmatch(r"\./[\w.~%-]+/?", link, re.ASCII) for link in links)
    assert set(plain) <= {urllib.parse.unquote(link[2:]) for link in links}


def test_the_errors_of_a_container(store, account):
    swift = Swift(store, account)
    for text in sample("\0", 61):
        for path in (f"/box/{quoted(text)}!", f"/{quoted(text.replace('/', ''))}"):
            for kind in ("text/html", "application/json"):
                answer = swift.request("GET", path, headers={"Accept": kind})
                assert answer.status_code == 404
                tags = re.findall(r"<[^>]*>?", answer.text)
                assert set(tags) <= {"<html>", "<h1>", "</h1>", "<p>", "</p>", "</html>"}, (path, answer.text)


def test_the_lists_of_a_container(store, account, names):
    swift = Swift(store, account)
    listed = swift.request("GET", "/box", params={"format": "json"})
    assert sorted(row["name"] for row in listed.json()) == names
    listed = ElementTree.fromstring(swift.request("GET", "/box", params={"format": "xml"}).content)
    assert sorted(element.text for element in listed.iter("name")) == names
    assert {element.tag for element in listed.iter()} == {"container", "object", "name", "hash", "bytes", "content_type", "last_modified"}
    for prefix in names[::10]:
        listed = ElementTree.fromstring(swift.request("GET", "/box", params={
            "format": "xml", "prefix": prefix[:1], "delimiter": prefix[1:] or "/"}).content)
        assert {element.tag for element in listed.iter()} <= {
            "container", "object", "name", "hash", "bytes", "content_type", "last_modified", "subdir"}


def test_the_lists_and_errors_of_a_bucket(store, account, names):
    s3 = s3_of(store, account)
    rows = [row["Key"] for row in s3.list_objects_v2(Bucket="box")["Contents"]]
    assert sorted(rows) == names

    def answer(path, query=()):
        found = Request("GET", path, query=query).sign(account).send(store)
        assert found.headers["content-type"] == "application/xml"
        return found.status, ElementTree.fromstring(found.body)

    plain = lambda tag: tag.partition("}")[2] or tag  # noqa: E731
    for version in ([("list-type", "2")], []):
        status, listed = answer("/box", version)
        assert status == 200 and sorted(element.text for element in listed.iter() if plain(element.tag) == "Key") == names
    harmless = {plain(element.tag) for element in answer("/box", [("list-type", "2"), ("prefix", "x"), ("delimiter", "y")])[1].iter()}
    for name in names[::5]:
        _, listed = answer("/box", [("list-type", "2"), ("prefix", name), ("delimiter", name[-1]), ("start-after", name)])
        assert {plain(element.tag) for element in listed.iter()} <= harmless | {"Contents", "CommonPrefixes", "Key", "Prefix", "StartAfter"}
        assert next(element.text for element in listed.iter() if plain(element.tag) == "Prefix") == name
        status, failure = answer("/box/" + quoted(name + "!missing"))
        assert status == 404 and [element.tag for element in failure][:1] == ["Code"]
        assert {element.tag for element in failure} <= {"Code", "Message", "Key", "BucketName", "Resource", "RequestId", "HostId"}


# Mails


@pytest.fixture(scope="module")
def mailbox():
    mailbox = Mailbox()
    yield mailbox
    mailbox.stop()


LINKS = ["http://evil.example/x", "www.evil.example", "evil.example/x", "mailto:eve@evil.example", "eve@evil.example/x", "<img src=http://evil.example/x.png>",
         "[x](http://evil.example/)", "![x](http://evil.example/)", "<http://evil.example>", "http:\\\\evil.example", "//evil.example",
         "evil\u3002example", "evil\uff0eexample", "h\u200dttp://evil.example", "http\u037e//evil.example", "javascript:alert(1)",
         "a href=http://evil.example", "tel:+1-900", "\u202eelpmaxe.live//:ptth"]


def test_the_names_of_users_and_applications_in_mails(store, mailbox):
    names = [name for name in [*LINKS, *sample("\r\n\t\0", 250)]
             if ":" not in name and unicodedata.is_normalized("NFC", name) and not name.startswith("_")]
    names += [name.replace(":", "\uff1a") for name in LINKS if ":" in name]
    store.json("PUT", "/_node/_local/_config/log/level", json="notice")
    app = App(store, mailbox, mail={"from_name": "Trips <b>\u0600\"\u0301, <eve@x>"})

    numbers = itertools.count()

    def mail(name):
        number = len(mailbox.messages)
        # The mails that clients of one address can request are limited.
        client, own = requests.Session(), next(numbers)
        client.mount("http://", SourceAddress(f"127.0.1.{own % 250 + 1}"))
        answer = client.put(f"{app.url}/users/{quoted(name)}", timeout=30, json={
            "password": "a long password", "email": f"ann{own}@example.org"})
        assert answer.status_code == 201, (name, answer.text)
        eventually(lambda: len(mailbox.messages) > number)
        envelope, message, _ = mailbox.messages.pop()
        return envelope, message

    def read(mail_):
        _, message = mail_
        plain, rich = (message.get_body((kind,)).get_content() for kind in ["plain", "html"])
        answer = requests.Response()
        answer._content = rich.encode()
        return message, plain, Page(answer)

    harmless, _, like = read(mail("harmless"))
    for name in names:
        message, plain, rich = read(mail(name))
        rich.is_like(like)
        assert message.keys() == harmless.keys() and [part.get_content_type() for part in message.walk()] == [
            part.get_content_type() for part in harmless.walk()]
        assert str(message["From"]).count("<") == 1 or message["From"].addresses[0].addr_spec == "no-reply@example.org"
        assert len(message["To"].addresses) == 1
        # One link of the server, and nothing that a mail program shows as a link or a picture.
        for text in (plain, " ".join(rich.texts)):
            found = re.findall(r"(?:https?:|www\.|mailto:|tel:|javascript:)\S+|\b\w+\.example\b|@evil", text)
            assert found and all(link.startswith(app.url) for link in found), (name, found)


# Files of the command


def test_exported_files(tmp_path):
    names = [text for text in sample(every=13) if text]
    with (tmp_path / "in.jsonl").open("w") as file:
        for number, text in enumerate(names):
            file.write(json.dumps({"_id": f"{number:04}", "type": "Feature", "geometry": {"type": "Point", "coordinates": [1, 2]},
                                   "properties": {"text": text, f"column {text}": text}}) + "\n")
    for arguments in (["import", "in.jsonl", "data/db", "--create-target"], ["export", "data/db", "out.jsonl"],
                      ["export", "data/db", "out.geojson"], ["export", "data/db", "out.csv"]):
        run = godwit(*arguments, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
    lines = (tmp_path / "out.jsonl").read_bytes().splitlines()
    assert [json.loads(line)["properties"]["text"] for line in lines] == names
    features = json.loads((tmp_path / "out.geojson").read_bytes())["features"]
    assert [feature["properties"]["text"] for feature in features] == names
    rows = list(csv.reader(io.StringIO((tmp_path / "out.csv").read_bytes().decode(), newline="")))
    assert len(rows) == len(names) + 1 and len(set(map(len, rows))) == 1
    assert rows[0] == ["_id", "latitude", "longitude", "text", *dict.fromkeys(f"column {text}" for text in names)]
    for row, text in zip(rows[1:], names):
        assert row[3] == text and row[rows[0].index(f"column {text}")] == text


# Logs


def lines_of(path):
    return path.read_bytes().decode().split("\n")[:-1]


def has_no_controls(line):
    return not re.search("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", line)


def test_a_request_is_one_line_of_the_access_log(store):
    path = store.folder / "access.log"
    before = len(lines_of(path))
    names = list(portions(1_000))
    with requests.Session() as session:
        for text in names:
            session.get(f"{store.url}/{quoted(text)}", auth=ADMIN, timeout=30)
        for text in names[::40]:
            session.get(f"{store.url}/db", auth=(text.replace(":", "").encode(), b"wrong word"), timeout=30)
    count = len(names) + len(names[::40])
    eventually(lambda: len(lines_of(path)) >= before + count)
    lines = lines_of(path)[before:]
    assert len(lines) == count
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ info godwit: ", line) and has_no_controls(line) for line in lines), lines[:2]


def test_an_event_is_one_line_of_the_log(store):
    """Also the name that a login failed with is a part of its line."""
    path = store.folder / "server.log"
    names, before = list(portions(5_000))[::5], len(lines_of(path))
    for name in names:
        answer = requests.post(f"{store.url}/_session", json={"name": name, "password": "wrong"}, timeout=30)
        assert answer.status_code == 401
    failures = lambda: [line for line in lines_of(path)[before:] if " login failed " in line]  # noqa: E731
    eventually(lambda: len(failures()) >= len(names))
    lines = lines_of(path)[before:]
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ \w+ godwit: ", line) and has_no_controls(line) for line in lines), lines[:2]
    assert len(failures()) == len(names)


# Headers and JSON


def test_headers_that_contain_names(store, account):
    store.json("PUT", "/headers")
    swift = Swift(store, account)
    swift.request("PUT", "/headers")

    def names_of(answer):
        assert all(has_no_controls(value) and value.isascii() for value in answer.headers.values()), answer.headers
        return collections.Counter(name.lower() for name, _ in answer.raw.headers.items())

    def answers(text):
        path = quoted(text)
        put = store.request("PUT", f"/headers/{path}", json={})
        assert put.status_code == 201, put.text
        yield put
        document = store.request("GET", f"/headers/{path}")
        yield document
        attached = store.request("PUT", f"/headers/{path}/{path}", params={"rev": put.json()["rev"]}, data=b"x",
                                 headers={"Content-Type": "text/plain"})
        assert attached.status_code == 201
        yield attached
        yield store.request("GET", f"/headers/{path}/{path}")
        yield requests.get(f"{store.url}/_session", params={"next": "/" + text}, timeout=30)
        yield requests.post(f"{store.url}/_session", params={"next": "/" + text}, timeout=30, allow_redirects=False,
                            json={"name": "admin", "password": "secret"})
        stored = swift.request("PUT", f"/headers/{path}", data=b"x")
        assert stored.status_code == 201
        yield stored
        yield swift.request("GET", f"/headers/{path}")
        yield swift.request("COPY", f"/headers/{path}", headers={"Destination": f"/headers/{path}copy"})
        yield swift.request("DELETE", f"/headers/{path}")

    harmless = [names_of(answer) for answer in answers("harmless")]
    for text in [text for text in sample("\0", 151) if all(text.split("/"))]:
        for answer, expected in zip(answers(text), harmless, strict=True):
            # A path with other characters than those of a URL is refused as the destination of a login.
            if "next" in answer.request.url and answer.status_code == 400:
                expected = expected - collections.Counter(["location", "set-cookie"])
            assert names_of(answer) == expected, (text, answer.request.url, answer.headers)


def test_the_parts_of_a_document_have_no_further_headers(store):
    store.json("PUT", "/parts")
    texts_ = [text for text in sample("\0", 37)]
    body = {"_attachments": {text: {"content_type": "text/plain", "data": "eA=="} for text in texts_}}
    store.json("PUT", "/parts/doc", json=body)
    answer = store.request("GET", "/parts/doc", params={"attachments": "true"}, headers={"Accept": "multipart/related"})
    head = f"Content-Type: {answer.headers['Content-Type']}\r\n\r\n".encode()
    parts = email.message_from_bytes(head + answer.content, policy=email.policy.compat32).get_payload()
    assert len(parts) == len(set(texts_)) + 1
    assert {tuple(sorted(name.lower() for name in part.keys())) for part in parts[1:]} == {
        ("content-disposition", "content-length", "content-type")}


def test_names_in_answers_as_json(store):
    for text in portions(2_000):
        for path in (f"/{quoted(text)}", f"/db/{quoted(text)}", f"/_apps/{quoted(text)}/providers", f"/_node/_local/_config/a/{quoted(text)}"):
            answer = store.request("GET", path)
            assert answer.status_code in (400, 404) and answer.headers["Content-Type"].startswith("application/json"), path
            assert set(answer.json()) == {"error", "reason"}


def test_the_session_of_the_console_has_the_users_name(store):
    names = [unicodedata.normalize("NFC", text.replace(":", "")) for text in portions(700, "\0\r\n\t")]
    for name in names[::45]:
        answer = store.request("PUT", "/_users/" + quoted("org.couchdb.user:" + name), json={
            "name": name, "type": "user", "roles": [], "password": "a long password"})
        assert answer.status_code == 201, answer.text
        session = requests.post(f"{store.url}/_utils/session", json={"name": name, "password": "a long password"}, timeout=30)
        assert session.status_code == 200 and session.json()["name"] == name
        assert len(session.raw.headers.getlist("Set-Cookie")) == 1 and session.headers["Set-Cookie"].isascii()


# Chromium


def test_no_text_of_an_address_runs(bluepic, conversation, tmp_path):
    """The pages that anyone can link to: whatever their address contains, no script runs, and no element is added."""
    image = bluepic.user("eve").posted(picture(), "caption")

    def attached():
        revision = bluepic.json("GET", f"/bluepic/{image['_id']}")["_rev"]
        return bluepic.request("PUT", f"/bluepic/{image['_id']}/own.js", params={"rev": revision}, data=RAN,
                               headers={"Content-Type": "text/javascript"}).status_code == 201

    # The jobs of a new image write its document too.
    eventually(attached)
    source = f"/bluepic/{image['_id']}/own.js"
    payloads = [f"\u0600\"\u0301><img id=evil src=x onerror={RAN}>", f"\"><img id=evil src=x onerror={RAN}>", f"</title><script id=evil>{RAN}</script>",
                f"\"><script id=evil src={source}></script>", f"\u0600<script id=evil src={source}></script>",
                f"\" id=evil onfocus={RAN} autofocus \"", f"\u0600\"\u0301 id=evil onfocus={RAN} autofocus \u0600\"\u0301",
                f"<svg id=evil onload={RAN}>", f"\u0600<\u200dsvg id=evil onload={RAN}>", "<base id=evil href=//evil.example>"]
    browser = browsers.chromium()
    try:
        for site, path in ((bluepic, "/find?q="), (bluepic, "/tag/"), (conversation, "/conversation?question=")):
            for payload in payloads:
                browser.get(site.url + path + quoted(payload))
                assert browser.execute_script("return document.documentElement.dataset.ran || null") is None, (path, payload)
                assert browser.execute_script("return document.querySelectorAll('#evil, main script, base, svg, body img[src=x]').length") == 0, (path, payload)
                assert payload in browser.execute_script(
                    "return document.title + ' ' + [...document.querySelectorAll('input')].map(one => one.value) + document.body.innerText"), payload
    finally:
        browser.quit()
