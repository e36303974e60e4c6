"""Spoken texts and recognition: files, live streams, the page's samples, and what hostile audio may cost."""

import base64
import concurrent.futures
import os
import random
import socket
import struct
import threading
import time

import pytest

from conftest import eventually
from conversations import Live, anyone, cloud, corpus_file, ready, speech_model, spoken, wav
from web_sockets import BINARY, CONTINUATION, TEXT, Socket

QUESTION = "What causes narcolepsy"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("conversation")
    server = ready(cloud(folder, "--speech-model", speech_model(tmp_path_factory),
                         "--recognitions-max", "1"))
    yield server
    server.stop()


# ---- Spoken texts


def test_texts_are_spoken_as_ogg_and_wav(site):
    ogg = anyone(site, "/synthesize", params={"text": QUESTION, "accept": "audio/ogg"})
    assert ogg.content[:4] == b"OggS" and b"OpusHead" in ogg.content[:64] and ogg.headers["Content-Type"] == "audio/ogg; codecs=opus"
    assert ogg.headers["Content-Disposition"] == "inline; filename=transcript.ogg"
    wave = anyone(site, "/synthesize", params={"text": QUESTION, "accept": "audio/wav", "download": "true"})
    assert wave.content[:4] == b"RIFF" and wave.headers["Content-Disposition"] == "attachment; filename=transcript.wav"
    assert len(wave.content) > 5 * len(ogg.content)


@pytest.mark.parametrize("browser, kind", [
    ("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36", "audio/ogg"),
    ("Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Mobile Safari/537.36", "audio/wav"),
    ("Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0", "audio/ogg"),
    ("Mozilla/5.0 (Macintosh; Intel Mac OS X 14) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/605.1.15", "audio/wav"),
    ("curl/8.0", "audio/wav")])
def test_the_format_is_one_that_the_browser_plays(site, browser, kind):
    answer = anyone(site, "/synthesize", params={"text": "a"}, headers={"User-Agent": browser})
    assert answer.headers["Content-Type"].startswith(kind)


def test_each_voice_speaks(site):
    voices = anyone(site, "/voices").json()["voices"]
    assert {voice["language"] for voice in voices} >= {"en-US", "en-GB", "de-DE", "es-ES", "fr-FR"} and len(voices) >= 10
    spoken = {voice["name"]: anyone(site, "/synthesize", params={"text": "one two three", "voice": voice["name"]}).content
              for voice in voices}
    assert len(set(spoken.values())) == len(voices) and all(len(file) > 10_000 for file in spoken.values())


def test_texts_and_voices_that_cannot_be_spoken_are_refused(site):
    assert anyone(site, "/synthesize").status_code == 400
    assert anyone(site, "/synthesize", params={"text": "a", "voice": "x"}).status_code == 400
    answer = anyone(site, "/synthesize", "GET", params={"text": "a " * 1_500})
    assert answer.status_code == 413 and "2000 characters" in answer.json()["reason"]
    # Commands of the engine are spoken as text: none of them loads a file or ends the process.
    for text in ("<audio src='/etc/passwd'/>", "\1\1", "[[", "\0a", "😀" * 100, "(" * 2_000):
        assert anyone(site, "/synthesize", params={"text": text}).status_code == 200, text


# ---- Recordings


def test_a_recording_is_recognised(site, tmp_path):
    samples = spoken(site, QUESTION)
    file = wav(tmp_path / "question.wav", samples)
    for options in ({"data": file.read_bytes(), "headers": {"Content-Type": "audio/wav"}},
                    {"data": samples, "headers": {"Content-Type": "audio/l16; rate=16000; channels=1"}},
                    {"files": {"audio": ("question.raw", samples, "audio/l16; rate=16000; channels=1")}},
                    {"files": {"audio": ("question.wav", file.read_bytes(), "audio/wav")}}):
        answer = anyone(site, "/transcribe", "POST", **options).json()
        assert answer["transcript"] == "what causes narcolepsy" and 0 < answer["confidence"] <= 1
    assert anyone(site, "/transcribe", "POST", data=bytes(32_000), headers={"Content-Type": "audio/l16; rate=16000"}).json() == {}


@pytest.mark.parametrize("rate", [8_000, 22_050, 44_100, 48_000, 192_000])
def test_each_rate_is_recognised(site, rate):
    answer = anyone(site, "/transcribe", "POST", data=spoken(site, QUESTION, rate), headers={"Content-Type": f"audio/l16; rate={rate}"})
    assert "narcolepsy" in answer.json()["transcript"] or rate == 8_000 and answer.status_code == 200


def test_other_forms_of_wave_files(site):
    samples = spoken(site, QUESTION)
    values = struct.unpack(f"<{len(samples) // 2}h", samples)
    stereo = struct.pack(f"<{len(values) * 2}h", *(value for pair in values for value in (pair, pair)))
    narrow = bytes((value >> 8) + 128 for value in values)
    for channels, bits, data in ((2, 16, stereo), (1, 8, narrow)):
        head = struct.pack("<4sI4s4sIHHIIHH4sI", b"RIFF", 36 + len(data), b"WAVE", b"fmt ", 16, 1, channels, 16_000,
                           16_000 * channels * bits // 8, channels * bits // 8, bits, b"data", len(data))
        answer = anyone(site, "/transcribe", "POST", data=head + data).json()
        assert "narcolepsy" in answer["transcript"], (channels, bits, answer)


@pytest.mark.parametrize("data, kind, status", [
    (b"RIFF", "audio/wav", 400), (b"RIFF\0\0\0\0WAVEdata\0\0\0\0", "audio/wav", 400), (b"RIFF\0\0\0\0WAVEfmt \4\0\0\0\1\0\1\0", "audio/wav", 400),
    (b"RIFF\0\0\0\0WAVELIST\xff\xff\xff\x7f", "audio/wav", 400), (b"ID3" + bytes(100), "audio/mpeg", 415),
    (bytes(100), "audio/l16; rate=1", 400), (bytes(100), "audio/l16; rate=16000; channels=7", 400), (b"", "text/html", 415)])
def test_files_that_are_no_audio_are_refused(site, data, kind, status):
    answer = anyone(site, "/transcribe", "POST", data=data, headers={"Content-Type": kind})
    assert answer.status_code == status and answer.json()["reason"], answer.text


def test_samples_of_the_page_are_recognised(site):
    answer = anyone(site, "/", "POST", data={"url": "audio/sample4.wav"})
    assert "narcolepsy" in answer.json()["transcript"]
    assert anyone(site, "/audio/sample4.wav").content[:4] == b"RIFF"
    for url in ("audio/other.wav", "http://127.0.0.1/", "audio/../sample1.wav", "", None):
        refused = anyone(site, "/", "POST", data={"url": url} if url is not None else {})
        assert (refused.status_code, refused.json()) == (500, {"error": "Malformed URL"})


# ---- Live recognition


def test_live_speech_has_interim_and_final_results(site):
    live = Live(site)
    assert live.event()[0] == "session"
    live.audio(spoken(site, QUESTION) + bytes(32_000))
    live.message(disconnect=True)
    assert live.finals() == ["what causes narcolepsy"]
    results = [result for name, data in live.events if name == "message" for result in data["results"]]
    assert len(results) > 1 and not results[0]["final"] and results[-1]["alternatives"][0]["confidence"] > 0
    assert ("state", "listening") in live.events
    assert live.events[0][1] != Live(site).event()[1]


def test_live_speech_in_the_messages_of_2015(site):
    live = Live(site)
    samples = spoken(site, QUESTION, 48_000)
    for start in range(0, len(samples), 24_000):
        live.message(audio=base64.b64encode(samples[start:start + 24_000]).decode(), rate=48_000)
    live.message(disconnect=True)
    assert live.finals() == ["what causes narcolepsy"]


def test_messages_in_fragments_and_without_an_end(site):
    live = Live(site)
    samples = spoken(site, QUESTION)
    for start in range(0, len(samples), 3_000):
        piece = samples[start:start + 3_000]
        live.socket.send(BINARY, piece[:1_001], is_last=False)
        live.socket.send(CONTINUATION, piece[1_001:])
    live.socket.send(TEXT, b'{"event": "disconnect"}')
    assert live.finals() == ["what causes narcolepsy"]
    # A client that leaves ends its recognition: the only process is free for the next one.
    for _ in range(5):
        left = Live(site)
        left.audio(samples[:16_000])
        left.socket.socket.shutdown(socket.SHUT_RDWR)
    begun = time.monotonic()
    next_one = Live(site)
    next_one.audio(samples)
    next_one.message(disconnect=True)
    assert next_one.finals() == ["what causes narcolepsy"] and time.monotonic() - begun < 30


@pytest.mark.parametrize("message", [b"no json", b"[]", b'{"event": "message", "data": {"audio": "%%%"}}', b'{"event": "message", "data": {}}'])
def test_wrong_messages_are_named(site, message):
    live = Live(site)
    live.socket.send(TEXT, message)
    assert live.rest()[-1][0] == "onerror"


def test_other_pages_may_not_listen(site):
    assert Socket(site, "/speech/socket", Origin="https://example.org").status == 403
    assert Socket(site, "/speech/socket", Origin=site.url).status == 101
    assert anyone(site, "/speech/socket").status_code == 426
    live = Live(site, rate=1)
    live.audio(bytes(1_000))
    assert live.rest()[-1][1]["code"] == "input"


# ---- Hostile audio


def answers(site):
    """Others are answered within 2 s."""
    begun = time.monotonic()
    assert anyone(site, "/ask", params={"query": "how is gout treated"}).json()["answers"]
    assert anyone(site, "/_up").status_code == 200
    return time.monotonic() - begun < 2


def test_noise_and_long_recordings_cost_their_limit(site):
    noise = random.Random(1).randbytes(2 << 20)
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        def send(rate):
            return anyone(site, "/transcribe", "POST", data=noise, headers={"Content-Type": f"audio/l16; rate={rate}"}).status_code
        found = [pool.submit(send, rate) for rate in (4_000, 8_000, 16_000, 192_000)]
        while not all(one.done() for one in found):
            assert answers(site)
            time.sleep(0.2)
        # 260, 130, 65 and 5 seconds: only the last one is shorter than the limit.
        assert [one.result() for one in found] == [413, 413, 413, 200]
    # Three hours of audio end at the limit.
    live, begun = Live(site), time.monotonic()
    with pytest.raises(OSError):
        for _ in range(3 * 3_600):
            live.audio(bytes(32_000))
    assert time.monotonic() - begun < 60 and answers(site)
    live = Live(site)
    live.audio(bytes(61 * 32_000))
    assert live.rest()[-1] == ("onerror", {"error": "A recording may have at most 60 seconds. Send it in shorter parts.", "code": "tooLong"})


def test_a_client_that_sends_nothing_is_told(site):
    silent, stopped = Live(site), Live(site)
    stopped.audio(bytes(16_000))
    assert silent.rest()[-1][1]["code"] == "input" and "10 s" in silent.events[-1][1]["error"]
    assert stopped.rest()[-1][0] == "onerror"


def test_work_for_a_client_that_has_left_ends(site):
    samples = spoken(site, QUESTION)
    def seconds():
        begun = time.monotonic()
        assert anyone(site, "/transcribe", "POST", data=samples, headers={"Content-Type": "audio/l16; rate=16000"}).ok
        return time.monotonic() - begun
    usual = seconds()
    # Speech takes a sixth of its duration to recognize, 9 s here; noise is skipped within a second.
    long = (samples * 60)[:55 * 32_000]
    head = f"POST /transcribe HTTP/1.1\r\nHost: x\r\nContent-Type: audio/l16; rate=16000\r\nContent-Length: {len(long)}\r\n\r\n"
    with socket.create_connection(("127.0.0.1", int(site.port))) as client:
        client.sendall(head.encode() + long)
        time.sleep(1)
    assert seconds() < 5 + 3 * usual


def test_a_client_that_sends_a_sample_now_and_then_does_not_keep_a_process(tmp_path):
    server = ready(cloud(tmp_path, "--corpus", str(corpus_file(tmp_path)), "--recording-seconds-max", "2"))
    live, has_ended = Live(server), threading.Event()
    def send():
        # The recognition may begin late on a busy machine: samples come until it ends.
        while not has_ended.wait(0.2):
            try:
                live.audio(bytes(2))
            except OSError:
                return
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        pool.submit(send)
        try:
            last = live.rest()[-1]
        finally:
            has_ended.set()
    assert last == ("onerror", {"error": "The recognition took too long. Send the audio as it is recorded.", "code": "tooLong"})
    server.stop()


def test_recognitions_wait_their_turn_and_are_bounded(site):
    samples = spoken(site, QUESTION)
    def recognise(number):
        answer = anyone(site, "/transcribe", "POST", data=samples, headers={"Content-Type": "audio/l16; rate=16000"})
        return answer.status_code, answer.headers.get("Retry-After")
    with concurrent.futures.ThreadPoolExecutor(30) as pool:
        found = [pool.submit(recognise, number) for number in range(30)]
        while not all(one.done() for one in found):
            assert answers(site)
            time.sleep(0.2)
    results = [one.result() for one in found]
    # One works and four of the same address wait; some begin when others have ended.
    assert results.count((200, None)) >= 5 and (503, "5") in results
    assert len(workers(site)) <= 4
    eventually(lambda: recognise(0)[0] == 200)


def workers(site):
    """The processes for speech of a server, as (arguments, niceness)."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                arguments = open(f"/proc/{entry}/cmdline", "rb").read().split(b"\0")
                fields = open(f"/proc/{entry}/stat").read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if b"speech-worker" in arguments and int(fields[1]) == site.process.pid:
                found.append((arguments, int(fields[16])))
    return found


def test_the_processes_have_a_low_priority_and_end_with_the_server(tmp_path):
    server = ready(cloud(tmp_path, "--corpus", str(corpus_file(tmp_path))))
    samples = spoken(server, QUESTION)
    assert anyone(server, "/transcribe", "POST", data=samples).status_code in (200, 415)
    assert anyone(server, "/transcribe", "POST", data=samples, headers={"Content-Type": "audio/l16; rate=16000"}).status_code == 200
    found = workers(server)
    assert len(found) == 2 and all(niceness == 10 for _, niceness in found)
    server.kill()
    eventually(lambda: not [entry for entry in os.listdir("/proc") if entry.isdigit() and is_worker_of(entry, found)])


def is_worker_of(entry, found):
    try:
        return (open(f"/proc/{entry}/cmdline", "rb").read().split(b"\0"), 10) in found and \
            open(f"/proc/{entry}/stat").read().rsplit(")", 1)[1].split()[1] == "1"
    except OSError:
        return False
