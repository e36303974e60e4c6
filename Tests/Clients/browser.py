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


def chromium(folder):
    options = Options()
    options.binary_location = "/usr/bin/chromium"
    flags = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
        --disable-component-update --disable-sync --disable-dev-shm-usage"""
    for flag in [*flags.split(), f"--user-data-dir={folder}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


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


WEAK_BORDERS = """
const luminance = color => {
    const parts = color.match(/[\\d.]+/g).slice(0, 3).map(part => part / 255)
        .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]
}
const ground = element => {
    for (let e = element; e; e = e.parentElement) {
        const color = getComputedStyle(e).backgroundColor
        if (!/^rgba\\(.*, 0\\)$/.test(color)) return color
    }
    return 'rgb(255, 255, 255)'
}
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
return [...document.querySelectorAll('input:not([type=checkbox]):not([type=radio]), select, textarea')]
    .filter(field => field.offsetParent).map(field => [
        field.id, contrast(luminance(getComputedStyle(field).borderTopColor), luminance(ground(field.parentElement)))])
    .filter(([, ratio]) => ratio < 3)
"""


def weak_borders(browser):
    """The visible fields whose borders have a contrast below 3:1 with their surroundings (WCAG 2.2, 1.4.11)."""
    return browser.execute_script(WEAK_BORDERS)
