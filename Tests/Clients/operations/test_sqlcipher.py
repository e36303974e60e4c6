"""Encrypted files and SQLCipher: each reads the other's files, whatever the other was doing when it was killed."""

import hashlib
import hmac
import itertools
import os
import pathlib
import random
import subprocess
import sys
import time

import pytest
import sqlcipher3
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from conftest import CLIENTS, GODWIT
from sqlcipher import connect

DRIVER = str(pathlib.Path(GODWIT).with_name("TestDriver"))
SQLCIPHER = CLIENTS / "sqlcipher.py"
KEY = "key:" + "0123456789abcdef" * 4
OTHER_KEY = "key:" + "fedcba9876543210" * 4
PASSPHRASE = "passphrase:correct horse"
SECRETS = pytest.mark.parametrize("secret", [KEY, PASSPHRASE], ids=["key", "passphrase"])
ENGINES = ["godwit", "sqlcipher"]
# The documents of `TestDriver cipher fill`: sixty, and the design documents of two indexes.
DOCUMENTS = "62"
PAIRS = pytest.mark.parametrize("writer, reader", [ENGINES, ENGINES[::-1]])

# The duration of the rounds of kills, in seconds.
SECONDS = 150 if "GODWIT_LONG" in os.environ else 15


class Side:
    """One engine with a file open, in a separate process."""

    def __init__(self, engine, path, secret=KEY, page_bytes=4096):
        command = [DRIVER, "cipher", "sql"] if engine == "godwit" else [sys.executable, str(SQLCIPHER)]
        self.process = subprocess.Popen(
            [*command, str(path), secret, str(page_bytes)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def send(self, *lines):
        """Sends statements without waiting for them."""
        self.process.stdin.write("".join(line + "\n" for line in lines))
        self.process.stdin.flush()

    def run(self, *lines):
        """Runs statements; returns the rows of the last one."""
        self.send(*lines)
        rows = []
        for _ in lines:
            rows = []
            while (answer := self.process.stdout.readline()) != "done\n":
                assert answer and not answer.startswith("error "), f"{lines}: {answer}"
                rows.append(answer.rstrip("\n"))
        return rows

    def kill(self):
        """Ends it at once; returns the number of sent statements that were done."""
        self.process.kill()
        output, _ = self.process.communicate()
        assert "error " not in output, output
        return output.splitlines().count("done")

    def close(self):
        self.process.communicate()
        assert self.process.returncode == 0


def driver(*arguments):
    run = subprocess.run([DRIVER, "cipher", *map(str, arguments)], capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout.splitlines()


def assert_whole(path, secret=KEY, page_bytes=4096):
    """Checks by SQLCipher that each page of a file is authentic, and that they are a valid database."""
    connection = connect(path, secret, page_bytes)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA cipher_integrity_check").fetchall() == []
    connection.close()


def store_file(directory):
    [file] = directory.glob("??/*.godwit")
    return file


# MARK: Stores


@SECRETS
def test_sqlcipher_reads_a_store(tmp_path, secret):
    driver("fill", tmp_path, secret)
    file = store_file(tmp_path)
    assert_whole(file, secret)
    connection = connect(file, secret)
    ids = {row[0] for row in connection.execute("SELECT id FROM documents")}
    connection.close()
    assert {f"d{number}" for number in range(60)} <= ids


@SECRETS
def test_a_store_is_whole_after_sqlcipher_wrote_every_page_anew(tmp_path, secret):
    driver("fill", tmp_path, secret)
    connection = connect(store_file(tmp_path), secret)
    connection.execute("CREATE TABLE theirs(x)")
    connection.execute("INSERT INTO theirs VALUES ('of sqlcipher')")
    connection.execute("UPDATE documents SET id = id")
    connection.execute("VACUUM")
    connection.close()
    assert driver("check", tmp_path, secret) == [DOCUMENTS]
    with Side("godwit", store_file(tmp_path), secret) as side:
        assert side.run("SELECT x FROM theirs") == ["of sqlcipher"]


@pytest.mark.parametrize(
    "old, new", [(KEY, OTHER_KEY), (KEY, PASSPHRASE), (PASSPHRASE, KEY), ("none", KEY)],
    ids=["key-key", "key-passphrase", "passphrase-key", "none-key"])
def test_the_new_key_opens_and_the_old_one_does_not(tmp_path, old, new):
    driver("fill", tmp_path, old)
    driver("rekey", tmp_path, old, new)
    assert_whole(store_file(tmp_path), new)
    assert driver("check", tmp_path, new) == [DOCUMENTS]
    assert driver("check", tmp_path, old) == ["encrypted" if old == "none" else "wrongKey"]
    if old != "none":
        with pytest.raises(sqlcipher3.DatabaseError, match="not a database"):
            connect(store_file(tmp_path), old).execute("SELECT count(*) FROM sqlite_schema")


def test_a_decrypted_store_is_a_plain_database(tmp_path):
    driver("fill", tmp_path, KEY)
    driver("rekey", tmp_path, KEY, "none")
    assert driver("check", tmp_path, "none") == [DOCUMENTS]
    assert store_file(tmp_path).read_bytes().startswith(b"SQLite format 3\0")


# MARK: Pages


def open_page(page, number, key, salt):
    """Decrypts a page by the description of the format only."""
    code_key = hashlib.pbkdf2_hmac("sha512", key, bytes(byte ^ 0x3A for byte in salt), 2, 32)
    start = 16 if number == 1 else 0
    ciphertext, vector, code = page[start:-80], page[-80:-64], page[-64:]
    assert code == hmac.digest(code_key, ciphertext + vector + number.to_bytes(4, "little"), "sha512")
    decryptor = Cipher(algorithms.AES(key), modes.CBC(vector)).decryptor()
    return (b"SQLite format 3\0" if number == 1 else b"") + decryptor.update(ciphertext) + decryptor.finalize() + bytes(80)


@SECRETS
def test_pages_are_as_the_format_says(tmp_path, secret):
    driver("fill", tmp_path, secret)
    sealed = store_file(tmp_path).read_bytes()
    kind, value = secret.split(":")
    salt = sealed[:16]
    key = bytes.fromhex(value) if kind == "key" else hashlib.pbkdf2_hmac("sha512", value.encode(), salt, 256_000, 32)
    plain = b"".join(
        open_page(sealed[offset:offset + 4096], offset // 4096 + 1, key, salt) for offset in range(0, len(sealed), 4096))
    assert len(plain) > 20 * 4096
    (tmp_path / "plain").write_bytes(plain)
    connection = sqlcipher3.connect(tmp_path / "plain")
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("SELECT count(*) FROM documents WHERE id LIKE 'd%'").fetchone() == (60,)
    vectors = [sealed[offset - 80:offset - 64] for offset in range(4096, len(sealed) + 1, 4096)]
    assert len(set(vectors)) == len(vectors)


@SECRETS
def test_larger_pages_of_sqlcipher_are_read(tmp_path, secret):
    path = tmp_path / "large"
    connection = connect(path, secret, 8192)
    connection.execute("CREATE TABLE t(x)")
    connection.execute(
        "WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 900) INSERT INTO t SELECT hex(randomblob(i)) FROM n")
    expected = [str(row[0]) for row in connection.execute("SELECT x FROM t")]
    connection.close()
    before = path.read_bytes()
    with Side("godwit", path, secret, 8192) as side:
        assert side.run("PRAGMA integrity_check") == ["ok"]
        assert side.run("SELECT x FROM t") == expected
        side.close()
    assert path.read_bytes() == before


# MARK: State at a kill
#
# Each transaction sets the turn of every row to its own number and leaves the sum of the amounts zero. A page that is
# older, or newer, than the others shows in both, independent of SQLite's own check of the file.

ROWS = 300


def begin(side, journal_mode):
    side.run(
        f"PRAGMA journal_mode = {journal_mode}",
        "CREATE TABLE rows(id INTEGER PRIMARY KEY, turn, amount, pad)",
        "CREATE INDEX amounts ON rows(amount)",
        f"WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < {ROWS}) "
        f"INSERT INTO rows SELECT i, 0, i * 2 - {ROWS} - 1, randomblob(400) FROM n")


def turn(number, *, ends="COMMIT"):
    """The statements of a transaction, with changes that a rollback to a savepoint undoes in between."""
    return [
        "BEGIN IMMEDIATE",
        f"UPDATE rows SET turn = {number}, amount = -amount, pad = randomblob(200 + abs(random()) % 400)",
        "SAVEPOINT s",
        f"UPDATE rows SET turn = -1, amount = 7, pad = randomblob(500) WHERE id % 3 = {number % 3}",
        f"DELETE FROM rows WHERE id % 5 = {number % 5}",
        "ROLLBACK TO s",
        f"UPDATE rows SET amount = amount + iif(id % 2, {number}, -{number})",
        "RELEASE s",
        *([ends] if ends else []),
    ]


def verified_turn(side):
    """The turn of the last transaction in a file, which must be consistent."""
    assert side.run("SELECT count(*) FROM rows") == [str(ROWS)]
    assert side.run("SELECT sum(amount) FROM rows") == ["0"]
    turns = side.run("SELECT DISTINCT turn FROM rows")
    assert len(turns) == 1, turns
    assert side.run("PRAGMA integrity_check") == ["ok"]
    return int(turns[0])


@SECRETS
@PAIRS
def test_a_log_that_was_left(tmp_path, writer, reader, secret):
    path = tmp_path / "file"
    with Side(writer, path, secret) as side:
        begin(side, "wal")
        side.run("PRAGMA wal_autocheckpoint = 0", "PRAGMA cache_size = 10")
        for number in (1, 2, 3):
            side.run(*turn(number))
        # Pages of an unfinished transaction are in the log too, after it.
        side.run(*turn(4, ends=None))
        side.kill()
    assert (tmp_path / "file-wal").stat().st_size > 4 * 40 * 4096
    with Side(reader, path, secret) as side:
        assert verified_turn(side) == 3
        side.run(*turn(5))
        side.kill()
    with Side(writer, path, secret) as side:
        assert verified_turn(side) == 5
        side.close()
    assert_whole(path, secret)


@PAIRS
@pytest.mark.parametrize("journal_mode", ["delete", "truncate", "persist"])
def test_a_rollback_journal_that_was_left(tmp_path, writer, reader, journal_mode):
    path = tmp_path / "file"
    with Side(writer, path) as side:
        begin(side, journal_mode)
        side.run(*turn(1), "PRAGMA cache_size = 5")
        before = path.read_bytes()
        # Its changes are in the file by now, since the cache has five pages.
        side.run(*turn(2, ends=None))
        side.kill()
    assert path.read_bytes() != before
    assert (tmp_path / "file-journal").stat().st_size > 20 * 4096
    with Side(reader, path) as side:
        assert verified_turn(side) == 1
        side.run(f"PRAGMA journal_mode = {journal_mode}", *turn(3), *turn(4, ends="ROLLBACK"))
        side.close()
    with Side(writer, path) as side:
        assert verified_turn(side) == 3
        side.close()
    assert_whole(path)


def test_kills_at_any_instant_of_either_engine(tmp_path):
    seed = random.randrange(1 << 32)
    print("seed", seed)
    lot = random.Random(seed)
    path = tmp_path / "file"
    with Side("godwit", path) as side:
        begin(side, "wal")
        side.close()
    acknowledged = sent = 0
    end = time.monotonic() + SECONDS
    hot = {"-wal": 0, "-journal": 0}
    for round_number, engine in enumerate(itertools.cycle(ENGINES)):
        for suffix in hot:
            log = path.with_name("file" + suffix)
            hot[suffix] += log.exists() and log.stat().st_size > 0
        with Side(engine, path) as side:
            found = verified_turn(side)
            assert acknowledged <= found <= sent, f"seed {seed}, round {round_number}"
            if time.monotonic() > end:
                side.close()
                break
            side.run(
                f"PRAGMA journal_mode = {lot.choice(['wal', 'wal', 'delete', 'persist'])}",
                f"PRAGMA cache_size = {lot.choice([1, 5, 20, 2000])}",
                f"PRAGMA wal_autocheckpoint = {lot.choice([0, 10, 100])}",
                f"PRAGMA synchronous = {lot.choice(['off', 'normal', 'full'])}")
            acknowledged, numbers = found, range(found + 1, found + 9)
            endings = [lot.choice(["COMMIT", "COMMIT", "ROLLBACK"]) for _ in numbers]
            lines = []
            commits = {}
            for number, ending in zip(numbers, endings):
                lines += turn(number, ends=ending)
                if ending == "COMMIT":
                    commits[len(lines)] = number
            sent = max(commits.values(), default=found)
            side.send(*lines)
            time.sleep(lot.random() * 0.15)
            done = side.kill()
            acknowledged = max([number for count, number in commits.items() if count <= done], default=found)
    assert_whole(path)
    # The rounds reached the states that they test.
    assert min(hot.values()) > 3, hot
