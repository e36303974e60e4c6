"""The screens of GeoPix's device in Chromium, for tests."""

import itertools
import socket

import pytest
from selenium.common.exceptions import (
    ElementClickInterceptedException, ElementNotInteractableException, StaleElementReferenceException)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

import accessibility
import browser as browsers
from conftest import eventually
from geopixes import PASSWORD, PHOTOS, Device, cloud

SIZES = [(390, 844), (1280, 800)]
ALPS = next(path for path in PHOTOS if "alps" in path.name)
PASSPHRASE = "a long passphrase"
# Markup that must stay text, after a word that is written from right to left.
HOSTILE = "שלום <script>document.title = 'x'</script><img src=x onerror=alert(1)>"
# Chromium reports each request that fails as a message of the console.
ABSENT, REFUSED, OFFLINE = "ERR_CONNECTION_REFUSED", "status of 403", "ERR_INTERNET_DISCONNECTED"
BAD_GATEWAY = "status of 502"
# Levels of Chromium's advice to developers, for instance for fields of passwords.
ADVICE = ("DEBUG", "VERBOSE")
# What Chromium may report for a stream of events whose process was killed.
CUT = ("ERR_INCOMPLETE_CHUNKED_ENCODING", "ERR_CONNECTION_RESET", "ERR_EMPTY_RESPONSE")

# What needs no edge or outline: the hidden field of files, a slider of the browser, a thumbnail with a separate frame,
# and a map whose middle is covered by a message.
KNOWN = ("edge of input.hidden-text", "edge of input#quality", "a.tile.is-loaded", "div#map.")

# Counts the events of the orientation, each after the frame in which the page draws it.
COUNT_TILTS = """
window.tilts = 0
addEventListener('deviceorientation', () => requestAnimationFrame(() => requestAnimationFrame(() => window.tilts += 1)))
"""
# Ends transitions and animations: colours are those of the end.
END_ANIMATIONS = """
const done = arguments[arguments.length - 1]
requestAnimationFrame(() => requestAnimationFrame(() => {
    for (const animation of document.getAnimations()) try { animation.finish() } catch { /* it has no end */ }
    requestAnimationFrame(() => done(true))
}))
"""
HOSTS = """
const hosts = performance.getEntriesByType('resource').map(entry => new URL(entry.name).host)
return [...new Set(hosts)].filter(host => host && host !== location.host)
"""


def is_displayed(element):
    try:
        return element.is_displayed()
    except StaleElementReferenceException:
        return False


class Pages:
    """The pages in a window of Chromium."""

    def __init__(self, browser):
        self.browser = browser
        # Parts of the messages of the console that a test expects.
        self.expected = []

    def reset(self):
        """Leaves the page, and all that a test before has set."""
        self.browser.get("about:blank")
        self.command("Network.clearBrowserCookies")
        self.command("Emulation.clearGeolocationOverride")
        self.command("DeviceOrientation.clearDeviceOrientationOverride")
        self.connect(True)
        self.media()
        browsers.resize(self.browser, *SIZES[0])
        self.browser.get_log("browser")
        return self

    def command(self, name, **arguments):
        return self.browser.execute_cdp_cmd(name, arguments)

    def media(self, colours="light", motion="no-preference"):
        self.command("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": colours}, {"name": "prefers-reduced-motion", "value": motion}])

    def connect(self, is_connected):
        self.command("Network.enable")
        self.command("Network.emulateNetworkConditions", offline=not is_connected, latency=0,
                     downloadThroughput=-1, uploadThroughput=-1)

    def locate(self, latitude, longitude):
        self.command("Emulation.setGeolocationOverride", latitude=latitude, longitude=longitude, accuracy=12)

    def turn(self, beta, gamma):
        """Sets the orientation; the first time before a page is opened."""
        self.expected.append("disable the orientation override")
        self.command("DeviceOrientation.setDeviceOrientationOverride", alpha=0, beta=beta, gamma=gamma)

    def tilt(self, beta, gamma):
        """Sets another orientation, and waits until the page had the time to draw it."""
        self.run(COUNT_TILTS)
        self.turn(beta, gamma)
        self.until(lambda: self.run("return window.tilts") > 0)

    def until(self, condition, message=""):
        return browsers.until(self.browser, condition, message, poll_frequency=0.05, ignored_exceptions=[
            StaleElementReferenceException, ElementClickInterceptedException, ElementNotInteractableException])

    def run(self, script, *arguments):
        return self.browser.execute_script(script, *arguments)

    def all(self, selector):
        """The visible elements. An element that is drawn again meanwhile is not among them."""
        return [element for element in self.browser.find_elements(By.CSS_SELECTOR, selector) if is_displayed(element)]

    def one(self, selector):
        return self.until(lambda: self.all(selector), selector)[0]

    def named(self, label, selector="button, a"):
        """The first visible control with a name."""
        return self.until(lambda: [
            element for element in self.all(selector)
            if label in (element.get_attribute("aria-label"), element.text.strip())], label)[0]

    def press(self, label, selector="button, a"):
        self.until(lambda: self.named(label, selector).click() or True, label)

    def keys(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()

    def says(self, text, selector="body"):
        self.until(lambda: text in self.one(selector).text, text)

    def show(self, part):
        self.run("location.hash = arguments[0]", part)

    def complaints(self):
        """The messages of the console that no test expects, and the other hosts from which something was loaded."""
        messages = [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] not in ADVICE]
        return [text for text in messages if not any(part in text for part in self.expected)] + self.run(HOSTS)

    def check(self, name, found, focus=True):
        """Checks the accessibility of what is shown in all sizes and colours, and adds the findings to a list."""
        for width, height in SIZES:
            browsers.resize(self.browser, width, height)
            for colours in ("light", "dark"):
                self.media(colours)
                self.browser.execute_async_script(END_ANIMATIONS)
                findings = accessibility.findings(self.browser)
                if self.run("return document.documentElement.scrollWidth > innerWidth"):
                    findings.append("it is too wide")
                found += [f"{name}, {width}, {colours}: {text}" for text in findings if not text.endswith(KNOWN)]
                browsers.picture(self.browser, f"geopix-{name}-{colours}")
        if focus:
            # The first focus of a pin may move the map, and the order is that of its elements: it is read again.
            stops = accessibility.focus_order(self.browser) and accessibility.focus_order(self.browser)
            found += [f"{name}: {text}" for text in stops if not text.startswith(KNOWN)]
        self.media()


class Screen(Pages):
    """The screens of a device."""

    def open(self, device, part=None):
        """Opens the address of a device; the requests of a test are then those of the same browser."""
        self.browser.get(device.address)
        device.browser.cookies.clear()
        for cookie in self.browser.get_cookies():
            device.browser.cookies.set(cookie["name"], cookie["value"])
        if part:
            self.until(lambda: self.all(".home"))
            self.show(part)

    def choose(self, *files):
        """Chooses files, which the browser's dialog would give to the page."""
        self.browser.find_element(By.CSS_SELECTOR, "input[type=file]").send_keys("\n".join(map(str, files)))

    def shoot(self, caption=""):
        """Takes a photo with the camera."""
        self.until(lambda: self.one(".shutter").is_enabled())
        if caption:
            self.one(".camera-caption").send_keys(caption)
        self.one(".shutter").click()


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = cloud(tmp_path_factory.mktemp("site"))
    yield site
    site.stop()


@pytest.fixture(scope="module")
def chromium():
    chromium = browsers.chromium_with_media()
    yield chromium
    chromium.quit()


@pytest.fixture(scope="module")
def chromium_without_camera(tmp_path_factory):
    chromium = browsers.chromium_with_media(has_camera=False)
    yield chromium
    chromium.quit()


@pytest.fixture
def servers(tmp_path):
    """Starts servers that a test may kill."""
    servers = []

    def start():
        servers.append(cloud(tmp_path / f"own{len(servers)}"))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.stop()


@pytest.fixture
def own_site(servers):
    return servers()


numbers = itertools.count(1)


@pytest.fixture
def start(tmp_path, site, servers):
    """Starts devices, by default with a new user of the module's server."""
    devices = []

    def start(*arguments, server=None, is_signed_in=True, **options):
        server = server or site
        device = Device(tmp_path / f"device{len(devices)}", server.url, *arguments, **options)
        devices.append(device)
        device.name = f"user{next(numbers)}"
        if is_signed_in:
            # One address can register only a few accounts a minute.
            server.json("PUT", f"/_apps/geopix/users/{device.name}", json={"password": PASSWORD})
            device.done("signIn", login="password", name=device.name, password=PASSWORD)
        return device

    yield start
    for device in devices:
        device.stop()


def screen_of(chromium):
    screen = Screen(chromium).reset()
    yield screen
    complaints = screen.complaints()
    # A page that is open asks for the processes that end now.
    chromium.get("about:blank")
    assert complaints == []


@pytest.fixture
def screen(chromium, start):
    yield from screen_of(chromium)


@pytest.fixture
def plain(chromium_without_camera, start):
    """The screen of a browser without a camera."""
    yield from screen_of(chromium_without_camera)


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def stored(device, number):
    """Waits until a device has a number of photos, and returns the last one."""
    return eventually(lambda: (state := device.state())["count"] == number and state["last"], 60)
