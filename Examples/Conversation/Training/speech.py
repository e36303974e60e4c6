"""Makes the language model and the dictionary with which pocketsphinx recognises spoken questions on a corpus.

    python3 Examples/Conversation/Training/speech.py CORPUS.jsonl[.gz] DIRECTORY [--templates TEMPLATES.json]

Needs the Debian packages pocketsphinx-en-us, sphinxbase-utils and espeak-ng. Writes DIRECTORY/corpus.lm.bin, a model of
trigrams, and DIRECTORY/corpus.dict, the pronunciations of its words. The model counts the words of three sources: the
topics of the corpus in the forms of question of TEMPLATES.json (by default `questions.json`), the questions of
the corpus, and its answers. The same corpus and templates always make the same files."""

import argparse
import collections
import functools
import gzip
import json
import math
import pathlib
import re
import subprocess
import tempfile
import unicodedata

FOLDER = pathlib.Path(__file__).resolve().parent
ACOUSTIC_DICTIONARY = pathlib.Path("/usr/share/pocketsphinx/model/en-us/cmudict-en-us.dict")
# How often each topic, each question of the corpus and each word sequence of the answers counts.
TOPIC_WEIGHT, SYNONYM_WEIGHT, QUESTION_WEIGHT, ANSWER_WEIGHT = 20.0, 10.0, 1.0, 0.01
# The part of a topic's weight that goes to the forms of all kinds alike; the rest follows the kinds of the corpus.
EVEN_PART = 0.4
# A synonym is put into every fourth form only, to keep the model small.
SYNONYM_FORMS_STEP = 4
# A word of the answers is known from this many answers on; a sequence of n words counts from this many times on.
ANSWERS_PER_WORD_MIN, SEQUENCE_COUNT_MIN = 5, {1: 1, 2: 2, 3: 3}
ANSWER_WORDS_MAX, NAME_WORDS_MAX = 6_000, 12
# Forms of question of no kind.
PLAIN_FORMS = [
    "{f}", "what is {f}", "what are {f}", "what about {f}", "i have {f}", "do i have {f}",
    "i have a question about {f}", "my mother has {f}", "my father has {f}", "my child has {f}", "my wife has {f}",
    "my husband has {f}", "my doctor says i have {f}", "i was diagnosed with {f}", "my son was diagnosed with {f}",
    "my daughter was diagnosed with {f}", "please tell me about {f}", "can you tell me about {f}",
    "could you explain {f} to me", "help me understand {f}", "should i worry about {f}", "is {f} dangerous",
    "is {f} contagious", "how does {f} start", "how serious is {f}", "who should i see about {f}",
    "what should i do about {f}", "what can i do about {f}", "what can i eat with {f}", "how do people live with {f}",
    "where can i find help for {f}"]
BEGIN, END = "<s>", "</s>"


# ---- Words

UNITS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
         "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
ROMAN = {"II": 2, "III": 3, "IV": 4, "VI": 6, "VII": 7, "VIII": 8, "IX": 9, "XI": 11, "XII": 12}


def number_words(digits):
    """The words of a number below a million; of a longer one, those of its digits."""
    if len(digits) > 6:
        return [UNITS[int(digit)] for digit in digits]
    value = int(digits)
    if value < 20:
        return [UNITS[value]]
    if value < 100:
        return [TENS[value // 10]] + (number_words(str(value % 10)) if value % 10 else [])
    size, name = (100, "hundred") if value < 1000 else (1000, "thousand")
    return number_words(str(value // size)) + [name] + (number_words(str(value % size)) if value % size else [])


def spelled(word):
    """The letters and the words of the numbers of a word such as "b12" or "dna"."""
    pieces = re.findall(r"[0-9]+|[^0-9]", word)
    return [part for piece in pieces for part in (number_words(piece) if piece.isdigit() else [piece])]


def spoken(text):
    """The words of a text in their case, without what is in brackets. Numbers become words, but "H1N1" stays."""
    text = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", text.replace("’", "'"))
    text = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    text = re.sub(r"(?<=[0-9]),(?=[0-9]{3})", "", text)
    found = []
    for word in re.findall(r"[A-Za-z0-9]+(?:'[A-Za-z]+)*", text):
        if word.isdigit() or word in ROMAN:
            found += number_words(str(ROMAN.get(word, word)))
        else:
            found.append(word)
    return found


def words(text):
    return [word.lower() for word in spoken(text)]


def names_of(pair):
    """The topic of a pair and its synonyms as lists of words, and those in brackets."""
    given = [(pair["focus"], TOPIC_WEIGHT)] + [(synonym, SYNONYM_WEIGHT) for synonym in pair["synonyms"]]
    for name, weight in given:
        for one in [name, *re.findall(r"\(([^()]*)\)", name)]:
            found = tuple(words(one))
            if 0 < len(found) <= NAME_WORDS_MAX:
                yield found, weight if one is name else SYNONYM_WEIGHT


# ---- Sentences

def forms_with_weights(templates, corpus):
    """The forms of question as (words before the topic, words after it, weight); the weights add up to one."""
    kinds = collections.Counter(pair["kind"] for pair in corpus)
    groups = {kind: texts for kind, texts in templates.items() if texts}
    groups["information"] = groups.get("information", []) + PLAIN_FORMS
    weights = collections.Counter()
    total = sum(kinds[kind] for kind in groups)
    for kind, texts in groups.items():
        share = EVEN_PART / len(groups) + (1 - EVEN_PART) * (kinds[kind] / total if total else 1 / len(groups))
        for text in texts:
            before, _, after = text.partition("{f}")
            weights[tuple(words(before)), tuple(words(after))] += share / len(texts)
    return [(before, after, weight / sum(weights.values())) for (before, after), weight in sorted(weights.items())]


def question_sentences(corpus, templates):
    """The sentences of the topics and of the questions as (words, weight)."""
    names = {}
    for pair in corpus:
        for name, weight in names_of(pair):
            names[name] = max(weight, names.get(name, 0))
    forms = forms_with_weights(templates, corpus)
    for number, (name, weight) in enumerate(sorted(names.items())):
        step = 1 if weight == TOPIC_WEIGHT else SYNONYM_FORMS_STEP
        chosen = forms[number % step::step]
        total = sum(share for _, _, share in chosen)
        for before, after, share in chosen:
            yield before + name + after, weight * share / total
    for pair in corpus:
        yield tuple(words(pair["question"])), QUESTION_WEIGHT


def add_sequences(counts, sentence, weight):
    """Adds the sequences of up to three words of a sentence. Its beginning is only a history."""
    line = (BEGIN, *sentence, END)
    for place in range(1, len(line)):
        for length in range(1, min(3, place + 1) + 1):
            counts[length][line[place + 1 - length:place + 1]] += weight


def add_answers(counts, corpus, known):
    """Adds the sequences of the answers, whose frequent words become known."""
    sentences, answers_per_word = [], collections.Counter()
    for text in sorted({pair["answer"] for pair in corpus}):
        found = [words(sentence) for sentence in re.split(r"[.?!:;\n]+\s", text)]
        answers_per_word.update({word for sentence in found for word in sentence})
        sentences += found
    frequent = [word for word, count in answers_per_word.items()
                if count >= ANSWERS_PER_WORD_MIN and word in acoustic_dictionary()]
    known |= set(sorted(frequent, key=lambda word: (-answers_per_word[word], word))[:ANSWER_WORDS_MAX])
    found = {length: collections.Counter() for length in counts}
    for sentence in sentences:
        # A word that is not known divides the sentence.
        line = [word if word in known else None for word in sentence]
        for length in counts:
            found[length].update(zip(*(line[start:] for start in range(length))))
    for length, sequences in found.items():
        for sequence, count in sequences.items():
            if count >= SEQUENCE_COUNT_MIN[length] and None not in sequence:
                counts[length][sequence] += count * ANSWER_WEIGHT


# ---- The language model

def escape(count):
    """What one continuation of a history adds to the weight of the continuations not seen."""
    return min(count, 1.0)


def smoothed(counts, known):
    """The probabilities and the weights of the back-off, by length of the sequence.

    Witten-Bell smoothing, interpolated: P(w|h) = (c(hw) + E(h) P(w|h')) / (c(h) + E(h)), where E(h), the number of the
    continuations of h, counts those of a weight below one as their weight. The back-off weight of h is
    E(h) / (c(h) + E(h)), so that the probabilities of all words after h add up to one."""
    vocabulary = sorted(known | {END})
    total, rest = sum(counts[1].values()), sum(map(escape, counts[1].values()))
    probabilities = {1: {(word,): (counts[1][word,] + rest / len(vocabulary)) / (total + rest) for word in vocabulary}}
    backoffs = {}
    for length in (2, 3):
        totals, rests = collections.defaultdict(float), collections.defaultdict(float)
        for sequence, count in counts[length].items():
            totals[sequence[:-1]] += count
            rests[sequence[:-1]] += escape(count)
        lower, found = probabilities[length - 1], {}
        for sequence, count in counts[length].items():
            history = sequence[:-1]
            found[sequence] = (count + rests[history] * lower[sequence[1:]]) / (totals[history] + rests[history])
        probabilities[length] = found
        backoffs[length - 1] = {history: rests[history] / (totals[history] + rests[history]) for history in totals}
    return probabilities, backoffs


def write_arpa(path, probabilities, backoffs):
    def logarithms(values):
        return {length: {" ".join(sequence): math.log10(value) for sequence, value in found.items()}
                for length, found in values.items()}

    rows, weights = logarithms(probabilities), logarithms(backoffs)
    # The beginning of a sentence has no probability, only a weight of the back-off.
    rows[1][BEGIN] = -99.0
    with open(path, "w") as file:
        file.write("\\data\\\n" + "".join(f"ngram {length}={len(found)}\n" for length, found in rows.items()))
        for length, found in rows.items():
            file.write(f"\n\\{length}-grams:\n")
            for text, value in sorted(found.items()):
                weight = f" {weights[length].get(text, 0.0):.4f}" if length < 3 else ""
                file.write(f"{value:.4f} {text}{weight}\n")
        file.write("\n\\end\\\n")


# ---- Pronunciations

# The phones of the acoustic model for espeak-ng's IPA, long ones first.
PHONES = {
    "aɪɚ": "AY ER", "aɪə": "AY AH", "aʊɚ": "AW ER", "dʒ": "JH", "tʃ": "CH", "aɪ": "AY", "aʊ": "AW", "eɪ": "EY",
    "oʊ": "OW", "əʊ": "OW", "ɔɪ": "OY", "ɪə": "IH AH", "iə": "IY AH", "ɑː": "AA", "ɔː": "AO", "oː": "AO", "ɜː": "ER",
    "iː": "IY", "uː": "UW", "əl": "AH L", "n̩": "AH N", "m̩": "AH M", "l̩": "AH L", "a": "AA", "ɑ": "AA", "ɒ": "AA",
    "æ": "AE", "ʌ": "AH", "ə": "AH", "ɐ": "AH", "ɔ": "AO", "o": "OW", "ɚ": "ER", "ɜ": "ER", "ɛ": "EH", "e": "EH",
    "ɪ": "IH", "ᵻ": "IH", "i": "IY", "ʊ": "UH", "u": "UW", "b": "B", "d": "D", "f": "F", "ɡ": "G", "h": "HH", "j": "Y",
    "k": "K", "x": "K", "l": "L", "m": "M", "n": "N", "ŋ": "NG", "p": "P", "ɹ": "R", "r": "R", "s": "S", "ʃ": "SH",
    "t": "T", "ɾ": "T", "ʔ": "T", "θ": "TH", "ð": "DH", "v": "V", "w": "W", "z": "Z", "ʒ": "ZH"}
LONG_FIRST = re.compile("|".join(sorted(map(re.escape, PHONES), key=len, reverse=True)))


@functools.cache
def acoustic_dictionary():
    """The pronunciations of the dictionary of the acoustic model, by word."""
    found = collections.defaultdict(list)
    for line in ACOUSTIC_DICTIONARY.read_text().splitlines():
        word, _, phones = line.partition(" ")
        found[re.sub(r"\([0-9]+\)$", "", word)].append(phones.strip())
    return dict(found)


def phones_of_ipa(text):
    sounds = [sound for piece in text.split("_") for sound in LONG_FIRST.findall(piece)]
    phones = [phone for sound in sounds for phone in PHONES[sound].split()]
    # The model has no long consonants, and no R after ER.
    return " ".join(phone for place, phone in enumerate(phones)
                    if place == 0 or phone != phones[place - 1] and (phone, phones[place - 1]) != ("R", "ER"))


def pronounced_by_espeak(unknown):
    """The pronunciations that espeak-ng finds, one for each word."""
    if not unknown:
        return {}
    # Each line of a file is spoken for itself.
    run = subprocess.run(["espeak-ng", "-q", "-v", "en-us", "--ipa", "--sep=_", "-f", "/dev/stdin"],
                         input="\n".join(unknown) + "\n", capture_output=True, text=True, check=True)
    lines = run.stdout.splitlines()
    if len(lines) != len(unknown):
        raise SystemExit(f"espeak-ng has {len(lines)} pronunciations of {len(unknown)} words.")
    return {word: phones_of_ipa(line) for word, line in zip(unknown, lines)}


def spelled_pronunciation(word):
    known = acoustic_dictionary()
    # "a" is AH in a sentence; its second pronunciation is that of the letter.
    return " ".join(known[part][-1 if part == "a" else 0] for part in spelled(word))


def abbreviations_of(corpus):
    """The words of two to five letters that the corpus mostly writes in capitals, such as "COPD"."""
    counts = collections.Counter()
    for pair in corpus:
        for text in [pair["focus"], *pair["synonyms"], pair["answer"]]:
            counts.update(re.findall(r"\b[A-Za-z]{2,5}\b", text))
    capitals = [word for word in counts if word.isupper() and word not in ROMAN]
    return {word.lower() for word in capitals if counts[word] > counts[word.lower()] + counts[word.capitalize()]}


def pronunciations(known, abbreviations):
    """The pronunciations of the words, and the number of words that are not in the dictionary of the acoustic model."""
    listed = acoustic_dictionary()
    unknown = sorted(word for word in known if word not in listed)
    by_espeak = pronounced_by_espeak([word for word in unknown if not re.search("[0-9]", word)])
    found = {}
    for word in sorted(known):
        ways = list(listed.get(word, []))
        if word in by_espeak:
            ways.append(by_espeak[word])
        if word not in listed and re.search("[0-9]", word) or word in abbreviations:
            ways.insert(0, spelled_pronunciation(word))
        found[word] = list(dict.fromkeys(way for way in ways if way))
    missing = [word for word, ways in found.items() if not ways]
    if missing:
        raise SystemExit(f"No pronunciation of {' '.join(missing)}.")
    return found, len(by_espeak)


def write_dictionary(path, found):
    with open(path, "w") as file:
        for word, ways in found.items():
            for number, phones in enumerate(ways, 1):
                file.write(f"{word}{f'({number})' if number > 1 else ''} {phones}\n")


# ---- The program

def read_corpus(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        return [json.loads(line) for line in file]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("directory", type=pathlib.Path)
    parser.add_argument("--templates", type=pathlib.Path, default=FOLDER / "questions.json")
    options = parser.parse_args()
    try:
        corpus = read_corpus(options.corpus)
    except (OSError, ValueError, KeyError) as error:
        raise SystemExit(f"{options.corpus} cannot be read as JSON Lines with question and answer: {error}") from None
    templates = json.loads(options.templates.read_text())["templates"]
    counts = {length: collections.Counter() for length in (1, 2, 3)}
    sentences = 0
    for sentence, weight in question_sentences(corpus, templates):
        add_sequences(counts, sentence, weight)
        sentences += 1
    known = {word for word, in counts[1]} - {END}
    of_questions = len(known)
    add_answers(counts, corpus, known)
    probabilities, backoffs = smoothed(counts, known)
    found, by_espeak = pronunciations(known, abbreviations_of(corpus))
    options.directory.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        write_arpa(f"{folder}/corpus.arpa", probabilities, backoffs)
        run = subprocess.run(
            ["sphinx_lm_convert", "-i", f"{folder}/corpus.arpa", "-o", str(options.directory / "corpus.lm.bin")],
            capture_output=True, text=True)
        if run.returncode:
            raise SystemExit(f"sphinx_lm_convert failed: {run.stderr}")
    write_dictionary(options.directory / "corpus.dict", found)
    print(f"{sentences} sentences, {len(known)} words, {of_questions} of them in questions, the others in answers")
    print("sequences of one, two and three words:", *(len(one) for one in probabilities.values()))
    print(f"{by_espeak} words pronounced by espeak-ng, the others by the model's dictionary or by letters")


if __name__ == "__main__":
    main()
