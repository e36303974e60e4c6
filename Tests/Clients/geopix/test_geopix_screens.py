"""GeoPix's screens of a device in Chromium: first start, logins, camera, files, gallery, photos, settings, and what
they say when the network, the device's process or the camera is absent."""

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import browser as browsers
from conftest import eventually
from geopix_screens import (
    ABSENT, ALPS, BAD_GATEWAY, CUT, HOSTILE, OFFLINE, PASSPHRASE, REFUSED, chromium, chromium_without_camera, free_port,
    own_site, plain, screen, servers, site, start, stored)  # noqa: F401
from geopixes import PASSWORD, PHOTOS, png

COUNT_TILES = """
window.tilesMax = 0
const count = () => { window.tilesMax = Math.max(window.tilesMax, document.querySelectorAll('.tile').length) }
new MutationObserver(count).observe(document.body, { childList: true, subtree: true })
count()
"""
LABELS = "return Array.from(document.querySelectorAll('.tile'), tile => tile.getAttribute('aria-label'))"


# ---- The start

def test_the_first_start_asks_for_a_passphrase_and_an_account(screen, start):
    device = start(is_signed_in=False, key=None)
    screen.open(device)
    screen.says("Protect your photos")
    first, second = screen.all("input[type=password]")
    first.send_keys(PASSPHRASE)
    second.send_keys("another passphrase", Keys.ENTER)
    screen.says("The two passphrases are different.")
    second.clear()
    second.send_keys(PASSPHRASE, Keys.ENTER)
    screen.says(f"Your photos are sent to {device.server}.")
    screen.press("No account yet? Create one")
    screen.says("Create an account")
    name, password = screen.all("input")
    name.send_keys(device.name)
    password.send_keys(PASSWORD)
    screen.press("Create account")
    screen.says("No photos yet")
    assert device.state()["user"] == device.name and device.name in screen.one("header").text


def test_signing_in_with_a_password(screen, start, site):
    device = start(is_signed_in=False)
    site.json("PUT", f"/_apps/geopix/users/{device.name}", json={"password": PASSWORD})
    screen.expected.append(REFUSED)
    screen.open(device)
    name, password = screen.until(lambda: len(inputs := screen.all("input")) == 2 and inputs)
    name.send_keys(device.name)
    password.send_keys("a wrong password", Keys.ENTER)
    screen.until(lambda: screen.one("[role=alert]").text)
    assert device.state()["stage"] == "signedOut"
    # The fields cannot be changed until the state says that the device does not sign in.
    screen.until(lambda: not password.get_attribute("readonly"))
    password.clear()
    password.send_keys(PASSWORD, Keys.ENTER)
    screen.says("No photos yet")


def test_signing_in_at_the_servers_own_login(screen, start):
    device = start(is_signed_in=False)
    screen.open(device)
    screen.press("Sign in with studio")
    screen.until(lambda: screen.all("input[type=password]"))
    screen.until(lambda: [label.text for label in screen.all("label")] == ["Name", "Number"])
    name, pin = screen.all("input")
    name.send_keys("ann")
    pin.send_keys("0000", Keys.ENTER)
    screen.says("Invalid login credentials")
    screen.until(lambda: screen.one("input[type=password]").get_attribute("value") == "")
    screen.one("input[type=password]").send_keys("4711", Keys.ENTER)
    screen.says("No photos yet")
    assert device.state()["user"] == "studio-ann"


# ---- Taking photos


def test_photos_of_the_camera_have_the_place_of_the_browser(screen, start, site):
    device = start()
    screen.locate(47.1, 8.5)
    screen.open(device)
    screen.says("Lat: +47.10000, Lon: +8.50000")
    screen.press("Take photo")
    screen.shoot("The first")
    screen.says("Stored on this device")
    first = stored(device, 1)
    assert (first["latitude"], first["longitude"], first["caption"]) == (47.1, 8.5, "The first")
    assert device.get(f"/photo/{first['id']}/image").content.startswith(b"\xff\xd8")
    screen.locate(-33.9, 151.2)
    eventually(lambda: device.state()["location"]["latitude"] == -33.9, 60)
    screen.shoot()
    second = stored(device, 2)
    assert (second["latitude"], second["longitude"], second["caption"]) == (-33.9, 151.2, None)
    screen.press("Back")
    screen.says("Replication Complete")
    screen.says("2 photos, all sent")
    assert site.request("GET", f"/photos/one/{second['id']}").json()["latitude"] == -33.9
    screen.until(lambda: second["id"].replace(":", "%3A") in screen.run(
        "return document.querySelector('.backdrop-layer:last-child')?.style.backgroundImage || ''"))


def test_files_are_stored_one_by_one_and_bad_ones_are_named(screen, start, tmp_path):
    device = start()
    bad, empty = tmp_path / "bad.jpg", tmp_path / "empty.png"
    bad.write_text("no picture")
    empty.touch()
    screen.expected += ["status of 400", "status of 415"]
    screen.open(device, "#/camera")
    screen.until(lambda: screen.all(".shutter"))
    screen.choose(PHOTOS[0], bad, empty, PHOTOS[1])
    screen.says("2 of 4 stored · 2 failed")
    stored(device, 2)
    reasons = {line.find_element(By.CSS_SELECTOR, ".upload-name").text:
               line.find_element(By.CSS_SELECTOR, ".upload-state").text for line in screen.all("li[data-state=failed]")}
    assert set(reasons) == {"bad.jpg", "empty.png"} and all(reasons.values())
    assert reasons["empty.png"] == "The file is empty."
    # The same file would fail again.
    assert not [button for button in screen.all(".uploads button") if "again" in button.get_attribute("aria-label")]
    for name in reasons:
        screen.press(f"Remove from the list: {name}")
    screen.until(lambda: not screen.all("li[data-state=failed]"))


def test_a_file_that_was_not_stored_is_tried_again(screen, start):
    device = start()
    screen.expected += [OFFLINE, *CUT]
    screen.open(device, "#/camera")
    screen.until(lambda: screen.one(".shutter").is_enabled())
    screen.connect(False)
    screen.choose(PHOTOS[0], PHOTOS[1])
    screen.says("The device’s process did not respond.")
    screen.until(lambda: len(screen.all("li[data-state=failed]")) == 2)
    screen.connect(True)
    screen.press(f"Try again: {PHOTOS[0].name}")
    stored(device, 1)
    screen.press(f"Try again: {PHOTOS[1].name}")
    stored(device, 2)
    screen.until(lambda: not screen.all("li[data-state=failed]"))


def test_a_device_without_a_camera(plain, start):
    device = start()
    plain.open(device, "#/camera")
    dialog = plain.one("dialog")
    assert [dialog.find_element(By.CSS_SELECTOR, part).text for part in ("h2", "p", "button")] == [
        "Error", "Device has no camera", "OK"]
    assert dialog.get_attribute("role") == "alertdialog"
    findings = []
    plain.check("no camera", findings)
    assert "\n".join(findings) == ""
    plain.press("OK")
    plain.until(lambda: not plain.all("dialog"))
    plain.says("Device has no camera")
    plain.choose(PHOTOS[0])
    stored(device, 1)


# ---- The gallery


def test_a_large_gallery_is_newest_first_and_has_few_thumbnails(screen, start, own_site):
    device = start(server=own_site)
    own_site.kill()
    count, picture = 340, png(16, 12)
    for number in range(count):
        device.taken(picture, caption=f"number {number}")
    screen.open(device, "#/gallery")
    screen.until(lambda: screen.all(".tile"))
    screen.run(COUNT_TILES)
    newest = [f"number {number}, not yet sent" for number in range(count - 1, -1, -1)]
    for width, height in [(390, 844), (3840, 2160)]:
        browsers.resize(screen.browser, width, height)
        screen.keys(Keys.HOME)
        labels = screen.until(lambda: (labels := screen.run(LABELS))[:1] == newest[:1] and labels)
        assert labels == newest[:len(labels)]
        # The keyboard reads the pages of the list until its end.
        screen.one(".tile[tabindex='0']").send_keys(Keys.ARROW_RIGHT)

        def at_end():
            screen.keys(Keys.END)
            return screen.run("return document.activeElement.getAttribute('aria-label')") == newest[-1]

        screen.until(at_end)
        assert screen.run(LABELS)[-1] == newest[-1]
    screen.until(lambda: screen.run("return document.querySelectorAll('.tile.is-loaded').length") > 100)
    assert 200 < screen.run("return window.tilesMax") <= 300
    labels = screen.run(LABELS)
    assert labels == newest[-len(labels):]


def test_photos_without_a_network_follow_when_there_is_one(screen, start, own_site):
    device = start(server=own_site)
    screen.expected.append(BAD_GATEWAY)
    screen.open(device)
    screen.until(lambda: screen.all(".home"))
    own_site.kill()
    screen.press("Take photo")
    screen.shoot("Without a network")
    stored(device, 1)
    screen.press("Back")
    screen.says("Replication Error")
    screen.says("1 photo not yet sent")
    assert screen.one(".status-reason").text
    screen.press("Gallery, 1 photo")
    assert screen.named("Without a network, not yet sent", "a")
    screen.press("Everybody’s")
    screen.says("The photos could not be read")
    own_site.start()
    screen.press("Back")
    # It may have been sent before the button is pressed.
    screen.run("document.querySelector('.status button').click()")
    screen.says("Replication Complete")
    screen.says("1 photo, all sent")
    screen.press("Gallery, 1 photo")
    screen.named("Without a network", "a")
    screen.press("Everybody’s")
    screen.until(lambda: screen.run(
        "return document.querySelector('.tile.is-loaded')?.href.includes('/photo/server/')"))


# ---- One photo


def test_a_photo_with_its_map_and_caption(screen, start, site):
    device = start()
    id_ = device.taken(ALPS, source="file")
    screen.open(device, "#/gallery")
    screen.one(".tile").click()
    screen.until(lambda: screen.run("return document.querySelector('.photo-picture img')?.naturalWidth > 400"))
    screen.press("Details")
    assert "Lat: +46.96720, Lon: +" in screen.one(".facts").text
    screen.until(lambda: screen.all(".map .map-pin"))
    screen.until(lambda: screen.one(".map-credit").text)
    # The pin is in the middle of the map.
    assert screen.run("""
        const [map, pin] = ['.map', '.map-pin'].map(part => document.querySelector(part).getBoundingClientRect())
        return Math.hypot(pin.x + pin.width / 2 - map.x - map.width / 2, pin.bottom - map.y - map.height / 2)""") < 12
    screen.one("#caption").send_keys(HOSTILE, Keys.ENTER)
    screen.says("The caption is saved.")
    screen.press("Close", ".details button")
    screen.says(HOSTILE, ".photo-caption")
    assert screen.run("return getComputedStyle(document.querySelector('.photo-caption')).direction") == "rtl"
    assert screen.run("return document.querySelectorAll('#app script, #app img[src=x]').length") == 0
    assert "GeoPix" in screen.browser.title
    eventually(lambda: site.request("GET", f"/photos/one/{id_}").json().get("caption") == HOSTILE, 60)
    screen.browser.refresh()
    screen.says(HOSTILE, ".photo-caption")
    screen.keys(Keys.ESCAPE)
    screen.named(HOSTILE, ".tile")


def test_a_photo_is_deleted_after_a_question(screen, start, site):
    device = start()
    ids = [device.taken(file, caption=file.stem) for file in PHOTOS[:3]]
    device.settled()
    screen.open(device, "#/gallery")
    screen.named(PHOTOS[2].stem, ".tile").click()
    screen.says(PHOTOS[2].stem, ".photo-caption")
    screen.keys(Keys.ARROW_RIGHT)
    screen.says(PHOTOS[1].stem, ".photo-caption")
    screen.press("Delete photo")
    screen.says("Delete this photo?", "dialog")
    screen.press("Cancel", "dialog button")
    screen.until(lambda: not screen.all("dialog"))
    assert device.state()["count"] == 3
    screen.keys(Keys.DELETE)
    screen.press("Delete", "dialog button")
    screen.says("The photo is deleted.")
    # The older photo follows.
    screen.says(PHOTOS[0].stem, ".photo-caption")
    assert device.state()["count"] == 2
    eventually(lambda: site.request("GET", f"/photos/one/{ids[1]}").status_code == 404, 60)
    screen.keys(Keys.ESCAPE)
    screen.until(lambda: [tile.get_attribute("aria-label") for tile in screen.all(".tile")] ==
                 [PHOTOS[2].stem, PHOTOS[0].stem])


# ---- Settings


def test_settings_are_kept(screen, start):
    device = start()
    screen.open(device, "#/settings")
    assert device.name in screen.one(".facts").text
    screen.one("#quality").send_keys(Keys.ARROW_RIGHT)
    eventually(lambda: device.state()["settings"]["quality"] == 0.85, 60)
    screen.says("85 %")
    screen.one("#places").click()
    eventually(lambda: device.state()["settings"]["usesPhotoPlaces"] is False, 60)
    screen.browser.refresh()
    screen.says("85 %")
    assert not screen.one("#places").is_selected()


def test_signing_out_names_the_photos_that_are_lost(screen, start, own_site):
    device = start(server=own_site)
    device.taken(PHOTOS[0])
    device.settled()
    own_site.kill()
    device.taken(PHOTOS[1])
    screen.open(device, "#/settings")
    screen.press("Sign out")
    screen.says("2 photos are removed from this device. 1 of them is not yet sent and will be lost.", "dialog")
    screen.press("Cancel", "dialog button")
    screen.until(lambda: not screen.all("dialog"))
    assert device.state()["count"] == 2
    screen.press("Sign out")
    screen.press("Sign out and lose 1 photo", "dialog button")
    screen.says("Your photos are sent to")
    state = device.state()
    assert state["stage"] == "signedOut" and state["count"] == 0


# ---- The device's process, and its one browser


def test_a_killed_process_is_named_and_its_new_address_works(screen, start):
    device = start("--port", str(free_port()))
    device.taken(PHOTOS[0], caption="Before")
    screen.expected += [ABSENT, REFUSED, *CUT]
    screen.open(device, "#/gallery")
    screen.named("Before", ".tile")
    device.kill()
    screen.says("The device’s process does not run.")
    device.start()
    screen.says("This page is not connected")
    screen.says("Open the address that the device printed when it started.")
    screen.open(device, "#/gallery")
    screen.named("Before", ".tile")


def test_a_second_browser_takes_over(screen, plain, start):
    device = start()
    device.taken(PHOTOS[0], caption="Mine")
    screen.expected.append(REFUSED)
    screen.open(device, "#/gallery")
    screen.named("Mine", ".tile")
    plain.open(device, "#/gallery")
    plain.named("Mine", ".tile")
    # The stream of the first browser ends at the next change.
    device.locate()
    screen.says("This page is not connected")
    assert not screen.all(".tile")
    plain.expected.append(REFUSED)
    screen.open(device, "#/gallery")
    screen.named("Mine", ".tile")
    device.locate()
    plain.says("This page is not connected")


# ---- Movement


def test_the_background_moves_with_the_orientation_unless_motion_is_reduced(screen, start):
    device = start()
    device.taken(PHOTOS[0])
    screen.turn(beta=0, gamma=0)
    screen.open(device)
    screen.until(lambda: screen.run("return document.querySelectorAll('.backdrop-layer.is-shown').length") == 1)

    def moved():
        return screen.run("""
            return [document.querySelector('.backdrop-layer').style.backgroundPosition,
                document.querySelector('.home-content').style.transform]""")

    still = ["calc(50% - 0px) calc(50% - 0px)", "translate3d(0px, 0px, 0px)"]
    assert moved() == still
    screen.tilt(beta=60, gamma=30)
    assert moved() == ["calc(50% - 5px) calc(50% - 10px)", "translate3d(2.5px, 5px, 0px)"]
    screen.run("window.suspendAnimation = true")
    screen.tilt(beta=-40, gamma=-45)
    assert moved() == ["calc(50% - 5px) calc(50% - 10px)", "translate3d(2.5px, 5px, 0px)"]
    screen.run("window.suspendAnimation = false")
    screen.tilt(beta=-40, gamma=-30)
    assert moved() != still
    screen.media(motion="reduce")
    screen.until(lambda: moved() == still)
    screen.tilt(beta=40, gamma=20)
    assert moved() == still


# ---- Accessibility


def test_each_screen_is_accessible(screen, start, own_site):
    found = []
    screen.expected += [ABSENT, REFUSED, BAD_GATEWAY, *CUT]
    device = start(server=own_site, is_signed_in=False, key=None)
    screen.open(device)
    screen.says("Protect your photos")
    screen.check("passphrase", found)
    device.done("unlock", passphrase=PASSPHRASE)
    screen.says("Your photos are sent to")
    screen.check("sign in", found)
    screen.press("No account yet? Create one")
    screen.says("Create an account")
    screen.check("register", found)
    screen.browser.refresh()
    screen.press("Sign in with studio")
    screen.until(lambda: screen.all("input[type=password]") and "Number" in screen.one("form").text)
    screen.check("studio", found)
    screen.press("Cancel")
    screen.says("Your photos are sent to")
    device.register(device.name)
    screen.says("No photos yet")
    screen.check("home without photos", found)
    screen.show("#/gallery")
    screen.says("No photos on this device")
    screen.check("empty gallery", found)
    for file in PHOTOS[:2]:
        device.taken(file, source="file", caption=file.stem)
    device.settled()
    screen.show("#/")
    screen.says("Replication Complete")
    screen.check("home", found)
    screen.show("#/camera")
    screen.until(lambda: screen.one(".shutter").is_enabled())
    screen.check("camera", found)
    screen.show("#/gallery")
    screen.until(lambda: len(screen.all(".tile.is-loaded")) == 2)
    screen.check("gallery", found)
    screen.all(".tile")[0].click()
    screen.until(lambda: screen.all(".photo-picture img"))
    screen.check("photo", found)
    if not screen.all(".details #caption"):
        screen.press("Details")
    screen.until(lambda: screen.all(".map-pin"))
    # The sheet of a phone covers the picture and its buttons.
    screen.check("details", found, focus=False)
    screen.press("Delete photo")
    screen.says("Delete this photo?")
    screen.check("delete", found)
    screen.press("Cancel", "dialog button")
    screen.show("#/settings")
    screen.one("#quality")
    screen.check("settings", found)
    screen.press("Sign out")
    screen.says("Sign out?")
    screen.check("sign out", found)
    screen.press("Cancel", "dialog button")
    own_site.kill()
    screen.show("#/gallery/server")
    screen.says("The photos could not be read")
    screen.check("failed gallery", found)
    device.kill()
    screen.says("The device’s process does not run.")
    screen.check("killed process", found)
    assert "\n".join(found) == ""
