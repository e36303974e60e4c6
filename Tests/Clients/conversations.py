"""Conversation's server for tests: its corpus, spoken texts and live recognition."""

import array
import fcntl
import gzip
import json
import os
import pathlib
import subprocess
import sys
import wave

import requests

from conftest import Server, eventually
from devices import DeviceProcess, program
from web_sockets import BINARY, TEXT, Socket

PASSWORD, PASSPHRASE = "heron-tern-plover", "a passphrase of the device"
ROOT = pathlib.Path(__file__).parents[2]
SMALL_CORPUS = ROOT / "Examples/Conversation/Data/questions-small.jsonl.gz"
KINDS = {"information": "What is (are) {} ?", "symptoms": "What are the symptoms of {} ?", "treatment": "What are the treatments for {} ?"}
TOPICS = {"Gout": ["Gouty arthritis"], "Psoriasis": [], "Malaria": []}


def corpus():
    return [{"id": f"{topic}-{kind}", "question": question.format(topic), "answer": f"About the {kind} of {topic}.\nMore.",
             "focus": topic, "synonyms": synonyms, "kind": kind, "source": "test", "url": f"https://example.org/{topic}"}
            for topic, synonyms in TOPICS.items() for kind, question in KINDS.items()]


def lines(pairs):
    return "".join(json.dumps(pair) + "\n" for pair in pairs)


def corpus_file(folder, pairs=None):
    path = folder / "corpus.jsonl.gz"
    path.write_bytes(gzip.compress(lines(corpus() if pairs is None else pairs).encode()))
    return path


def cloud(folder, *arguments, **options):
    """A server of Conversation, which may not be ready for questions yet."""
    return Server(folder / "data", program=program("conversation"), arguments=arguments, **options)


def ready(site):
    eventually(lambda: anyone(site, "/ask", params={"query": "x"}).status_code == 200, 120)
    return site


def anyone(site, path, method="GET", **options):
    return requests.request(method, site.url + path, timeout=120, **options)


def speech_model(tmp_path_factory):
    """The directory of a language model of the embedded corpus, trained once for all processes of a run."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent
    model, trained = folder / "speech-model", folder / "speech-model-in-training"
    with open(folder / "speech-model.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not model.exists():
            subprocess.run([sys.executable, ROOT / "Examples/Conversation/Training/speech.py", SMALL_CORPUS, trained],
                           check=True, capture_output=True, timeout=300)
            trained.rename(model)
    return str(model)


def spoken(site, text, rate=16_000, **parameters):
    """The samples of a spoken text, 16 bits, with half a second of silence around them."""
    answer = anyone(site, "/synthesize", params={"text": text, "accept": "audio/wav", **parameters})
    assert answer.status_code == 200, answer.text
    samples = array.array("h", answer.content[44:])
    own = int.from_bytes(answer.content[24:28], "little")
    # A simple change of the rate, by the nearest sample.
    changed = array.array("h", (samples[index * own // rate] for index in range(len(samples) * rate // own)))
    silence = bytes(rate)
    return silence + changed.tobytes() + silence


def wav(path, samples, rate=16_000):
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(samples)
    return path


class Live:
    """A live recognition: sends audio, and collects the events of the server."""

    def __init__(self, site, rate=16_000, **headers):
        self.socket = Socket(site, f"/speech/socket?rate={rate}", **headers)
        self.events = []

    def event(self):
        """The next event as (name, data); `None` when the server closes the socket."""
        while (frame := self.socket.frame()) is not None:
            if frame[0] == TEXT:
                message = json.loads(frame[1])
                self.events.append((message["event"], message["data"]))
                return self.events[-1]
            if frame[0] == 8:
                return None
        return None

    def audio(self, samples, piece=8_000):
        for start in range(0, len(samples), piece):
            self.socket.send(BINARY, samples[start:start + piece])

    def message(self, **data):
        self.socket.send(TEXT, json.dumps({"event": "message", "data": data}).encode())

    def rest(self):
        while self.event() is not None:
            pass
        return self.events

    def finals(self):
        return [result["alternatives"][0]["transcript"] for name, data in self.rest() if name == "message"
                for result in data["results"] if result["final"]]


class Device(DeviceProcess):
    def __init__(self, home, server, *arguments):
        super().__init__("conversation", home, server, *arguments)

    def opened(self):
        self.done("unlock", passphrase=PASSPHRASE)
        return self

    def filled(self, count):
        """Waits until the device can answer from so many documents."""
        eventually(lambda: (state := self.state())["corpusCount"] == count and state["isCorpusReady"] and state["isCorpusComplete"], 90)
        return self

    def ask(self, question, **options):
        return self.done("ask", question=question, **options)["question"]

    def history(self):
        return [entry["question"] for entry in self.get("/history").json()["questions"]]
