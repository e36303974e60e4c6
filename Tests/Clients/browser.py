"""Chromium for the tests of pages, with the window sizes of a desktop and of a phone."""

import os

from selenium import webdriver
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.support.wait import WebDriverWait

# The maximum time until a page shows something: enough for the busiest machine. It is not a measurement.
PAGE_SECONDS = 90

SIZES = [(1440, 900), (390, 844)]


def chromium(*more):
    """Chromium with a new profile, and further flags."""
    options = Options()
    # The same engine without the browser's own windows. The script in `/usr/bin` would be ended in place of the browser.
    options.binary_location = "/usr/lib/chromium/chromium-headless-shell"
    flags = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
        --disable-component-update --disable-sync --disable-dev-shm-usage"""
    for flag in [*flags.split(), *more]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


def chromium_with_media(*, has_camera=True, speech=None):
    """Chromium with a simulated camera or none, that may use the camera, the microphone and the location, also in the
    background. `speech` is a WAVE file that the microphone hears once."""
    browser = chromium(
        "--disable-background-timer-throttling", "--disable-renderer-backgrounding", "--use-fake-ui-for-media-stream",
        *(["--use-fake-device-for-media-stream"] if has_camera else []),
        *([f"--use-file-for-fake-audio-capture={speech}%noloop", "--autoplay-policy=no-user-gesture-required"] if speech else []))
    browser.execute_cdp_cmd(
        "Browser.grantPermissions", {"permissions": ["geolocation", "videoCapture", "audioCapture", "sensors"]})
    return browser


def resize(browser, width, height):
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500})


def picture(browser, name):
    """Saves a picture if GODWIT_PICTURES is set."""
    if folder := os.environ.get("GODWIT_PICTURES"):
        browser.save_screenshot(f"{folder}/{name}-{browser.execute_script('return innerWidth')}.png")


def until(browser, condition, message="", **options):
    """Waits until the condition has a value, and returns it."""
    return WebDriverWait(browser, PAGE_SECONDS, **options).until(lambda _: condition(), message)


def click_at(browser, x, y):
    """Clicks at a point of the window."""
    actions = ActionBuilder(browser)
    actions.pointer_action.move_to_location(x, y).click()
    actions.perform()
