"""Conversation's screens of a device in Chromium: the passphrase, questions, spoken answers, the history, topics."""

import pytest

import browser as browsers
from conversations import PASSPHRASE, PASSWORD, Device, cloud, ready, speech_model, spoken, wav
from screens import HOSTILE, Screen


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    server = ready(cloud(tmp_path_factory.mktemp("site")))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def screen(site, tmp_path_factory):
    """The screen of a device with a microphone that hears a question."""
    folder = tmp_path_factory.mktemp("device")
    device = Device(folder / "home", site.url, "--speech-model", speech_model(tmp_path_factory))
    samples = bytes(64_000) + spoken(site, "What causes narcolepsy") + bytes(320_000)
    browser = browsers.chromium_with_media(speech=wav(folder / "question.wav", samples))
    screen = Screen(browser, device)
    screen.open()
    yield screen
    browser.quit()
    device.stop()


def state(screen):
    return screen.run("return document.querySelector('.microphone')?.dataset.state")


def test_a_device_is_protected_and_signed_in_later(screen):
    screen.says("Protect your questions")
    screen.check("new")
    screen.fill("Passphrase", PASSPHRASE)
    screen.fill("Repeat the passphrase", PASSPHRASE)
    screen.press("Use this passphrase")
    screen.says("Welcome")
    screen.check("welcome")
    screen.press("Later")
    screen.says("What can I help you with today?")
    screen.device.filled(3_878)


def test_a_question_is_answered_spoken_and_remembered(screen):
    screen.run("document.getElementById('question').focus()")
    screen.browser.find_element("id", "question").send_keys("what are the symptoms of asthma\n")
    screen.says("Confidence: ")
    screen.until(lambda: state(screen) == "speaking" and screen.run("return document.querySelector('.is-spoken') !== null"))
    screen.check("answers")
    screen.run("if (document.querySelector('.microphone').dataset.state === 'speaking') document.querySelector('.microphone').click()")
    screen.until(lambda: state(screen) == "default")
    screen.browser.find_element("id", "question").clear()
    screen.browser.find_element("id", "question").send_keys(HOSTILE + "\n")
    screen.says("No answers for that question")
    assert screen.run("return document.title") == "Conversation" and HOSTILE in screen.text()
    screen.press("Show the answers to “what are the symptoms of asthma”")
    screen.says("Confidence: ")
    screen.press(f"Delete “{HOSTILE}”")
    screen.until(lambda: screen.device.history() == ["what are the symptoms of asthma"])


def test_a_spoken_question_ends_in_a_spoken_answer(screen):
    screen.until(lambda: state(screen) == "default")
    screen.run("document.querySelector('.microphone').click()")
    screen.until(lambda: state(screen) == "listening")
    screen.until(lambda: "what causes narcolepsy" in screen.device.history(), screen.text())
    screen.until(lambda: state(screen) == "speaking")
    assert screen.device.get("/history").json()["questions"][0]["isSpoken"]


def test_topics_and_the_account_are_in_the_settings(screen):
    screen.run("location.hash = '#/settings'")
    screen.says("Topics on this device")
    screen.until(lambda: screen.run("return document.querySelectorAll('.source').length") == 5)
    screen.check("settings")
    screen.fill("Add a topic", "Narcolepsy")
    screen.press("Add")
    screen.until(lambda: screen.run("return document.querySelectorAll('.chips li').length") == 1)
    screen.press("Use this choice")
    screen.until(lambda: 0 < screen.device.state()["corpusCount"] < 30)
    screen.press("Sign in")
    screen.says("Create one")
    screen.press("No account yet? Create one")
    screen.fill("Name", "ann")
    screen.fill("Password", PASSWORD)
    screen.press("Create account")
    screen.until(lambda: screen.device.state()["user"] == "ann", screen.text())
    screen.run("location.hash = '#/settings'")
    screen.says("You are signed in as ann")
    screen.until(lambda: screen.device.state()["isSent"])
    errors = [entry for entry in screen.browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not errors, errors
