"""The screens of a device in Chromium, for tests: their texts and buttons, and what each size and scheme needs."""

import accessibility
import browser as browsers

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
        """Opens the address of the device; its requests are then those of the same browser."""
        self.browser.get(self.device.address)
        self.device.browser.cookies.clear()
        for cookie in self.browser.get_cookies():
            self.device.browser.cookies.set(cookie["name"], cookie["value"])
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
                browsers.picture(self.browser, f"{self.device.application}-device-{name}-{scheme}")
