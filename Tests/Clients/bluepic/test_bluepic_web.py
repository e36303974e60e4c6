"""BluePic's pages, without a browser and in Chromium."""

import re
import subprocess

import pytest
import requests

import browser as browsers
from bluepics import PHOTOS, PROGRAM, Site, picture

CAPTIONS = ["Dawn over the ridge #alps #dawn", "Colors of the valley #autumn", "The city after rain #city #night",
            "Dunes <b>& wind</b> #desert", "A fjord in the morning #fog #water", "The quiet lake #water #forest",
            "The lighthouse keeper is away #coast", "Stars #night", "Fields #spring", "Cliffs #coast #water",
            "First snow #winter #alps", "The island #coast"]


def populate(site, **environment):
    return subprocess.run([PROGRAM, "populate", "--url", site.url.replace("://", "://admin:secret@")],
                          capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Site(tmp_path_factory.mktemp("bluepic"))
    site.ann, site.ben = site.user("ann"), site.user("ben")
    site.ann.ask("POST", "/users", json={"name": "Ann Heron"})
    site.images = [(site.ann if number % 3 else site.ben).posted(file.read_bytes(), caption)
                   for number, (file, caption) in enumerate(zip(PHOTOS, CAPTIONS))]
    site.ann.ask("PUT", "/users/ann/picture", json={"image": site.images[1]["_id"]})
    yield site
    site.stop()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = browsers.chromium()
    yield browser
    browser.quit()


def page(site, path, status=200):
    answer = site.get(path)
    assert answer.status_code == status and answer.headers["Content-Type"].startswith("text/html")
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert "<script>" not in answer.text and "style=" not in answer.text
    return answer.text


def test_populate_posts_three_photos_once(tmp_path):
    site = Site(tmp_path)
    first = populate(site)
    assert first.returncode == 0 and "Posted 3 photos" in first.stdout, first.stderr
    images = site.get("/users/mobile-innovation-lab/images").json()
    assert [image["caption"] for image in images] == ["Island", "Fog", "Mountains"]
    assert {image["user"]["name"] for image in images} == {"Mobile Innovation Lab"}
    assert "has photos already" in populate(site).stdout and len(site.ids()) == 3
    site.stop()
    refused = populate(site)
    assert refused.returncode != 0 and "secret" not in refused.stderr


def test_populate_needs_an_administrator(site):
    run = subprocess.run([PROGRAM, "populate", "--url", site.url.replace("://", "://admin:wrongword@")],
                         capture_output=True, text=True, timeout=60)
    assert run.returncode != 0 and "wrongword" not in run.stderr + run.stdout


def test_the_home_page_is_explore(site):
    answer = requests.get(site.url + "/", headers={"Accept": "text/html", "Sec-Fetch-Mode": "navigate"}, timeout=60, allow_redirects=False)
    assert answer.headers["Location"].endswith("/explore")


def test_pages_show_photos_as_text(site):
    html = page(site, "/explore")
    assert "Dunes &lt;b&gt;&amp; wind&lt;/b&gt;" in html and "<b>&" not in html
    assert html.count('class="card"') == 12 and "Ann Heron" in html
    assert page(site, "/user/ann").count('class="card"') == 8 and "8 photos" in page(site, "/user/ann")
    assert page(site, "/tag/water").count('class="card"') == 3
    cloud = page(site, "/cloud")
    assert re.search(r'href="/tag/coast"><bdi>coast</bdi>\s*<small>3</small>', cloud)
    assert page(site, "/find?q=lake").count('class="card"') == 1
    assert 'value="&quot;&gt;&lt;i&gt;"' in page(site, '/find?q="><i>')
    assert "Popular tags" in page(site, "/find")
    for path in ["/photo/nothing", "/user/nobody", "/photo/user:ann", "/user/%3Cscript%3E"]:
        page(site, path, 404)
    assert "No photo has this tag" in page(site, "/tag/%3Cscript%3Ealert(1)%3C%2Fscript%3E")


@pytest.mark.parametrize("before, after", [("\u0600", ""), ("", "\u0301"), ("\u0600", "\u200d")])
def test_markup_beside_combining_marks_is_text(site, before, after):
    text = "".join(before + character + after for character in "\"'><i>")
    for path in ["/find?q=", "/tag/"]:
        html = page(site, path + requests.utils.quote(text, safe=""))
        assert "<i" not in html.replace("<img", "").replace("<input", "") and f"&lt;{after}" in html
        assert f'"{after}' not in html if after else f'{before}"' not in html


def test_pages_continue(site):
    for number in range(22):
        site.ben.posted(picture((number, 50, 90)), f"Number {number}")
    html = page(site, "/explore")
    address = re.search(r'rel="next" href="([^"]+)"', html)[1]
    assert html.count('class="card"') == 30 and page(site, address).count('class="card"') == 4
    for image in site.get("/users/ben/images").json():
        if image["caption"].startswith("Number"):
            site.ben.ask("DELETE", f"/images/{image['_id']}")


def test_a_link_to_a_photo_has_a_preview(site):
    image = site.images[0]
    html = page(site, f"/photo/{image['_id']}")
    properties = dict(re.findall(r'<meta property="(og:[a-z:]+)" content="([^"]*)">', html))
    assert properties["og:title"] == CAPTIONS[0] and properties["og:url"] == f"{site.url}/photo/{image['_id']}"
    assert properties["og:description"] == "By ben"
    shown = requests.get(properties["og:image"], timeout=60)
    assert shown.headers["Content-Type"] == "image/jpeg"
    assert (properties["og:image:width"], properties["og:image:height"]) == (str(image["width"]), str(image["height"]))
    assert 'name="twitter:card" content="summary_large_image"' in html
    proxied = site.get(f"/photo/{image['_id']}",
                       headers={"X-Forwarded-Host": "blue.example", "X-Forwarded-Proto": "https"}).text
    assert f'content="https://blue.example/pictures/{image["_id"]}"' in proxied
    forged = site.get(f"/photo/{image['_id']}", headers={"X-Forwarded-Host": 'x"><script>'}).text
    assert "<script>" not in forged


def test_screens(site, browser):
    """Each page fits its window, has large targets and no errors, in light and dark."""
    paths = {"explore": "/explore", "photo": f"/photo/{site.images[4]['_id']}", "user": "/user/ann", "cloud": "/cloud",
             "find": "/find", "found": "/find?q=water", "missing": "/photo/nothing"}
    for width, height in browsers.SIZES:
        browsers.resize(browser, width, height)
        for scheme in ["light", "dark"]:
            browser.execute_cdp_cmd(
                "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            for name, path in paths.items():
                browser.get(site.url + path)
                browsers.until(browser, lambda: browser.execute_script(
                    "return [...document.images].every((image) => image.loading == 'lazy' || image.complete)"))
                assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth"), (name, width)
                small = browser.execute_script("""
                    return [...document.querySelectorAll('a, button, input')].filter((element) => {
                      const box = element.getBoundingClientRect()
                      return box.width > 0 && box.height < 44
                    }).map((element) => element.outerHTML)""")
                assert not [one for one in small if "rel=" not in one and "/explore\">Explore" not in one], (name, small)
                browsers.picture(browser, f"bluepic-{name}-{scheme}")
    problems = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"
                and "/photo/nothing" not in entry["message"]]
    assert not problems


def test_new_photos_are_announced(site, browser):
    browsers.resize(browser, 1440, 900)
    browser.get(site.url + "/explore")
    shown = lambda: browser.execute_script(  # noqa: E731
        "const news = document.getElementById('news'); return news && !news.hidden && news.textContent")
    made = []

    def announced():
        # The first photo can arrive before the page listens.
        made.append(site.ben.posted(caption=f"New {len(made)}")["_id"])
        return shown()

    browsers.until(browser, announced)
    browser.find_element("css selector", "#news a").click()
    browsers.until(browser, lambda: browser.execute_script(
        "return document.querySelector(`[href='/photo/${arguments[0]}']`) !== null", made[0]))
    for id in made:
        site.ben.ask("DELETE", f"/images/{id}")
