"""The web console in Chromium: its pages as a user finds them."""

import pytest
from selenium.common.exceptions import StaleElementReferenceException
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import browser as browsers

SIZE = (1280, 900)
# Markup that must stay text wherever data is shown.
HOSTILE = "<img src=x onerror=alert(1)><script>alert(2)</script>"

# Things that must not be wider than the window, and texts that are not readable for a reader of the screen.
OVERFLOW = "return document.documentElement.scrollWidth - innerWidth"
NAMELESS = """
return [...document.querySelectorAll('button, a[href], input, select, textarea')].filter(e => e.offsetParent)
    .filter(e => !(e.textContent.trim() || e.getAttribute('aria-label') || e.title || e.labels?.length || e.closest('.CodeMirror')))
    .map(e => e.outerHTML)
"""

LABELLED = """
const l = [...document.querySelectorAll(arguments[1] + ' label')].find(l => l.textContent.trim() === arguments[0])
return l && (l.control || document.getElementById(l.htmlFor))
"""
CHANGE = """
arguments[0].value = arguments[1]
for (const name of ['input', 'change']) arguments[0].dispatchEvent(new Event(name, { bubbles: true }))
"""


class Console:
    def __init__(self, browser, server):
        self.browser, self.server = browser, server

    def until(self, condition):
        return browsers.until(self.browser, condition, ignored_exceptions=[StaleElementReferenceException], poll_frequency=0.1)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.until(lambda: self.all(selector))[0]

    def button(self, text):
        return self.until(lambda: [b for b in self.all("button") if b.text == text or b.get_attribute("aria-label") == text])[0]

    def press(self, text):
        """Presses a button, also one that is drawn again meanwhile."""
        self.until(lambda: self.button(text).click() or True)

    def open(self, page=""):
        self.browser.get(f"{self.server.url}/_utils#/{page}")

    def log_in(self, name="admin", password="secret"):
        self.until(lambda: self.all("form.login"))
        name_field, password_field = self.all("form.login input")
        name_field.clear()
        name_field.send_keys(name)
        password_field.clear()
        password_field.send_keys(password, Keys.ENTER)

    def enter(self, page="", **options):
        self.open(page)
        self.log_in(**options)
        self.until(lambda: self.all(".page h1"))

    def heading(self):
        headings = self.all("h1")
        return headings[0].text if headings else ""

    def text(self):
        return self.one("main").text

    def complaints(self):
        return [entry["message"] for entry in self.browser.get_log("browser") if entry["level"] == "SEVERE"]

    def visit(self, page):
        """Opens a page, and logs in if the session of an earlier test has ended."""
        self.open(page)
        self.until(lambda: self.all("form.login, .page h1"))
        if self.all("form.login"):
            self.log_in()
        self.until(lambda: self.all(".page h1") and not self.all(".page .state[role=status]"))

    def rows(self):
        return [row.text for row in self.all(".data-table tbody tr")]

    def labelled(self, label, place="main"):
        """The control with a label."""
        return self.until(lambda: self.browser.execute_script(LABELLED, label, place))

    def choose(self, label, value, place="main"):
        """Sets a field of a form as a user would."""
        self.browser.execute_script(CHANGE, self.labelled(label, place), value)

    def write(self, element, text):
        """Replaces the text of a field."""
        element.clear()
        self.browser.execute_script(CHANGE, element, text)

    def set_text(self, text):
        """Replaces the text of the page's first editor."""
        self.browser.execute_script("""
            const editor = document.querySelector('.CodeMirror'), area = document.querySelector('main textarea')
            if (editor) editor.CodeMirror.setValue(arguments[0])
            else { area.value = arguments[0]; area.dispatchEvent(new Event('input', { bubbles: true })) }""", text)



@pytest.fixture(scope="module")
def chromium():
    chromium = browsers.chromium()
    yield chromium
    chromium.quit()


@pytest.fixture
def console(chromium, server, request):
    """The console without a session; in a file with `KEEPS_SESSION`, with that of the earlier test."""
    browsers.resize(chromium, *SIZE)
    chromium.get(server.url + "/_up")
    if not getattr(request.module, "KEEPS_SESSION", False):
        chromium.delete_all_cookies()
        chromium.execute_script("localStorage.clear()")
    console = Console(chromium, server)
    console.complaints()
    return console
