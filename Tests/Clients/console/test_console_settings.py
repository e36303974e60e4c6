"""An application's logins, mail, databases and accounts, set by form: secrets are only written, and what a form does not know stays."""

import json

import pytest

import accessibility
import browser as browsers
from conftest import Server
from consoles import HOSTILE, OVERFLOW, chromium, console  # noqa: F401

APP = "com.example.trips"
BIG = 9007199254740993
RTL = "\u202etxt.exe"
DECLARATION = {
    "database": {"prefix": "trip_user_", "indexes": [
        {"index": {"fields": ["n"], "partial_filter_selector": {"n": {"$gt": BIG}}}, "name": "large"}]},
    "shared": {"trip_places": {"rights": ["_reader"], "roles": {"editor": ["_reader", "_writer"]}, "indexes": [
        {"index": {"fields": [HOSTILE]}, "name": "odd"}]}},
    "consolidated": {"name": "trip_all"},
    "url": "https://sync.example.org",
    "passwords": {"refused": [HOSTILE, RTL]},
    "providers": {
        "google": {"client_id": "first", "client_secret": "secret one", "display_name": HOSTILE, "scopes": ["openid", "email"],
                   "roles_claim": "hd", "roles": {"example.org": "staff", "a = b": RTL}},
        "apple": {"client_id": "web", "team_id": "team", "key_id": "key", "private_key": "secret key"}},
    "mail": {"server": "smtp://mail.example.org:587", "user": "trips", "password": "secret two", "from": "no-reply@example.org",
             "from_name": RTL, "templates": {"reset": {"subject": "New", "text": "{{link}} <script>"}}},
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    server = Server(tmp_path_factory.mktemp("settings") / "data")
    server.json("PUT", "/_node/_local/_config/chttpd_auth/iterations", json="1")
    yield server
    server.stop()


@pytest.fixture(autouse=True)
def application(server):
    server.json("PUT", f"/_apps/{APP}", json=DECLARATION)


def declared(server):
    return server.json("GET", f"/_apps/{APP}")


def open_tab(console, tab):
    console.enter(f"applications/{APP}?tab={tab}")
    console.until(lambda: console.all(".page form"))


def save(console, place="main"):
    console.until(lambda: console.all(f"{place} form .primary"))[0].click()
    console.until(lambda: any(toast.text.startswith("The application was saved.") for toast in console.all("#toasts .toast")))


def sent(console, action):
    """The declaration that an action of the page sends: that is where a secret is seen."""
    console.browser.execute_script("""
        window.sent = null
        const send = window.fetch
        window.fetch = async (address, options) => {
            if (options?.method === 'PUT') window.sent = typeof options.body === 'string' ? options.body : await options.body.text()
            return send(address, options)
        }""")
    action()
    return json.loads(console.until(lambda: console.browser.execute_script("return window.sent")))


def same_except(server, before, *members):
    """Whether all else of the declaration is as it was."""
    left_out = lambda value: {key: item for key, item in value.items() if key not in members}
    return left_out(declared(server)) == left_out(before)


def test_a_provider_is_changed_and_its_secret_stays(console, server):
    before = declared(server)
    assert "secret" not in json.dumps(before["providers"])
    open_tab(console, "logins")
    assert "secret one" not in console.browser.page_source and HOSTILE in console.text()
    console.press("Change the provider google")
    assert console.labelled("Client secret", "dialog").get_attribute("value") == ""
    console.write(console.labelled("Client IDs of the app on phones", "dialog"), "phone one\nphone two")
    body = sent(console, lambda: save(console, "dialog"))
    assert "client_secret" not in body["providers"]["google"] and "password" not in body["mail"]
    after = declared(server)
    assert after["providers"]["google"] == {**before["providers"]["google"], "other_client_ids": ["phone one", "phone two"]}
    assert after["providers"]["apple"] == before["providers"]["apple"] and same_except(server, before, "providers")
    assert after["database"]["indexes"][0]["index"]["partial_filter_selector"]["n"]["$gt"] == BIG
    assert console.complaints() == []


def test_the_secret_of_another_client_is_asked_for(console, server):
    open_tab(console, "logins")
    console.press("Change the provider google")
    console.write(console.labelled("Client ID", "dialog"), "second")
    warning = console.until(lambda: [w for w in console.all("dialog .warning") if w.is_displayed()])[0]
    assert "Enter the secret" in warning.text
    console.write(console.labelled("Client secret", "dialog"), "another secret")
    console.until(lambda: not warning.is_displayed())
    body = sent(console, lambda: save(console, "dialog"))
    assert body["providers"]["google"]["client_secret"] == "another secret"
    assert declared(server)["providers"]["google"]["client_id"] == "second"
    console.until(lambda: "second" in console.text())
    assert "another secret" not in console.browser.page_source


def test_providers_are_added_with_their_redirect_uri_and_removed(console, server):
    before = declared(server)
    open_tab(console, "logins")
    console.press("Add a login with OpenID Connect")
    console.write(console.labelled("Name", "dialog"), "corporate")
    console.until(lambda: f"https://sync.example.org/_apps/{APP}/login/corporate/callback" in console.one("dialog").text)
    console.write(console.labelled("Issuer", "dialog"), "https://login.example.org")
    console.write(console.labelled("Client ID", "dialog"), "trips")
    console.one("dialog details summary").click()
    console.write(console.labelled("Shown as", "dialog"), HOSTILE)
    console.choose("A verified e-mail address links to an existing account", "some", "dialog")
    console.write(console.labelled("Domains, one in each line", "dialog"), "Example.org")
    console.write(console.labelled("Claim with the groups of a user", "dialog"), "groups")
    console.write(console.labelled("Roles for groups", "dialog"), "staff = analyst\na=b = editor")
    save(console, "dialog")
    added = declared(server)["providers"]["corporate"]
    assert (added["kind"], added["issuer"], added["client_id"], added["display_name"]) == ("oidc", "https://login.example.org", "trips", HOSTILE)
    assert added["linked_domains"] == ["example.org"] and added["roles"] == {"staff": "analyst", "a=b": "editor"}
    assert server.request("GET", f"/_apps/{APP}/providers").ok
    console.press("Add a login with Microsoft")
    console.write(console.labelled("Directory (tenant) ID", "dialog"), "one-tenant")
    console.write(console.labelled("Client ID", "dialog"), "ms")
    save(console, "dialog")
    console.until(lambda: "microsoft" in declared(server)["providers"])
    assert declared(server)["providers"]["microsoft"]["issuer"] == "https://login.microsoftonline.com/one-tenant/v2.0"
    for name in ["corporate", "microsoft"]:
        console.press(f"Remove the provider {name}")
        console.until(lambda: console.all("dialog .danger"))[0].click()
        console.until(lambda: name not in declared(server)["providers"])
    assert declared(server) == before
    assert console.browser.execute_script("return document.querySelectorAll('main img, main script').length") == 0
    assert console.complaints() == []


def test_mail_is_set_and_its_password_is_only_written(console, server):
    before = declared(server)
    open_tab(console, "mail")
    assert console.labelled("Password").get_attribute("value") == "" and console.labelled("Host").get_attribute("value") == "mail.example.org"
    console.write(console.labelled("Address"), "trips@example.org")
    body = sent(console, lambda: save(console))
    assert "password" not in body["mail"] and body["mail"]["from"] == "trips@example.org"
    assert declared(server)["mail"] == {**before["mail"], "from": "trips@example.org"} and same_except(server, before, "mail")
    console.until(lambda: console.labelled("Address").get_attribute("value") == "trips@example.org")
    console.choose("Encryption", "smtps")
    warning = console.until(lambda: [w for w in console.all("main .warning") if w.is_displayed()])[0]
    assert "Enter the password" in warning.text
    console.write(console.labelled("Password"), "secret three")
    console.browser.execute_script("for (const d of document.querySelectorAll('main details')) d.open = true")
    console.write(console.labelled("New password"), "com.example.trips:/reset?token={{token}}")
    body = sent(console, lambda: (console.browser.execute_script("document.querySelector('#toasts').replaceChildren()"), save(console)))
    assert (body["mail"]["password"], body["mail"]["server"]) == ("secret three", "smtps://mail.example.org:465")
    after = declared(server)["mail"]
    assert after["links"] == {"reset": "com.example.trips:/reset?token={{token}}"} and after["templates"] == before["mail"]["templates"]
    assert "secret three" not in console.browser.page_source
    console.press("Send no more mail")
    console.until(lambda: console.all("dialog .danger"))[0].click()
    console.until(lambda: "mail" not in declared(server))
    assert same_except(server, before, "mail") and console.complaints() == []


def test_a_refusal_of_the_server_is_shown_at_the_form(console, server):
    open_tab(console, "mail")
    console.browser.execute_script("for (const d of document.querySelectorAll('main details')) d.open = true")
    console.write(console.labelled("New password"), "without a token")
    console.until(lambda: console.all("main form .primary"))[0].click()
    console.until(lambda: "must contain {{token}}" in console.one("main form > .refusal").text)
    assert declared(server)["mail"]["server"] == "smtp://mail.example.org:587"


def test_rights_of_a_shared_database(console, server):
    before = declared(server)
    open_tab(console, "databases")
    part = console.one("section.part")
    part.find_elements("css selector", ".checks input")[1].click()
    console.press("Add a group")
    name = console.until(lambda: console.all(".grant:last-child input:not([type=checkbox])"))[-1]
    console.write(name, "members")
    save(console, "section.part")
    shared = declared(server)["shared"]["trip_places"]
    assert shared == {**before["shared"]["trip_places"], "rights": ["_reader", "_writer"], "groups": {"members": ["_reader"]}}
    rights = server.json("GET", "/trip_places/_security")["godwit"]["roles"]
    assert rights[f"{APP}/user"] == ["_reader", "_writer"] and rights[f"{APP}/editor"] == ["_reader", "_writer"]
    assert same_except(server, before, "shared") and console.complaints() == []


def test_an_analyst_gets_a_password_that_is_shown_once(console, server):
    open_tab(console, "databases")
    console.press("Create an analyst")
    console.one("dialog input").send_keys("mia")
    console.one("dialog .primary").click()
    password = console.until(lambda: console.all("dialog pre"))[0].text
    assert server.session.get(f"{server.url}/trip_all", auth=("mia", password), timeout=30).ok
    assert server.session.get(f"{server.url}/trip_places", auth=("mia", password), timeout=30).status_code == 403
    console.one("dialog .primary").click()
    console.until(lambda: not console.all("dialog"))
    assert password not in console.browser.page_source


def test_accounts_and_the_declaration_as_json(console, server):
    before = declared(server)
    open_tab(console, "settings")
    console.choose("Registration", "administrators")
    console.write(console.labelled("Minimum length of a password"), "12")
    save(console)
    after = declared(server)
    assert after["registration"] == "administrators" and after["passwords"] == {**before["passwords"], "length_min": 12}
    assert same_except(server, before, "registration", "passwords")
    console.until(lambda: console.labelled("Minimum length of a password").get_attribute("value") == "12")
    console.browser.execute_script("for (const d of document.querySelectorAll('main details')) d.open = true")
    area = console.labelled("Declaration (JSON)")
    text = area.get_attribute("value")
    assert str(BIG) in text and "secret" not in text and HOSTILE in text
    console.write(area, text.replace('"length_min": 12', '"length_min": 9'))
    console.press("Save the declaration")
    console.until(lambda: declared(server)["passwords"]["length_min"] == 9)
    assert declared(server)["database"] == before["database"] and console.complaints() == []


def test_versions_are_refused_with_words_and_an_address(console, server):
    before = declared(server)
    open_tab(console, "versions")
    console.write(console.labelled("First version of the app that may log in"), "2.0")
    message, address = [console.labelled(label) for label in ("Message for the user", "Address that the message links to")]
    console.write(message, HOSTILE)
    console.write(address, "https://example.org/app")
    save(console)
    versions = declared(server)["versions"]
    assert versions["first"] == "2.0" and versions["refusal"] == {"message": HOSTILE, "url": "https://example.org/app"}
    assert versions["warning"] == before["versions"]["warning"] and same_except(server, before, "versions")
    assert console.complaints() == []


def begin(console, name):
    """Goes through the wizard to the question about logins, with one press of a button for each question."""
    console.browser.execute_script("sessionStorage.clear()")
    console.enter("applications?new=1")
    console.write(console.labelled("Name of the app"), name)
    for _ in range(3):
        go_on(console)
    assert console.one("main h2").text == "How do people log in?"


def go_on(console):
    heading = console.one("main h2").text
    console.press("Next")
    console.until(lambda: console.one("main h2").text != heading)


def create(console):
    console.press("Create an application")
    console.until(lambda: "was created" in console.text())


def add(console, kind, fields):
    console.press(f"Add a login with {kind}")
    for label, value in fields.items():
        console.write(console.labelled(label, "dialog"), value)
    submit(console)
    console.until(lambda: not console.all("dialog"))


def submit(console):
    """Sends the form of the dialog. A longer form is scrolled to its button."""
    console.browser.execute_script("arguments[0].scrollIntoView({ block: 'center' })", console.one("dialog form .primary"))
    console.one("dialog form .primary").click()


def stored_in_browser(console):
    return console.browser.execute_script("return JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href, history.state])")


def names_of_rows(console):
    return [row.text.split("\n")[1].split(" · ")[0] for row in console.all(".login-list li")[1:]]


def test_the_wizard_asks_four_questions_and_needs_only_a_name(console, server):
    begin(console, "Owls")
    assert len(console.all("ol.steps li")) == 5
    assert [row.text for row in console.all(".login-list li")] == ["Name and password\nEach application has it."]
    # The focus is on the button, so that the key Enter is enough.
    assert console.browser.execute_script("return document.activeElement.textContent") == "Next"
    go_on(console)
    create(console)
    assert "providers" not in server.json("GET", "/_apps/owls")
    server.json("DELETE", "/_apps/owls")


def test_the_wizard_adds_providers_and_never_stores_their_secrets(console, server):
    begin(console, "Herons")
    add(console, "OpenID Connect", {"Name": "corporate", "Issuer": "https://login.example.org", "Client ID": "herons", "Client secret": "secret four"})
    add(console, "Google", {"Client ID": "first", "Client secret": "secret five"})
    add(console, "Facebook", {"App ID": "third", "App secret": "secret six"})
    assert names_of_rows(console) == ["corporate", "google", "facebook"]
    console.press("Remove the provider facebook")
    assert names_of_rows(console) == ["corporate", "google"]
    console.write(console.labelled("Address of this server for clients"), "https://sync.example.org")
    console.write(console.labelled("Addresses to which a login in the browser may return"), "com.example.herons:/login")

    # A changed provider keeps its secret, but not for another client.
    console.press("Change the provider google")
    assert "https://sync.example.org/_apps/herons/login/google/callback" in console.one("dialog").text
    assert console.labelled("Client secret", "dialog").get_attribute("value") == ""
    console.write(console.labelled("Client IDs of the app on phones", "dialog"), "phone")
    submit(console)
    console.until(lambda: not console.all("dialog"))
    console.press("Change the provider google")
    console.write(console.labelled("Client ID", "dialog"), "second")
    console.until(lambda: any(w.is_displayed() for w in console.all("dialog .warning")))
    submit(console)
    assert console.all("dialog") and not console.labelled("Client secret", "dialog").get_property("validity")["valid"]
    console.write(console.labelled("Client secret", "dialog"), "secret seven")
    submit(console)
    console.until(lambda: not console.all("dialog"))
    assert "secret" not in stored_in_browser(console).replace("withSecret", "") and "second" in stored_in_browser(console)

    go_on(console)
    console.one("main details.same summary").click()
    console.until(lambda: "THE SECRET" in console.one("main details pre").text)
    assert "secret four" not in console.browser.page_source
    body = sent(console, lambda: create(console))
    assert body["providers"] == {
        "corporate": {"kind": "oidc", "issuer": "https://login.example.org", "client_id": "herons", "client_secret": "secret four"},
        "google": {"client_id": "second", "client_secret": "secret seven", "other_client_ids": ["phone"]}}
    stored = server.json("GET", "/_apps/herons")
    assert (stored["url"], stored["redirects"]) == ("https://sync.example.org", ["com.example.herons:/login"])
    assert (stored["providers"]["corporate"]["issuer"], stored["providers"]["google"]["client_id"]) == ("https://login.example.org", "second")
    shown = [pre.text for pre in console.all("main pre")]
    assert {f"https://sync.example.org/_apps/herons/login/{name}/callback" for name in ["corporate", "google"]} <= set(shown)
    console.browser.execute_script("window.sent = null")
    for secret in ["secret four", "secret five", "secret six", "secret seven"]:
        assert secret not in console.browser.page_source and secret not in stored_in_browser(console)
    assert console.complaints() == []
    server.json("DELETE", "/_apps/herons")


@pytest.mark.parametrize("leave", ["reload", "logout"])
def test_a_secret_of_the_wizard_is_entered_again(console, server, leave):
    begin(console, "Terns")
    add(console, "GitHub", {"Client ID": "terns", "Client secret": "secret eight"})
    if leave == "reload":
        console.browser.refresh()
    else:
        console.press("Log out")
        console.log_in()
    console.until(lambda: "Enter the secret again" in console.one(".login-list").text)
    # Without the secret the application cannot be created.
    go_on(console)
    assert not console.button("Create an application").is_enabled() and "Enter the secret again for github" in console.text()
    console.one("main .warning a").click()
    console.press("Enter the secret of the provider github")
    assert "Enter the secret again" in console.one("dialog").text
    submit(console)
    assert console.all("dialog")
    console.write(console.labelled("Client secret", "dialog"), "secret nine")
    submit(console)
    console.until(lambda: not console.all("dialog"))
    assert "again" not in console.one(".login-list").text
    go_on(console)
    assert sent(console, lambda: create(console))["providers"] == {"github": {"client_id": "terns", "client_secret": "secret nine"}}
    server.json("DELETE", "/_apps/terns")


def test_the_wizard_refuses_what_the_server_would_refuse(console, server):
    begin(console, "Crakes")
    console.press("Add a login with Apple")
    console.write(console.labelled("Services ID", "dialog"), "crakes")
    console.write(console.labelled("Team ID", "dialog"), "team")
    submit(console)
    console.until(lambda: "Enter all of team ID" in console.one("dialog .refusal").text)
    console.write(console.labelled("Team ID", "dialog"), "")
    submit(console)
    console.until(lambda: not console.all("dialog"))
    console.press("Add a login with Microsoft")
    console.write(console.labelled("Name", "dialog"), "apple")
    console.write(console.labelled("Client ID", "dialog"), "crakes")
    submit(console)
    console.until(lambda: "There is a provider apple already" in console.one("dialog .refusal").text)
    console.write(console.labelled("Name", "dialog"), "staff")
    console.browser.execute_script("document.querySelector('dialog details').open = true")
    console.write(console.labelled("Claim with the groups of a user", "dialog"), "groups")
    submit(console)
    console.until(lambda: "tenant" in console.one("dialog .refusal").text)
    console.write(console.labelled("Directory (tenant) ID", "dialog"), "one-tenant")
    console.write(console.labelled("Shown as", "dialog"), HOSTILE)
    submit(console)
    console.until(lambda: not console.all("dialog"))
    assert HOSTILE in console.text() and names_of_rows(console) == ["apple", "staff"]
    # The draft is kept for the next time.
    console.browser.refresh()
    console.until(lambda: names_of_rows(console) == ["apple", "staff"])
    go_on(console)
    create(console)
    stored = server.json("GET", "/_apps/crakes")["providers"]
    assert (stored["staff"]["kind"], stored["staff"]["display_name"]) == ("microsoft", HOSTILE)
    assert console.browser.execute_script("return document.querySelectorAll('main img, main script').length") == 0
    assert console.complaints() == []
    server.json("DELETE", "/_apps/crakes")


def test_a_planned_application_has_no_more_providers_than_the_server_accepts(console, server):
    begin(console, "Gulls")
    many = {f"p{number}": {"kind": "google", "client_id": "x"} for number in range(31)}
    console.browser.execute_script("""
        const key = 'godwit-new-application', draft = JSON.parse(sessionStorage.getItem(key))
        sessionStorage.setItem(key, JSON.stringify({ ...draft, providers: arguments[0] }))""", many)
    console.browser.refresh()
    console.until(lambda: len(console.all(".login-list li")) == 32)
    add(console, "Google", {"Client ID": "last"})
    assert not console.button("Add a login with Apple").is_enabled() and "at most 32 providers" in console.text()
    go_on(console)
    create(console)
    assert len(server.json("GET", "/_apps/gulls")["providers"]) == 32
    server.json("DELETE", "/_apps/gulls")


def test_the_address_that_mail_needs_cannot_be_removed(console, server):
    open_tab(console, "logins")
    console.write(console.labelled("Address of this server for clients"), "")
    console.write(console.labelled("Addresses to which a login in the browser may return"), "com.example.trips:/login\n\nhttps://app.example.org/login")
    console.until(lambda: console.all("main form .primary"))[0].click()
    console.until(lambda: "mail needs url" in console.one("main form > .refusal").text)
    console.write(console.labelled("Address of this server for clients"), "https://other.example.org")
    save(console)
    assert declared(server)["url"] == "https://other.example.org"
    assert declared(server)["redirects"] == ["com.example.trips:/login", "https://app.example.org/login"]


TABS = ["users", "settings", "databases", "logins", "mail", "versions", "code"]


@pytest.mark.parametrize("width, colours", [(390, "dark"), (1280, "light"), (2560, "dark")])
def test_each_tab_can_be_read_and_used(console, server, width, colours):
    browsers.resize(console.browser, width, 1000)
    console.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": colours}]})
    console.enter("applications")
    found = {}
    for tab in TABS:
        console.browser.execute_script("location.hash = arguments[0]", f"#/applications/{APP}?tab={tab}")
        console.until(lambda: console.all(f"nav.tabs [aria-current][href$='={tab}']") and console.all(".page form, .page pre, .page select"))
        console.browser.execute_script("for (const d of document.querySelectorAll('main details')) d.open = true")
        found[tab] = accessibility.findings(console.browser) + ["too wide"] * (console.browser.execute_script(OVERFLOW) > 0)
        assert console.browser.execute_script("return document.querySelectorAll('main img, main script').length") == 0
    console.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
    assert {tab: findings for tab, findings in found.items() if findings} == {}
    assert console.complaints() == []


def test_the_wizard_takes_platforms_and_their_ids(console, server):
    console.enter("applications?new=1")
    console.until(lambda: console.all("main summary"))[0].click()
    console.write(console.labelled("Bundle id of the app for iOS"), "com.example.birds")
    console.write(console.labelled("Address of the web app to which a login returns"), "https://birds.example.org/login")
    console.until(lambda: console.labelled("Id").get_attribute("value") == "com.example.birds")
    for _ in range(4):
        go_on(console)
    create(console)
    stored = server.json("GET", "/_apps/com.example.birds")
    assert stored["redirects"] == ["com.example.birds:/login", "https://birds.example.org/login"]
    assert stored["registration"] == "administrators" and "consolidated" not in stored
    console.one("main a[href$='tab=logins']")
    server.json("DELETE", "/_apps/com.example.birds")
