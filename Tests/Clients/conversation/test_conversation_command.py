"""The program `conversation`: a corpus is imported and asked on a terminal."""

import json
import subprocess

import pytest
import requests

from conftest import GODWIT
from conversations import cloud, corpus, lines, ready
from devices import program

def run(*arguments, text=None):
    return subprocess.run([program("conversation"), *map(str, arguments)], input=text, capture_output=True, text=True, timeout=60)


@pytest.fixture
def data(tmp_path):
    (tmp_path / "corpus.jsonl").write_text(lines(corpus()))
    result = run("index", tmp_path / "corpus.jsonl", "--database", tmp_path / "data/corpus")
    assert result.returncode == 0 and result.stdout.startswith("9 of 9 questions were written.\n"), result.stderr
    return tmp_path / "data/corpus"


def test_a_question_is_answered_with_its_source(data):
    result = run("ask", "my doctor says that i have gouty arthritis. how is it treated", "--database", data, "--limit", 1)
    assert result.returncode == 0, result.stderr
    assert "What are the treatments for Gout ? Confidence: " in result.stdout and "https://example.org/Gout" in result.stdout
    result = run("ask", "who won the world cup", "--database", data)
    assert result.stdout == "No answers for that question, try with another question.\n"


def test_each_line_of_the_input_is_a_question(data):
    result = run("ask", "--database", data, "--json", text="what is malaria\nsigns of psoriasis\n")
    first, second = map(json.loads, result.stdout.splitlines())
    assert first["answers"][0]["id"] == "Malaria-information" and second["answers"][0]["id"] == "Psoriasis-symptoms"
    assert first["answers"][0]["features"]["topicCoverage"] == 1 and 0 < first["answers"][0]["confidence"] <= 1
    assert first["answers"][0]["text"] == "About the information of Malaria."


def test_a_corpus_is_imported_again_and_ids_may_repeat(data):
    result = run("index", "-", "--database", data, text=lines([*corpus(), {**corpus()[0], "answer": "Another one."}]))
    assert result.stdout.startswith("1 of 10 questions were written.\n"), result.stderr
    again = run("index", "-", "--database", data, text=lines([*corpus(), {**corpus()[0], "answer": "Another one."}]))
    assert again.stdout.startswith("0 of 10 questions were written.\n")


@pytest.mark.parametrize("text", ["no json\n", "[]\n", '{"question": "x"}\n', '{"question": "", "answer": "y"}\n'])
def test_a_line_that_is_no_question_is_named(tmp_path, text):
    result = run("index", "-", "--database", tmp_path / "data/corpus", text=lines(corpus()) + text)
    assert result.returncode != 0 and "Line 10 is no object with a question and an answer" in result.stderr


def test_files_that_do_not_exist_are_named(tmp_path):
    result = run("index", tmp_path / "absent.jsonl", "--database", tmp_path / "data/corpus")
    assert result.returncode != 0 and "absent.jsonl cannot be read" in result.stderr
    result = run("ask", "x", "--parameters", tmp_path / "absent.json", "--database", tmp_path / "data/corpus")
    assert result.returncode != 0 and "absent.json has no parameters" in result.stderr


def test_a_database_is_not_created_by_a_question_or_by_its_index(tmp_path):
    for arguments in (["ask", "what is gout"], ["index"]):
        result = run(*arguments, "--database", tmp_path / "data/corpus")
        assert result.returncode != 0 and "There is no database" in result.stderr and "conversation index FILE" in result.stderr
    assert not (tmp_path / "data").exists()


def test_documents_without_question_and_answer_are_named(tmp_path):
    (tmp_path / "own.csv").write_text("frage,antwort\nwas,das\n")
    database = tmp_path / "data/own"
    subprocess.run([GODWIT, "import", str(tmp_path / "own.csv"), str(database), "--create-target", "--plain"], check=True, capture_output=True, timeout=60)
    result = run("index", "--database", database)
    assert result.returncode == 0 and "has 0 questions" in result.stdout and "nothing can be answered" in result.stderr


def test_lines_without_an_id_keep_theirs_in_other_files(tmp_path):
    database = tmp_path / "data/own"
    for number, question in enumerate(["What is gout?", "What is malaria?"]):
        result = run("index", "-", "--database", database, text=json.dumps({"question": question, "answer": "It is known."}) + "\n")
        assert f"has {number + 1} question" in result.stdout, result.stderr


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_corpus_of_ones_own_in_three_commands(tmp_path, kind):
    if kind == "csv":
        rows = ["id,question,answer,focus,synonyms,kind,source,url"]
        rows += [",".join([pair["id"], pair["question"], f'"{pair["answer"]}"', pair["focus"], ";".join(pair["synonyms"]), pair["kind"],
                           pair["source"], pair["url"]]) for pair in corpus()]
        (tmp_path / "own.csv").write_text("\n".join(rows) + "\n")
    else:
        (tmp_path / "own.jsonl").write_text(lines(corpus()))
    database = tmp_path / "data/own"
    run_import = subprocess.run([GODWIT, "import", str(tmp_path / f"own.{kind}"), str(database), "--create-target", *(["--plain"] if kind == "csv" else ["--id", "id"])],
                                capture_output=True, text=True, timeout=60)
    assert run_import.returncode == 0, run_import.stderr
    result = run("index", "--database", database)
    assert result.returncode == 0 and "has 9 questions, indexed in " in result.stdout, result.stderr
    result = run("ask", "how is gouty arthritis treated", "--database", database)
    assert "What are the treatments for Gout ?" in result.stdout, result.stdout
    server = ready(cloud(tmp_path, "--corpus", str(database)))
    answers = requests.get(server.url + "/ask", params={"query": "signs of malaria"}, timeout=60).json()["answers"]
    assert answers[0]["id"] == "Malaria-symptoms"
    server.stop()


@pytest.mark.parametrize("address", ["not a url", "ftp://127.0.0.1", "http://", "127.0.0.1:5984"])
def test_an_address_that_is_none_is_named(tmp_path, address):
    result = run("device", "--home", tmp_path / "home", "--server", address)
    assert result.returncode == 2 and f"{address} is not the address of a server" in result.stderr
    assert not (tmp_path / "home").exists()


def test_options_of_the_server_that_cannot_be_used_are_named(tmp_path):
    for arguments, reason in (
            (["--corpus", str(tmp_path / "absent.jsonl")], "absent.jsonl is neither a file nor a database of"),
            (["--speech-model", str(tmp_path)], "has no corpus.dict"), (["--recognitions-max", "0"], "between 1 and 64"),
            (["--parameters", str(tmp_path / "absent")], "has no parameters")):
        result = run("serve", "--data", tmp_path / "data", "--port", "0", *arguments)
        assert result.returncode != 0 and reason in result.stderr, result.stderr
