"""The word error rate of pocketsphinx on spoken questions, with its general language model and with that of a corpus.

    python3 Benchmarks/recognition.py CORPUS.jsonl[.gz] SPEECH_DIRECTORY [--questions N] [--seed S]

SPEECH_DIRECTORY is made by `Examples/Conversation/Training/speech.py`. Needs the Debian packages espeak-ng, pocketsphinx and
pocketsphinx-en-us. The speech is synthetic: five voices of espeak-ng speak each question. `--voices
flite:slt,flite:rms,flite:awb` takes voices of flite (Debian package flite), which are made from recordings of people.
White noise, and a babble of other spoken questions, are added at three ratios of signal to noise. There is one table
for the questions of the corpus, which the language model was made from, and one for the forms of
`Examples/Conversation/Training/held-out.json` with topics of the corpus, which it was not."""

import argparse
import array
import collections
import concurrent.futures
import json
import math
import operator
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile
import wave

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "Examples/Conversation/Training"))
from speech import read_corpus, spelled, spoken, words  # noqa: E402

MODEL = pathlib.Path("/usr/share/pocketsphinx/model/en-us")
VOICES = ["en-us", "en-gb", "en-us+f3", "en-us+m3", "en-gb-scotland"]
# Wider beams cost little with a small vocabulary; the lower -wip means fewer words heard in noise.
FLAGS = "-wip 0.1 -beam 1e-60 -pbeam 1e-60 -wbeam 1e-40"
RATE = 16_000
RATIOS_DB = [20, 10, 5]
# Clean speech has the noise of a quiet room: pure silence is not in the speech that the acoustic model was made from.
CONDITIONS = [("clean", None)] + [(noise, ratio) for noise in ("white", "babble") for ratio in RATIOS_DB]
CLEAN_DB = 50
NOISE_SECONDS, PAUSE_SECONDS, BABBLE_SPEAKERS, BABBLE_QUESTIONS = 30, 0.4, 6, 18


# ---- Questions

def chosen_pairs(corpus, kinds, count, seed):
    """Pairs of distinct topics, in random order: those to measure, and those of the babble."""
    by_topic = collections.defaultdict(list)
    for pair in corpus:
        if pair["kind"] in kinds:
            by_topic[pair["focus"].lower()].append(pair)
    generator = random.Random(seed)
    topics = generator.sample(sorted(by_topic), min(count + BABBLE_QUESTIONS, len(by_topic)))
    pairs = [generator.choice(by_topic[topic]) for topic in topics]
    return pairs[:-BABBLE_QUESTIONS], pairs[-BABBLE_QUESTIONS:]


def paraphrase(pair, forms, seed):
    return random.Random(f"{seed} {pair['id']}").choice(forms[pair["kind"]]).replace("{f}", pair["focus"])


def topic_words(pair, stop_words):
    found = {part for word in words(pair["focus"]) for part in scored(word)}
    return found - stop_words or found


# ---- Sound

def kernels(rate, taps=24):
    """The low-pass filters of each phase of a change of the sampling rate, with a Hann window."""
    up, down = RATE // math.gcd(RATE, rate), rate // math.gcd(RATE, rate)
    cut, found = min(1, RATE / rate) * 0.95, []
    for phase in range(up):
        centre = taps / 2 - 1 + phase / up
        row = []
        for tap in range(taps):
            x = tap - centre
            sinc = cut if abs(x) < 1e-9 else math.sin(math.pi * cut * x) / (math.pi * x)
            row.append(sinc * (0.5 + 0.5 * math.cos(math.pi * x / (taps / 2))) if abs(x) < taps / 2 else 0.0)
        found.append([value / sum(row) for value in row])
    return up, down, taps, found


KERNELS = {}


def resampled(samples, rate):
    if rate == RATE:
        return list(samples)
    if rate not in KERNELS:
        KERNELS[rate] = kernels(rate)
    up, down, taps, rows = KERNELS[rate]
    line = [0] * (taps // 2 - 1) + list(samples) + [0] * taps
    places = ((number * down // up, number * down % up) for number in range(len(samples) * up // down))
    return [sum(map(operator.mul, rows[phase], line[start:start + taps])) for start, phase in places]


def speech(text, voice, folder):
    """The samples of a spoken text, 16 bit at 16 kHz, without a pause."""
    path, line = f"{folder}/voice.wav", " ".join(spoken(text)) + "?"
    program, _, name = voice.rpartition(":")
    flite = ["flite", "-voice", name, "-t", line, "-o", path]
    subprocess.run(flite if program == "flite" else ["espeak-ng", "-v", voice, "-w", path, line], check=True)
    with wave.open(path) as file:
        samples, rate = array.array("h", file.readframes(file.getnframes())), file.getframerate()
    return resampled(samples, rate)


def level(samples):
    return math.sqrt(sum(map(operator.mul, samples, samples)) / len(samples))


def white_noise(seed):
    generator = random.Random(seed)
    return [generator.gauss(0, 1000) for _ in range(NOISE_SECONDS * RATE)]


def babble(spoken_questions):
    """The sum of several speakers, each of whom speaks some of the questions again and again."""
    total = [0.0] * (NOISE_SECONDS * RATE)
    for speaker in range(BABBLE_SPEAKERS):
        line = [sample for question in spoken_questions[speaker::BABBLE_SPEAKERS] for sample in question]
        scale = 1000 / level(line)
        line = (line * (len(total) // len(line) + 1))[:len(total)]
        total = [one + other * scale for one, other in zip(total, line)]
    return total


def mixed(samples, noise, ratio, generator):
    """Speech with pauses around it and noise under all of it, as bytes. The ratio of their levels is in decibels."""
    pause = [0.0] * int(PAUSE_SECONDS * RATE)
    line = pause + samples + pause
    start = generator.randrange(len(noise) - len(line))
    part = noise[start:start + len(line)]
    scale = level(samples) / level(part) / 10 ** (ratio / 20)
    line = [one + other * scale for one, other in zip(line, part)]
    # Loud sums are made quieter, not cut.
    scale = min(1, 32_000 / max(map(abs, line)))
    return array.array("h", [int(sample * scale) for sample in line]).tobytes()


# ---- Recognition

def recognize(folder, names, model, flags):
    """What pocketsphinx heard, by name, and its time as a part of the time of the speech."""
    language, dictionary = model
    with tempfile.TemporaryDirectory() as output:
        pathlib.Path(f"{output}/names").write_text("\n".join(names) + "\n")
        subprocess.run(
            ["nice", "pocketsphinx_batch", "-hmm", str(MODEL / "en-us"), "-lm", str(language), "-dict", str(dictionary),
             "-adcin", "yes", "-cepdir", str(folder), "-cepext", ".raw", "-ctl", f"{output}/names",
             "-hyp", f"{output}/heard", "-logfn", f"{output}/log", *flags], check=True, stdout=subprocess.DEVNULL)
        log = pathlib.Path(f"{output}/log").read_text(errors="replace")
        time = float(re.findall(r"AVERAGE ([0-9.]+) xRT \(CPU\)", log)[-1])
        heard = {}
        for line in pathlib.Path(f"{output}/heard").read_text().splitlines():
            text, name = re.fullmatch(r"(.*?)\s*\((\S+) \S+\)", line).groups()
            heard[name] = text
    return heard, time


def scored(text):
    """The words that are compared: "h1n1" and "h one n one" are the same."""
    return [part for word in text.split() for part in (spelled(word) if re.search("[0-9]", word) else [word])]


def errors(right, heard):
    """The least number of words to replace, leave out and add."""
    row = list(range(len(heard) + 1))
    for number, word in enumerate(right, 1):
        before, row = row, [number]
        for place, other in enumerate(heard, 1):
            row.append(min(before[place] + 1, row[-1] + 1, before[place - 1] + (word != other)))
    return row[-1]


def measure(heard, asked):
    """The word error rate and the part of the questions whose topic was heard."""
    wrong = total = topics = 0
    for name, (right, topic) in asked.items():
        found = scored(heard.get(name, ""))
        wrong += errors(right, found)
        total += len(right)
        topics += topic <= set(found)
    return wrong / total, topics / len(asked)


# ---- The program

def write_speech(texts, voices, noises, seed, folder):
    """Writes the sound of each text, voice and condition. Returns the number of the text by the name of the file."""
    generator, names = random.Random(seed), {}
    for condition in CONDITIONS:
        (folder / folder_of(condition)).mkdir(parents=True)
    for number, text in enumerate(texts):
        for place, voice in enumerate(voices):
            name, samples = f"{number:03}-{place}", speech(text, voice, folder)
            names[name] = number
            for condition in CONDITIONS:
                noise, ratio = condition
                sound = mixed(samples, noises.get(noise, noises["white"]), ratio or CLEAN_DB, generator)
                (folder / folder_of(condition) / f"{name}.raw").write_bytes(sound)
    return names


def folder_of(condition):
    return "-".join(map(str, condition))


def print_tables(folder, voices, asked, models, jobs):
    conditions = [(condition, name) for condition in CONDITIONS for name in models]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        results = dict(zip(conditions, pool.map(
            lambda one: recognize(folder / folder_of(one[0]), sorted(asked), *models[one[1]]), conditions)))
    columns = [f"{what}, {name}" for what in ("WER", "topic heard", "time / speech") for name in models]
    print(f"| noise | {' | '.join(columns)} |")
    print("|---" * (1 + 3 * len(models)) + "|")
    for condition in CONDITIONS:
        found = [(*measure(results[condition, name][0], asked), results[condition, name][1]) for name in models]
        rates, topics, times = zip(*found)
        cells = [f"{part:.1%}" for part in rates + topics] + [f"{time:.2f}" for time in times]
        print(f"| {condition[0]}{f' {condition[1]} dB' if condition[1] else ''} | " + " | ".join(cells) + " |")
    print("\nWER of clean speech by voice:\n")
    print("| voice | " + " | ".join(models) + " |")
    print("|---" * (1 + len(models)) + "|")
    for place, voice in enumerate(voices):
        own = {name: one for name, one in asked.items() if name.endswith(f"-{place}")}
        rates = [measure(results[CONDITIONS[0], name][0], own)[0] for name in models]
        print(f"| {voice} | " + " | ".join(f"{rate:.1%}" for rate in rates) + " |")
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("corpus")
    parser.add_argument("speech", type=pathlib.Path)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--voices", default=",".join(VOICES), help="of espeak-ng, or flite:NAME, divided by commas")
    parser.add_argument("--paraphrases", type=pathlib.Path, default=ROOT / "Examples/Conversation/Training/held-out.json")
    parser.add_argument("--flags", default=FLAGS, help="of pocketsphinx for the corpus: --flags='-wip 0.1'")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    corpus, voices = read_corpus(options.corpus), options.voices.split(",")
    forms = json.loads(options.paraphrases.read_text())["templates"]
    stop_words = set(json.loads((ROOT / "Examples/Conversation/Training/questions.json").read_text())["stopWords"].split())
    pairs, others = chosen_pairs(corpus, forms, options.questions, options.seed)
    own = options.speech / "corpus.lm.bin", options.speech / "corpus.dict"
    models = {"general": ((MODEL / "en-us.lm.bin", MODEL / "cmudict-en-us.dict"), []),
              "corpus": (own, shlex.split(options.flags))}
    print(f"Recognition of {len(pairs)} questions, each by {len(voices)} synthetic voices ({', '.join(voices)})\n",
          flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(temporary)
        spoken_questions = [speech(pair["question"], voices[number % len(voices)], folder)
                            for number, pair in enumerate(others)]
        noises = {"white": white_noise(options.seed), "babble": babble(spoken_questions)}
        for title, texts in [("Questions of the corpus", [pair["question"] for pair in pairs]),
                             ("Paraphrases", [paraphrase(pair, forms, options.seed) for pair in pairs])]:
            names = write_speech(texts, voices, noises, options.seed, folder / title.split()[0])
            asked = {name: (scored(" ".join(words(texts[number]))), topic_words(pairs[number], stop_words))
                     for name, number in names.items()}
            print(f"{title}:\n")
            print_tables(folder / title.split()[0], voices, asked, models, options.jobs)


if __name__ == "__main__":
    main()
