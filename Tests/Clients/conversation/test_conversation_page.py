"""Conversation's page in Chromium: typed and spoken questions, spoken answers, sizes and schemes."""

import pytest

import accessibility
import browser as browsers
from conversations import anyone, cloud, ready, speech_model, spoken, wav

SIZES = [(390, 844), (1280, 800)]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("conversation")
    server = ready(cloud(folder, "--speech-model", speech_model(tmp_path_factory)))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def browser(site, tmp_path_factory):
    """A browser whose microphone hears a question."""
    folder = tmp_path_factory.mktemp("browser")
    samples = bytes(64_000) + spoken(site, "What causes narcolepsy") + bytes(320_000)
    driver = browsers.chromium_with_media(speech=wav(folder / "question.wav", samples))
    yield driver
    driver.quit()


def state(browser):
    return browser.execute_script("return document.getElementById('microphone').dataset.state")


def text(browser, selector):
    return browser.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)


def hush(browser, selector):
    """Clicks at an element if a text is spoken; there is silence then."""
    browser.execute_script("""
        if (document.getElementById('microphone').dataset.state === 'speaking') document.querySelector(arguments[0]).click()""", selector)
    browsers.until(browser, lambda: state(browser) == "default" and not text(browser, ".is-spoken"))


def check(browser, name):
    """Each size and scheme: a picture, nothing wider than the window, and what a user with a disability needs."""
    for width, height in SIZES:
        browsers.resize(browser, width, height)
        for scheme in ["light", "dark"]:
            browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
            assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth"), (name, width)
            assert not accessibility.findings(browser), (name, width, scheme, accessibility.findings(browser))
            browsers.picture(browser, f"conversation-{name}-{scheme}")


def test_a_typed_question_is_answered_and_spoken_sentence_by_sentence(site, browser):
    browser.get(site.url + "/conversation")
    browsers.until(browser, lambda: state(browser) == "default")
    check(browser, "start")
    field = browser.find_element("id", "question")
    field.send_keys("what are the symptoms of asthma\n")
    browsers.until(browser, lambda: "Confidence:" in text(browser, "#answers"))
    assert text(browser, ".answer .confidence").endswith("%")
    assert browser.execute_script("return document.querySelector('.answer a').href").startswith("http")
    # The first answer is spoken; a tap on it is silence.
    browsers.until(browser, lambda: state(browser) == "speaking" and text(browser, ".is-spoken"))
    check(browser, "answers")
    hush(browser, ".answer .evidence")
    browser.execute_script("""
        window.spoken = new Set()
        new MutationObserver(changes => changes.forEach(({ target }) => { if (target.matches('.is-spoken')) window.spoken.add(target.innerText) }))
          .observe(document.body, { subtree: true, attributeFilter: ['class'] })
        window.long = [...document.querySelectorAll('.answer .evidence')].find(one => one.innerText.split('. ').length > 2)
        window.long.click()""")
    browsers.until(browser, lambda: browser.execute_script("return window.spoken.size") >= 2)
    assert browser.execute_script("return [...window.spoken].every(one => window.long.innerText.includes(one.trim()))")
    hush(browser, "#microphone")


def test_a_question_without_an_answer_and_an_example(site, browser):
    browser.get(site.url + "/conversation?question=who+won+the+world+cup")
    assert "No answers for that question" in text(browser, "#answers")
    check(browser, "none")
    browser.find_element("css selector", ".example").click()
    browsers.until(browser, lambda: "Confidence:" in text(browser, "#answers"))
    assert "sclerosis" in browser.current_url.lower()
    browser.get(site.url + "/tos")
    assert "CC BY 4.0" in text(browser, "main")
    check(browser, "terms")


def test_a_spoken_question_ends_in_a_spoken_answer(site, browser):
    browser.get(site.url + "/conversation")
    browsers.until(browser, lambda: state(browser) == "default")
    browser.find_element("id", "microphone").click()
    browsers.until(browser, lambda: state(browser) == "listening")
    browsers.until(browser, lambda: browser.execute_script("return document.getElementById('question').value"))
    browsers.picture(browser, "conversation-listening")
    browsers.until(browser, lambda: "Confidence:" in text(browser, "#answers"), text(browser, "#status"))
    assert browser.execute_script("return document.getElementById('question').value") == "what causes narcolepsy"
    assert "narcolepsy" in text(browser, ".answer").lower()
    browsers.until(browser, lambda: state(browser) == "speaking")
    errors = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not errors, errors


def test_the_page_works_without_scripts_and_without_a_microphone(site, tmp_path):
    driver = browsers.chromium()
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    driver.get(site.url + "/conversation")
    driver.find_element("id", "question").send_keys("what is asthma\n")
    browsers.until(driver, lambda: "Confidence:" in driver.page_source and "<audio" in driver.page_source)
    assert not driver.find_element("id", "microphone").is_displayed()
    driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    driver.execute_cdp_cmd("Page.addScriptToEvaluateOnNewDocument", {"source": "Object.defineProperty(navigator, 'mediaDevices', { value: undefined })"})
    driver.get(site.url + "/conversation")
    assert not driver.find_element("id", "microphone").is_displayed()
    driver.find_element("id", "question").send_keys("what is asthma\n")
    browsers.until(driver, lambda: "Confidence:" in text(driver, "#answers"))
    driver.quit()
    assert anyone(site, "/_up").ok
