"""Conversation's server: questions by form and by query, as the servers of 2015, the corpus, and its topics."""

import concurrent.futures
import gzip
import re
import subprocess
import time

import pytest
import requests

from conftest import eventually
from conversations import anyone, cloud, corpus, corpus_file, ready
from devices import program

NO_ANSWER = "No answers for that question, try with another question"


@pytest.fixture
def site(tmp_path):
    server = ready(cloud(tmp_path, "--corpus", str(corpus_file(tmp_path))))
    yield server
    server.stop()


def test_the_embedded_corpus_is_loaded_after_the_ready_line(tmp_path):
    server = cloud(tmp_path)
    first = anyone(server, "/ask", params={"query": "what is asthma"})
    assert first.status_code == 503 and int(first.headers["Retry-After"]) > 0 and "indexed" in first.json()["reason"]
    assert "being indexed" in anyone(server, "/conversation", params={"question": "what is asthma"}).text
    ready(server)
    assert "no medical advice" in anyone(server, "/conversation").text and "MedQuAD" in anyone(server, "/tos").text
    answer = anyone(server, "/ask", params={"query": "what is asthma"}).json()["answers"][0]
    assert "Asthma" in answer["text"] and answer["url"].startswith("http") and 0 < answer["value"] <= 1
    assert server.json("GET", "/corpus")["doc_count"] > 3_800
    server.kill()
    server.start()
    ready(server)
    assert anyone(server, "/ask", params={"query": "what is asthma"}).json()["answers"][0] == answer
    server.stop()


def test_a_form_is_answered_with_html(site):
    answer = anyone(site, "/ask", "POST", data={"questionText": "how is gout treated"})
    assert answer.headers["Content-Type"].startswith("text/html")
    assert "About the treatment of Gout." in answer.text and 'href="https://example.org/Gout"' in answer.text
    percents = [int(number) for number in re.findall(r"Confidence: (\d+)%", answer.text)]
    assert percents and percents == sorted(percents, reverse=True)
    assert anyone(site, "/ask", "POST", json={"questionText": "how is gout treated"}).text == answer.text
    assert NO_ANSWER in anyone(site, "/ask", "POST", data={"questionText": "who won the world cup"}).text
    assert anyone(site, "/ask", "POST", data={}).status_code == 400
    assert anyone(site, "/ask", "POST", data={"questionText": "x" * 20_000}).status_code == 413


def test_a_query_is_answered_with_json(site):
    answers = anyone(site, "/ask", params={"query": "signs of psoriasis"}).json()["answers"]
    assert answers[0]["text"] == "About the symptoms of Psoriasis." and answers[0]["id"] == "Psoriasis-symptoms"
    assert all(first["value"] >= second["value"] for first, second in zip(answers, answers[1:]))
    assert anyone(site, "/ask", params={"query": "who won the world cup"}).json() == {}
    for parameters in ({}, {"query": ""}):
        answer = anyone(site, "/ask", params=parameters)
        assert (answer.status_code, answer.text) == (500, "Bad Query")
    assert len(anyone(site, "/ask", params={"query": "gout", "limit": 2}).json()["answers"]) == 2


def test_an_answer_is_explained(site):
    body = anyone(site, "/ask", params={"query": "how is psoriassis treated", "explain": "true"}).json()
    reasons = body["explain"]
    assert {"asked": "psoriassis", "used": "psoriasis"} in reasons["words"] and reasons["topic"] == ["psoriasi"]
    assert max(reasons["kinds"], key=reasons["kinds"].get) == "treatment" and reasons["confidence"] >= reasons["confidenceMin"]
    assert body["answers"][0]["features"]["topicCoverage"] == 1
    assert "explain" not in anyone(site, "/ask", params={"query": "gout"}).json()


def test_the_page_answers_without_scripts(site):
    page = anyone(site, "/", headers={"Accept": "text/html", "Sec-Fetch-Mode": "navigate"})
    assert page.url.endswith("/conversation") and "<form" in page.text and "Questions to try" in page.text
    policy = page.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy and "'unsafe" not in policy
    page = anyone(site, "/conversation", params={"question": "how is gout treated"})
    assert "About the treatment of Gout." in page.text and "<audio" in page.text
    hostile = anyone(site, "/conversation", params={"question": "\"><script>alert(1)</script>"})
    assert "<script>alert" not in hostile.text
    assert anyone(site, "/conversation/files/nothing.js").status_code == 404


def test_texts_of_a_corpus_are_no_markup(tmp_path):
    markup = "<img src=x onerror=alert(1)>"
    pair = {**corpus()[0], "answer": markup, "question": f"What is Gout {markup}", "source": markup, "url": "javascript:alert(1)"}
    server = ready(cloud(tmp_path, "--corpus", str(corpus_file(tmp_path, [pair, *corpus()[1:]]))))
    text = anyone(server, "/ask", "POST", data={"questionText": "what is gout"}).text
    assert "<img" not in text and "javascript:" not in text and "&lt;img" in text
    server.stop()


def test_changes_of_the_corpus_are_answered(site):
    new = {"_id": "mumps", "question": "What is Mumps ?", "answer": "Mumps is an infection.", "focus": "Mumps", "kind": "information"}
    site.json("PUT", "/corpus/mumps", json=new)
    eventually(lambda: anyone(site, "/ask", params={"query": "what is mumps"}).json().get("answers"), 30)
    # Anyone may read the corpus, as devices do, and only an administrator may write it.
    assert requests.get(f"{site.url}/corpus/mumps", timeout=60).status_code == 200
    assert requests.put(f"{site.url}/corpus/measles", json={}, timeout=60).status_code == 401


def test_topics_and_sources_are_listed(site):
    assert anyone(site, "/topics").json() == {"database": "corpus", "sources": ["test"], "topics": []}
    assert anyone(site, "/topics", params={"prefix": "Ma"}).json()["topics"] == ["Malaria"]
    assert anyone(site, "/topics", params={"prefix": "x"}).json()["topics"] == []


def test_200_people_ask_at_once(site):
    def ask(number):
        return anyone(site, "/ask", params={"query": ["how is gout treated", "signs of malaria"][number % 2]}).json()["answers"][0]["id"]
    with concurrent.futures.ThreadPoolExecutor(200) as pool:
        found = list(pool.map(ask, range(200)))
    assert found == ["Gout-treatment", "Malaria-symptoms"] * 100


@pytest.mark.parametrize("content, reason", [
    (b"no json\n", "Line 1 is no object"), (gzip.compress(b"{}\n"), "Line 1 is no object"),
    (gzip.compress(b'{"question": "a", "answer": "b"}\n')[:-9], "ends too early"), (b"\n", "The file has no questions"),
    (gzip.compress(b'{"question": "a", "answer": "b"}\n') * 2, "more bytes follow")],
    ids=["no object", "no question in gzip", "interrupted gzip", "an empty line", "two gzip files"])
def test_a_corpus_that_cannot_be_read_is_reported(tmp_path, content, reason):
    (tmp_path / "bad.jsonl").write_bytes(content)
    server = cloud(tmp_path, "--corpus", str(tmp_path / "bad.jsonl"))
    eventually(lambda: "cannot be loaded" in anyone(server, "/ask", params={"query": "x"}).json()["reason"])
    assert anyone(server, "/ask", params={"query": "x"}).status_code == 503
    assert "cannot be loaded" in anyone(server, "/conversation", params={"question": "x"}).text
    server.process.terminate()
    assert reason in server.process.stderr.read()
    server.stop()


def test_the_pages_of_another_corpus_suggest_its_questions_and_do_not_speak_of_health(site):
    page, terms = anyone(site, "/conversation").text, anyone(site, "/tos").text
    assert "What are the symptoms of Gout ?" in page and "narcolepsy" not in page
    for text in (page, terms):
        assert "health" not in text and "MedQuAD" not in text


def test_a_file_replaces_the_corpus_of_the_start_before(tmp_path):
    ready(cloud(tmp_path, "--corpus", str(corpus_file(tmp_path)))).stop()
    server = ready(cloud(tmp_path, "--corpus", str(corpus_file(tmp_path, corpus()[3:]))))
    ids = {row["id"] for row in server.json("GET", "/corpus/_all_docs")["rows"] if not row["id"].startswith("_design/")}
    assert ids == {pair["id"] for pair in corpus()[3:]}
    assert anyone(server, "/ask", params={"query": "what is gouty arthritis"}).json() == {}
    server.stop()


def test_a_file_without_questions_removes_none(tmp_path):
    ready(cloud(tmp_path, "--corpus", str(corpus_file(tmp_path)))).stop()
    server = cloud(tmp_path, "--corpus", str(corpus_file(tmp_path, [])))
    eventually(lambda: "cannot be loaded" in anyone(server, "/ask", params={"query": "x"}).json()["reason"])
    server.stop()
    server = ready(cloud(tmp_path))
    assert len(anyone(server, "/ask", params={"query": "what is gout"}).json()["answers"]) > 0
    # The questions of the file are not the embedded ones.
    assert "health" not in anyone(server, "/conversation").text
    server.stop()


def test_an_interrupted_load_of_the_embedded_corpus_continues(tmp_path):
    server = cloud(tmp_path)
    eventually(lambda: server.json("GET", "/corpus")["doc_count"] > 500)
    server.kill()
    server = ready(cloud(tmp_path))
    assert server.json("GET", "/corpus")["doc_count"] > 3_878
    assert server.json("GET", "/corpus/corpus-origin")["origin"] == "embedded"
    server.stop()
    # The pages are those of the embedded corpus, however the server is started.
    server = ready(cloud(tmp_path, "--corpus", str(tmp_path / "data/corpus")))
    assert "no medical advice" in anyone(server, "/conversation").text
    server.stop()


def test_a_long_word_costs_little(site):
    began = time.monotonic()
    for word in ("ab" * 7_000, "a" * 14_000, "gout " * 2_800):
        assert anyone(site, "/ask", "POST", data={"questionText": word}).status_code == 200
    assert time.monotonic() - began < 20


def test_a_database_without_questions_gets_the_embedded_corpus(tmp_path):
    run = subprocess.run([program("conversation"), "index", "-", "--database", str(tmp_path / "data/corpus")], input="", capture_output=True, text=True, timeout=60)
    assert run.returncode == 0 and "0 of 0 questions" in run.stdout, run.stderr
    server = ready(cloud(tmp_path))
    assert "narcolepsy" in anyone(server, "/ask", params={"query": "what causes narcolepsy"}).text
    server.stop()
