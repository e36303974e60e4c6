"""BluePic's screens of a device in Chromium: a guest, a new user, a post, the profile, a network that is absent."""

import pytest
from selenium.webdriver.common.by import By

import browser as browsers
from bluepic_devices import Device
from bluepics import PASSWORD, PHOTOS, Site
from screens import HOSTILE, Screen


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = browsers.chromium()
    yield browser
    browser.quit()


@pytest.fixture
def site(tmp_path):
    site = Site(tmp_path)
    site.ben = site.user("ben")
    site.ben.ask("POST", "/users", json={"name": "Ben Gull"})
    site.ben.posted(PHOTOS[0].read_bytes(), f"Ben's photo {HOSTILE}")
    yield site
    if site.process.poll() is None:
        site.stop()


@pytest.fixture
def screen(tmp_path, site, browser):
    device = Device(tmp_path / "device", site.url)
    yield Screen(browser, device)
    browser.get("about:blank")
    device.stop()


def test_a_guest_then_a_user_posts_a_photo(site, screen, tmp_path):
    screen.open()
    screen.says("Welcome")
    screen.check("welcome")
    screen.press("Later")
    screen.says("Ben Gull")
    screen.says(HOSTILE)
    screen.check("feed-of-a-guest")
    screen.press("Post")
    screen.says("Sign in first")
    screen.check("post-of-a-guest")
    screen.press("Sign in")
    screen.press("No account yet? Create one")
    screen.fill("Your name, as others see it", "Ann Heron")
    screen.fill("Name", "ann")
    screen.fill("Password", PASSWORD)
    screen.check("register")
    screen.press("Create account")
    screen.says("Choose a file")
    screen.check("choose")
    screen.browser.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(PHOTOS[1]))
    screen.says("Uploaded. It is posted when you press Post.")
    screen.check("draft")
    screen.fill("Caption", "From the valley #autumn")
    # The tab has the same text: the last one is the button of the form.
    screen.run("document.querySelector('form.editor button[type=submit]').click()")
    screen.until(lambda: screen.run(
        "return document.querySelector('ol.photos:not(.queue) li .caption')?.innerText") == "From the valley #autumn")
    assert len(site.ids()) == 2
    screen.check("feed")
    screen.run("document.querySelector('ol.photos:not(.queue) li a').click()")
    screen.says("Copy link")
    screen.check("photo")
    screen.press("Back")
    screen.press("Profile")
    screen.says("1 photo")
    screen.check("profile")
    screen.press("Options for “From the valley #autumn”")
    screen.press("Use as profile picture")
    screen.says("This is your profile picture now.")
    screen.press("Options for “From the valley #autumn”")
    screen.press("Delete")
    screen.says("It disappears from everybody’s feed.")
    screen.check("delete")
    screen.press("Delete")
    screen.says("0 photos")
    screen.until(lambda: len(site.ids()) == 1)


def test_a_photo_of_the_camera(site, tmp_path):
    device, chromium = Device(tmp_path / "device", site.url), browsers.chromium_with_media()
    try:
        device.register("ann", "Ann Heron")
        screen = Screen(chromium, device)
        screen.open()
        screen.press("Post")
        screen.until(lambda: screen.run("return document.querySelector('.shutter')?.disabled === false"))
        screen.check("camera")
        screen.press("Take a photo")
        screen.says("Uploaded. It is posted when you press Post.")
        screen.fill("Caption", "From the camera")
        screen.run("document.querySelector('form.editor button[type=submit]').click()")
        screen.until(lambda: len(site.ids()) == 2)
        image = site.get("/images").json()[0]
        assert image["caption"] == "From the camera" and image["width"] <= 600
        # The camera is off on other screens.
        screen.press("Feed")
        screen.until(lambda: screen.run("return document.querySelector('video') === null"))
    finally:
        chromium.quit()
        device.stop()


def test_posts_wait_on_top_of_the_feed(site, screen):
    screen.device.register("ann", "Ann Heron")
    screen.open()
    screen.says("Ben Gull")
    site.kill()
    screen.press("Post")
    screen.until(lambda: screen.browser.find_elements(By.CSS_SELECTOR, "input[type=file]"))
    screen.browser.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys(str(PHOTOS[2]))
    screen.says("It is uploaded when the server can be reached.")
    screen.run("document.querySelector('form.editor button[type=submit]').click()")
    screen.says("Waits for the server")
    screen.says("You see the photos that are on this device.")
    screen.check("waiting")
    site.start()
    screen.press("Try now")
    screen.until(lambda: len(site.ids()) == 2)
    screen.until(lambda: "Waits for the server" not in screen.text())
    screen.press("Profile")
    screen.press("Sign out")
    screen.says("Sign out?")
    screen.run("[...document.querySelectorAll('dialog button')].pop().click()")
    screen.says("Welcome")
    assert screen.run("return document.title") == "Welcome · BluePic"
