"""Bluelist's screens of a device in Chromium: the password, the list, its filter, the account, a network that is absent."""

import pytest
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import browser as browsers
from bluelists import ENCRYPTION, PASSWORD, Device, cloud
from screens import HOSTILE, Screen


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = browsers.chromium()
    yield browser
    browser.quit()


@pytest.fixture
def site(tmp_path):
    site = cloud(tmp_path)
    yield site
    if site.process.poll() is None:
        site.stop()


@pytest.fixture
def start(tmp_path, site, browser):
    """Starts a device, and opens its screen."""
    devices = []

    def start(**options):
        devices.append(Device(tmp_path / f"device{len(devices)}", site.url, **options))
        screen = Screen(browser, devices[-1])
        screen.open()
        return screen

    yield start
    for device in devices:
        device.stop()


class List:
    """The list on a screen."""

    def __init__(self, screen):
        self.screen = screen

    def names(self):
        return self.screen.run("return [...document.querySelectorAll('.items .name')].map(one => one.innerText)")

    def shows(self, *names):
        self.screen.until(lambda: self.names() == list(names), f"{names}: {self.names()}")

    def add(self, *names):
        for name in names:
            field = self.screen.browser.find_element(By.ID, "new-item")
            field.send_keys(name, Keys.ENTER)
            self.screen.until(lambda: name in self.names(), name)

    def filter(self, number):
        self.screen.run("document.querySelectorAll('.filters button')[arguments[0]].click()", number)

    def rename(self, name, text, key=Keys.ENTER):
        self.screen.press(name)
        field = self.screen.until(lambda: self.screen.browser.find_elements(By.CSS_SELECTOR, ".items .edit"))[0]
        # The field's text is selected, and a key replaces it.
        field.send_keys(text, key)


def test_a_list_of_a_new_user(site, start):
    screen = start(password=None)
    screen.says("Protect your list")
    screen.check("new")
    screen.fill("Encryption password", "short one")
    screen.fill("Repeat the password", "another one")
    screen.press("Use this password")
    screen.says("The two passwords are different.")
    screen.fill("Repeat the password", "short one")
    screen.press("Use this password")
    screen.says("No account yet? Create one")
    screen.press("No account yet? Create one")
    screen.fill("Name", "ann")
    screen.fill("Password", PASSWORD)
    screen.check("register")
    screen.press("Create account")
    screen.says("Nothing to do")
    screen.check("empty")
    shown = List(screen)
    shown.add("milk", "Apples", HOSTILE, "bread")
    shown.shows(HOSTILE, "Apples", "bread", "milk")
    assert screen.run("return document.title") == "Bluelist"
    for level in ["low", "medium", "high", "low"]:
        # The button appears when the last press has changed the label.
        screen.press(f"Priority of “milk”: {level}")
    screen.press("Priority of “Apples”: low")
    screen.press("Priority of “Apples”: medium")
    screen.until(lambda: screen.run("return document.querySelectorAll('[data-priority=\"2\"]').length") == 1)
    screen.press("“milk” is done")
    screen.until(lambda: screen.run("return [...document.querySelectorAll('.done[aria-pressed=true]')].map(b => b.parentNode.querySelector('.name').textContent)") == ["milk"])
    assert "Priority of “milk”: medium" in screen.run("return [...document.querySelectorAll('.priority')].map(b => b.title)")
    shown.rename("bread", "rye bread")
    shown.shows(HOSTILE, "Apples", "milk", "rye bread")
    shown.rename("Apples", "pears", Keys.ESCAPE)
    shown.shows(HOSTILE, "Apples", "milk", "rye bread")
    screen.press("Delete “Apples”")
    screen.says("Deleted “Apples”.")
    shown.shows(HOSTILE, "milk", "rye bread")
    screen.check("list")
    screen.press("Undo")
    shown.shows(HOSTILE, "Apples", "milk", "rye bread")
    for number, names in [(1, ["milk"]), (2, ["Apples"])]:
        shown.filter(number)
        shown.shows(*names)
    screen.press("Priority of “Apples”: high")
    screen.says("No item has this priority.")
    screen.check("filter")
    shown.filter(0)
    shown.shows(HOSTILE, "Apples", "milk", "rye bread")
    screen.press("Account")
    screen.says("You are signed in as ann")
    screen.says("The server has all changes.")
    screen.says("encrypted with your password")
    screen.check("account")
    screen.press("Sign out")
    screen.says("Sign out?")
    screen.check("sign-out")
    screen.run("[...document.querySelectorAll('dialog button')].pop().click()")
    screen.says("Protect your list")


def test_a_wrong_password_of_the_settings_is_an_alert(start, site):
    screen = start()
    screen.says("Sign in to have the list on all your devices")
    screen.device.stop()
    screen.device.environment["BLUELIST_PASSWORD"] = "another"
    screen.device.start()
    screen.open()
    screen.until(lambda: "The encryption password is wrong." in screen.run(
        "return [...document.querySelectorAll('[role=alert]')].map(one => one.innerText).join()"))
    screen.check("locked")
    screen.fill("Encryption password", ENCRYPTION)
    screen.press("Unlock")
    screen.says("Sign in to have the list on all your devices")
    screen.press("Later")
    screen.says("Nothing to do")


def test_a_pull_refreshes_and_changes_wait_for_the_network(site, start):
    screen = start(password="")
    screen.device.register("ann")
    shown = List(screen)
    shown.add("milk")
    other = Device(screen.device.home.parent / "other", site.url, password="")
    other.sign_in("ann")
    other.done("add", name="bread")
    other.sent()
    other.stop()
    pull(screen)
    shown.shows("bread", "milk")
    site.kill()
    shown.add("cheese")
    screen.says("Your changes are kept on this device and sent later.")
    screen.check("offline")
    site.start()
    screen.press("Refresh the list")
    screen.until(lambda: "sent later" not in screen.text())


def pull(screen):
    """A finger that pulls the list down."""
    browsers.resize(screen.browser, 390, 844)
    for kind, y in [("touchStart", 300), ("touchMove", 360), ("touchMove", 460), ("touchMove", 520), ("touchEnd", None)]:
        screen.browser.execute_cdp_cmd("Input.dispatchTouchEvent", {
            "type": kind, "touchPoints": [] if y is None else [{"x": 190, "y": y}]})
