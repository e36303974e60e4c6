"""Learns the parameters of the ranking of answers, and measures it on held-out questions.

    Scripts/package.sh Examples build -c release --static-swift-stdlib --product conversation
    python3 Examples/Conversation/Training/answers.py CORPUS.jsonl.gz PARAMETERS.json [--program PROGRAM] [--held-out TEMPLATES.json]

Questions are made from the templates of `questions.json` and the topics of the corpus. The corpus is split by topic: 60 % for
learning, 20 % for the confidence, 20 % for the measurement, whose templates the learning does not use. Every random choice has a seed."""

import argparse
import collections
import gzip
import hashlib
import json
import math
import pathlib
import random
import re
import subprocess
import tempfile

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]
LEARNING, CONFIDENCE, MEASUREMENT = range(3)
CONTEXTS = ["", "", "", "My mother was diagnosed last week. ", "Hello doctor, I am worried. ", "I am 45 years old. ", "Please help: "]
TYPING_ERRORS, SYNONYMS = 0.25, 0.4
# The part of the corpus's own questions that may remain without an answer.
REFUSED = 0.02
ENDINGS = ["ations", "ation", "ments", "ment", "ings", "ing", "ness", "ers", "er", "ed", "es", "s", "al", "ic", "ly", "e"]


# ---- Words, as `AnswerWords` has them

def words(text):
    return re.findall(r"[^\W_]+", re.sub(r"(?<=[^\W_])['’]s(?![^\W_])", "", text.lower()))


def stem(word):
    length = len(word.encode())
    if length > 5 and word.endswith("ies"):
        return word[:-3] + "y"
    for ending in ENDINGS:
        if word.endswith(ending) and length - len(ending) >= 4:
            return word[:-len(ending)]
    return word


def stems(text):
    return [stem(word) for word in words(text)]


# ---- Questions

PARTS = [LEARNING] * 6 + [CONFIDENCE] * 2 + [MEASUREMENT] * 2


def part_of(pair):
    return PARTS[int(hashlib.md5(pair["focus"].lower().encode()).hexdigest(), 16) % 10]


def with_typing_error(generator, text):
    parts = text.split()
    long = [index for index, word in enumerate(parts) if len(word) >= 6 and word.isalpha()]
    if not long:
        return text
    index = generator.choice(long)
    word, place = list(parts[index]), generator.randrange(1, len(parts[index]) - 1)
    kind = generator.randrange(3)
    if kind == 0:
        word[place], word[place + 1] = word[place + 1], word[place]
    elif kind == 1:
        del word[place]
    else:
        word.insert(place, word[place])
    return " ".join([*parts[:index], "".join(word), *parts[index + 1:]])


def questions(corpus, section, templates, count, seed):
    """Questions as (text, topic, kind)."""
    generator = random.Random(seed)
    pool = [pair for pair in corpus if part_of(pair) == section and pair["kind"] in templates]
    made = []
    for _ in range(count):
        pair = generator.choice(pool)
        names = [name for name in pair["synonyms"] if 3 < len(name) < 60]
        name = generator.choice(names) if names and generator.random() < SYNONYMS else pair["focus"]
        name = name.lower()
        if generator.random() < TYPING_ERRORS:
            name = with_typing_error(generator, name)
        text = generator.choice(templates[pair["kind"]]).replace("{f}", name)
        made.append((generator.choice(CONTEXTS) + text, pair["focus"].lower(), pair["kind"]))
    return made


# ---- The kind

def kind_model(corpus, templates, lexicon, stop_words):
    counts = {kind: collections.Counter() for kind in templates}
    for kind, texts in templates.items():
        for text in texts:
            parts = [stem(word) for word in words(text.replace("{f}", " "))]
            counts[kind].update(parts)
            counts[kind].update(f"{left}_{right}" for left, right in zip(parts, parts[1:]))
        for word in lexicon.get(kind, []):
            counts[kind][stem(word)] += 3
    known = set().union(*counts.values())
    smoothing = 0.3
    table, unknown = {}, {}
    for kind, seen in counts.items():
        total = sum(seen.values()) + smoothing * len(known)
        table[kind] = {word: round(math.log((count + smoothing) / total), 3) for word, count in sorted(seen.items())}
        unknown[kind] = round(math.log(smoothing / total), 3)
    return {"questionWords": table, "unknownWord": unknown, "answerWords": answer_words(corpus, templates, stop_words)}


def answer_words(corpus, templates, stop_words, most=400):
    """How much more frequent a word is in the answers of a kind: the logarithm of the ratio, of the words that say most."""
    by_kind, every, documents = {kind: collections.Counter() for kind in templates}, collections.Counter(), collections.Counter()
    for pair in corpus:
        if part_of(pair) != LEARNING or pair["kind"] not in templates:
            continue
        topic = set(stems(pair["focus"] + " " + " ".join(pair["synonyms"])))
        found = {stem(word) for word in words(pair["answer"]) if word not in stop_words} - topic
        by_kind[pair["kind"]].update(found)
        every.update(found)
        documents[pair["kind"]] += 1
    total, table = sum(documents.values()), {}
    for kind, seen in by_kind.items():
        ratios = {}
        for word, count in every.items():
            if count >= 5:
                part = (seen[word] + 2 * count / total) / (documents[kind] + 2)
                ratios[word] = max(-2, min(2.5, math.log(part / (count / total))))
        kept = sorted(ratios, key=lambda word: (-abs(ratios[word]) * math.log(every[word]), word))[:most]
        table[kind] = {word: round(ratios[word], 2) for word in sorted(kept)}
    return table


# ---- The program

class Program:
    def __init__(self, program, data):
        self.program, self.data = program, data

    def ask(self, parameters, texts, limit):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump(parameters, file)
            file.flush()
            run = subprocess.run(
                [self.program, "ask", "--database", f"{self.data}/corpus", "--parameters", file.name, "--limit", str(limit), "--json"],
                input="\n".join(texts) + "\n", capture_output=True, text=True, check=True)
        return [json.loads(line) for line in run.stdout.splitlines()]


def is_right(answer, topic, kind):
    return answer["focus"].lower() == topic and answer["kind"] == kind


def learned_weights(rows):
    """Weights that give the right answers of each list the highest probability (softmax over the list)."""
    weights = np.zeros(rows[0][0].shape[1])
    for _ in range(400):
        gradient = np.zeros_like(weights)
        for features, right in rows:
            scores = features @ weights
            odds = np.exp(scores - scores.max())
            gradient += features.T @ (right / right.sum() - odds / odds.sum())
        weights += 0.5 * gradient / len(rows) - 0.0005 * weights
    return weights


def logistic(scores, right):
    """Slope and offset of a logistic function of scores."""
    slope, offset, mean, deviation = 1.0, 0.0, scores.mean(), scores.std()
    normal = (scores - mean) / deviation
    for _ in range(4000):
        odds = 1 / (1 + np.exp(-(slope * normal + offset)))
        slope -= 0.5 * ((odds - right) * normal).mean()
        offset -= 0.5 * (odds - right).mean()
    return slope / deviation, offset - slope * mean / deviation


def judgement(answers, topic, kind):
    """The mark of the first answer on LiveQA's scale, without a person: 3 for the topic and the kind, 1 for the topic, else 0."""
    if not answers or answers[0]["focus"].lower() != topic:
        return 0
    return 3 if answers[0]["kind"] == kind else 1


def measure(answers, asked):
    first, reciprocal = 0, 0.0
    marks = sum(judgement(answer["answers"], topic, kind) for answer, (_, topic, kind) in zip(answers, asked))
    for answer, (_, topic, kind) in zip(answers, asked):
        places = [place for place, one in enumerate(answer["answers"][:10]) if is_right(one, topic, kind)]
        first += bool(places) and places[0] == 0
        reciprocal += 1 / (places[0] + 1) if places else 0
    times = sorted(answer["milliseconds"] for answer in answers)
    return (f"P@1 {first / len(asked):.3f}, MRR@10 {reciprocal / len(asked):.3f}, mean judgement {marks / len(asked):.2f}, "
            f"median {times[len(times) // 2]:.1f} ms, 95 % {times[int(len(times) * .95)]:.1f} ms")


def best_score(answer, weights):
    """The score from which the confidence is computed. The first answer may be another one of the same topic and kind."""
    return max(np.array(list(one["features"].values())) @ weights for one in answer["answers"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpus")
    parser.add_argument("parameters")
    parser.add_argument("--program", default=str(ROOT / ".build/release/conversation"))
    parser.add_argument("--held-out", default=str(FOLDER / "held-out.json"))
    options = parser.parse_args()
    with gzip.open(options.corpus, "rt") as file:
        corpus = [json.loads(line) for line in file]
    training = json.loads((FOLDER / "questions.json").read_text())
    templates, lexicon, stop_words = training["templates"], training["lexicon"], set(training["stopWords"].split())
    # The weights are learned on templates that the model of the kinds has not seen.
    seen = {kind: texts[::2] for kind, texts in templates.items()}
    unseen = {kind: texts[1::2] for kind, texts in templates.items()}
    parameters = {
        "weights": [2.3, 1.2, 2.5, 0.9, 2.9, 2.8, 0.9, 1.0, 0.5, 0.3, 0.0, 0.0], "confidence": [1, 0], "confidenceMin": 0,
        **kind_model(corpus, seen, lexicon, stop_words)}
    with tempfile.TemporaryDirectory() as data:
        program = Program(options.program, data)
        subprocess.run(f"gunzip -c '{options.corpus}' | '{options.program}' index - --database '{data}/corpus'", shell=True, check=True)
        asked = questions(corpus, LEARNING, unseen, 1200, 1)
        rows = []
        for answer, (_, topic, kind) in zip(program.ask(parameters, [text for text, _, _ in asked], 100), asked):
            features = np.array([list(one["features"].values()) for one in answer["answers"]])
            right = np.array([is_right(one, topic, kind) for one in answer["answers"]], float)
            if right.sum():
                rows.append((features, right))
        print(f"learning: {len(rows)} of {len(asked)} questions have the answer among the candidates")
        parameters["weights"] = [round(float(weight), 4) for weight in learned_weights(rows)]
        print("weights", parameters["weights"])
        asked = questions(corpus, CONFIDENCE, unseen, 800, 2)
        answers = program.ask(parameters, [text for text, _, _ in asked], 10)
        weights = np.array(parameters["weights"])
        best = [(best_score(answer, weights), is_right(answer["answers"][0], topic, kind))
                for answer, (_, topic, kind) in zip(answers, asked) if answer["answers"]]
        own = sorted(score for score, _ in best)[int(len(best) * REFUSED)]
        # Questions of other topics have no right answer.
        for answer in program.ask(parameters, training["offTopic"] * 4, 10):
            if answer["answers"]:
                best.append((best_score(answer, weights), False))
        scores, right = np.array([score for score, _ in best]), np.array([is_right for _, is_right in best], float)
        parameters["confidence"] = [round(float(value), 4) for value in logistic(scores, right)]
        slope, offset = parameters["confidence"]
        lowest = round(1 / (1 + math.exp(-(slope * own + offset))), 3)
        print("for the confidence:", measure(answers, asked))
        held_out = json.loads(pathlib.Path(options.held_out).read_text())
        asked = questions(corpus, MEASUREMENT, held_out["templates"], 1000, 3)
        answers = program.ask(parameters, [text for text, _, _ in asked], 10)
        print("held out, ranked:  ", measure(answers, asked))
        plain = {**parameters, "weights": [1.0] + [0.0] * 11}
        print("held out, BM25:    ", measure(program.ask(plain, [text for text, _, _ in asked], 10), asked))
        bins = collections.defaultdict(list)
        for answer, (_, topic, kind) in zip(answers, asked):
            if answer["answers"]:
                confidence = answer["answers"][0]["confidence"]
                bins[min(int(confidence * 10), 9)].append((confidence, is_right(answer["answers"][0], topic, kind)))
        error = sum(abs(sum(c for c, _ in rows) - sum(r for _, r in rows)) for rows in bins.values()) / sum(map(len, bins.values()))
        print(f"calibration error {error:.3f}")
        parameters["confidenceMin"] = lowest
        refused = program.ask(parameters, held_out["offTopic"], 1), program.ask(parameters, [text for text, _, _ in asked], 1)
        refused = [[not answer["answers"] for answer in one] for one in refused]
        print(f"no answer below {lowest}: {sum(refused[0])} of {len(refused[0])} questions of other topics, {sum(refused[1])} of {len(refused[1])} of the corpus")
        missed = collections.Counter()
        for answer, (text, topic, kind) in zip(answers, asked):
            one = answer["answers"][0] if answer["answers"] else None
            if not one or not is_right(one, topic, kind):
                missed["topic" if not one or one["focus"].lower() != topic else f"{kind} as {one['kind']}"] += 1
        print("missed:", missed.most_common(12))
    pathlib.Path(options.parameters).write_text(json.dumps(parameters, sort_keys=True, separators=(",", ":")) + "\n")


if __name__ == "__main__":
    main()
