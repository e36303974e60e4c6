"""The program `conversation`: a corpus is imported and asked on a terminal."""

import json
import subprocess

import pytest

from devices import program

KINDS = {"information": "What is (are) {} ?", "symptoms": "What are the symptoms of {} ?", "treatment": "What are the treatments for {} ?"}
TOPICS = {"Gout": ["Gouty arthritis"], "Psoriasis": [], "Malaria": []}


def corpus():
    return [{"id": f"{topic}-{kind}", "question": question.format(topic), "answer": f"About the {kind} of {topic}.\nMore.",
             "focus": topic, "synonyms": synonyms, "kind": kind, "source": "test", "url": f"https://example.org/{topic}"}
            for topic, synonyms in TOPICS.items() for kind, question in KINDS.items()]


def lines(pairs):
    return "".join(json.dumps(pair) + "\n" for pair in pairs)


def run(*arguments, text=None):
    return subprocess.run([program("conversation"), *map(str, arguments)], input=text, capture_output=True, text=True, timeout=60)


@pytest.fixture
def data(tmp_path):
    (tmp_path / "corpus.jsonl").write_text(lines(corpus()))
    result = run("index", tmp_path / "corpus.jsonl", "--data", tmp_path / "data")
    assert (result.returncode, result.stdout) == (0, "9 of 9 questions were written.\n"), result.stderr
    return tmp_path / "data"


def test_a_question_is_answered_with_its_source(data):
    result = run("ask", "my doctor says that i have gouty arthritis. how is it treated", "--data", data, "--limit", 1)
    assert result.returncode == 0, result.stderr
    assert "What are the treatments for Gout ? Confidence: " in result.stdout and "https://example.org/Gout" in result.stdout
    result = run("ask", "who won the world cup", "--data", data)
    assert result.stdout == "No answers for that question, try with another question.\n"


def test_each_line_of_the_input_is_a_question(data):
    result = run("ask", "--data", data, "--json", text="what is malaria\nsigns of psoriasis\n")
    first, second = map(json.loads, result.stdout.splitlines())
    assert first["answers"][0]["id"] == "Malaria-information" and second["answers"][0]["id"] == "Psoriasis-symptoms"
    assert len(first["answers"][0]["features"]) == 10 and 0 < first["answers"][0]["confidence"] <= 1


def test_a_corpus_is_imported_again_and_ids_may_repeat(data):
    result = run("index", "-", "--data", data, text=lines([*corpus(), {**corpus()[0], "answer": "Another one."}]))
    assert result.stdout == "1 of 10 questions were written.\n", result.stderr
    again = run("index", "-", "--data", data, text=lines([*corpus(), {**corpus()[0], "answer": "Another one."}]))
    assert again.stdout == "0 of 10 questions were written.\n"


@pytest.mark.parametrize("text", ["no json\n", "[]\n", '{"question": "x"}\n', '{"question": "", "answer": "y"}\n'])
def test_a_line_that_is_no_question_is_named(tmp_path, text):
    result = run("index", "-", "--data", tmp_path / "data", text=lines(corpus()) + text)
    assert result.returncode != 0 and "Line 10 is no object with a question and an answer" in result.stderr


def test_files_that_do_not_exist_are_named(tmp_path):
    result = run("index", tmp_path / "absent.jsonl", "--data", tmp_path / "data")
    assert result.returncode != 0 and "absent.jsonl cannot be read" in result.stderr
    result = run("ask", "x", "--parameters", tmp_path / "absent.json", "--data", tmp_path / "data")
    assert result.returncode != 0 and "absent.json has no parameters" in result.stderr
