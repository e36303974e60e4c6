"""BluePic's screens of a device in Chromium: a guest, a new user, a post, the profile, a network that is absent."""

import pytest
from selenium.webdriver.common.by import By

import accessibility
import browser as browsers
from bluepic_devices import Device
from bluepics import PASSWORD, PHOTOS, Site

SIZES = [(390, 844), (1280, 800)]
# Markup that must stay text.
HOSTILE = "<script>document.title = 'x'</script><img src=x onerror=alert(1)>"
# Findings without a fault: the hidden field of files.
KNOWN = ("edge of input.hidden-text",)


class Screen:
    """The browser that shows a device."""

    def __init__(self, browser, device):
        self.browser, self.device = browser, device

    def open(self):
        self.browser.get(self.device.address)
        self.until(lambda: self.run("return document.querySelector('.screen') !== null"))

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def until(self, condition, message=""):
        return browsers.until(self.browser, condition, message)

    def text(self):
        return self.run("return document.body.innerText")

    def says(self, text):
        self.until(lambda: text in self.text(), f"{text}: {self.text()}")

    def press(self, label):
        """Presses the button or the link with a text or a label, also if the page draws it again meanwhile."""
        self.until(lambda: self.run("""
            const found = [...document.querySelectorAll('button, a')].filter(element => element.checkVisibility()
              && [element.innerText.trim(), element.getAttribute('aria-label')].includes(arguments[0]))
            found[found.length - 1]?.click()
            return found.length > 0""", label), label)

    def fill(self, label, text):
        field = self.until(lambda: self.run("""
            return [...document.querySelectorAll('label')].find(one => one.innerText === arguments[0])?.control""", label), label)
        field.clear()
        field.send_keys(text)

    def check(self, name):
        """Each size and scheme: a picture, nothing wider than the window, and what a user with a disability needs."""
        for width, height in SIZES:
            browsers.resize(self.browser, width, height)
            for scheme in ["light", "dark"]:
                self.browser.execute_cdp_cmd(
                    "Emulation.setEmulatedMedia", {"features": [
                        {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": "reduce"}]})
                self.run("document.getAnimations().forEach(one => { try { one.finish() } catch { /* without an end */ } })")
                assert self.run("return document.documentElement.scrollWidth <= innerWidth"), (name, width)
                found = [one for one in accessibility.findings(self.browser) if not any(known in one for known in KNOWN)]
                assert not found, (name, width, scheme, found)
                small = self.run("""
                    return [...document.querySelectorAll('button, a, textarea, input:not(.hidden-text)')].filter(element => {
                      const box = element.getBoundingClientRect()
                      return element.checkVisibility() && box.width > 0 && (box.height < 44 || box.width < 44)
                    }).map(element => element.outerHTML.slice(0, 120))""")
                assert not small, (name, small)
                browsers.picture(self.browser, f"bluepic-device-{name}-{scheme}")


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = browsers.chromium(tmp_path_factory.mktemp("chromium"))
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
