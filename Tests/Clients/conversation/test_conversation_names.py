"""Topics of the embedded corpus are found by their short names: without a general word, by an acronym, by their first words."""

import concurrent.futures
import gzip
import json
import re

import pytest

from conversations import SMALL_CORPUS, anyone, cloud, ready

GENERAL = ["disease", "diseases", "syndrome", "syndromes", "disorder", "disorders", "infection", "infections", "in children"]
QUESTIONS = {"symptoms": "symptoms of {}", "treatment": "treatment for {}", "information": "what is {}", "causes": "what causes {}"}
# The parts of the questions whose first answer is about the topic. Some short names belong to several topics, and many first
# words, such as "absence of", are no name.
PARTS = {"short": 0.95, "acronym": 1.0, "first words": 0.65}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    server = ready(cloud(tmp_path_factory.mktemp("names")))
    yield server
    server.stop()


def kinds_of_topics():
    kinds = {}
    for line in gzip.open(SMALL_CORPUS):
        pair = json.loads(line)
        if pair["focus"]:
            kinds.setdefault(pair["focus"], set()).add(pair["kind"])
    return kinds


def short_names(topic):
    base = re.sub(r"\(.*?\)", "", topic).removeprefix("What I need to know about ").split(":")[0].strip()
    ending = next((word for word in GENERAL if base.lower().endswith(" " + word)), None)
    if ending:
        yield "short", base[:-len(ending)].strip()
    if acronym := re.search(r"\(([A-Z][A-Za-z]?[A-Z]+)\)", topic):
        yield "acronym", acronym[1]
    if len(base.split()) >= 3:
        yield "first words", " ".join(base.split()[:2])


def words(text):
    return re.sub(r"\W+", " ", text.lower()).strip()


def test_each_topic_is_found_by_its_short_names(site):
    cases = [(way, name, topic, form.format(name.lower())) for topic, kinds in sorted(kinds_of_topics().items())
             for way, name in short_names(topic) for kind, form in QUESTIONS.items() if kind in kinds]
    assert len(cases) > 1000
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda case: anyone(site, "/ask", params={"query": case[3], "limit": 1}).json(), cases))
    right = {way: [] for way in PARTS}
    for (way, name, topic, _), answer in zip(cases, found):
        asked = words(answer["answers"][0]["question"]) if "answers" in answer else ""
        right[way].append(words(name) in asked or words(topic) in asked)
    parts = {way: sum(all_of) / len(all_of) for way, all_of in right.items()}
    assert all(parts[way] >= least for way, least in PARTS.items()), parts


@pytest.mark.parametrize(("question", "answer"), [
    ("symptoms of celiac", "What are the symptoms of Celiac Disease ?"),
    ("treatment for restless legs", "What are the treatments for Restless Legs Syndrome ?"),
    ("treatment for restless leg", "What are the treatments for Restless Legs Syndrome ?"),
    ("what is rls", "What is (are) Restless Legs Syndrome ?"),
    ("treatment for dvt", "What are the treatments for Deep Vein Thrombosis ?"),
    ("symptoms of pad", "What are the symptoms of Peripheral Arterial Disease (P.A.D.) ?"),
    ("what is chagas disease", "What is (are) Parasites - American Trypanosomiasis (also known as Chagas Disease) ?"),
])
def test_usual_names(site, question, answer):
    assert anyone(site, "/ask", params={"query": question}).json()["answers"][0]["question"] == answer


def test_what_to_eat_with_an_intolerance(site):
    answer = anyone(site, "/ask", params={"query": "what can i eat if i am lactose intolerant"}).json()["answers"][0]
    assert answer["question"].startswith("What to do for") and "Lactose Intolerance" in answer["question"]


def test_an_acronym_that_is_no_topic_is_explained(site):
    answer = anyone(site, "/ask", params={"query": "what is GERD"}).json()["answers"][0]
    assert answer["text"].startswith("GERD occurs if acid from your stomach backs up into your throat.")


def test_a_question_without_an_answer_offers_the_nearest_topics(site):
    # The short name belongs to two topics.
    answer = anyone(site, "/ask", params={"query": "what is aicardi"}).json()
    assert set(answer) == {"topics"} and {"Aicardi Syndrome", "Aicardi-Goutieres Syndrome Disorder"} <= set(answer["topics"])
    page = anyone(site, "/ask", "POST", data={"questionText": "what is aicardi"}).text
    assert '<a href="/conversation?question=What%20is%20Aicardi%20Syndrome%3F">Aicardi Syndrome</a>' in page
    first = anyone(site, "/ask", params={"query": "What is Aicardi Syndrome?"}).json()["answers"][0]
    assert first["question"] == "What is (are) Aicardi Syndrome ?"
    assert anyone(site, "/ask", params={"query": "treatment for gerd"}).json()["topics"][0] == "Indigestion"


@pytest.mark.parametrize("question", ["who won the world cup", "how do i bake bread", "is the bank open on monday", "how do i monitor my server"])
def test_questions_about_other_things_have_no_answer(site, question):
    assert "answers" not in anyone(site, "/ask", params={"query": question}).json()
