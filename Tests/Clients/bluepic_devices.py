"""BluePic's devices for tests."""

from bluepics import PASSWORD
from conftest import eventually
from devices import DeviceProcess

KEY = "3e" * 32


class Device(DeviceProcess):
    """A device of BluePic."""

    def __init__(self, home, server, key=KEY):
        super().__init__("bluepic", home, server, environment={"BLUEPIC_KEY": key} if key else None)

    def register(self, name, full_name=None):
        self.done("register", name=name, password=PASSWORD, fullName=full_name or name.title())
        return self

    def chosen(self, file, **query):
        answer = self.browser.post(f"{self.url}/photos", params=query, data=file, timeout=60)
        assert answer.status_code == 201, answer.text
        return answer.json()["id"]

    def posted(self, file, caption=""):
        id = self.chosen(file)
        self.done("post", id=id, caption=caption)
        return id

    def feed(self, **query):
        return self.get("/feed", params=query).json()["photos"]

    def shows(self, id):
        """Waits until the feed of the device has an image, and no post for it."""
        return eventually(lambda: any(photo["id"] == id for photo in self.feed()) and not self.state()["posts"], 60)
