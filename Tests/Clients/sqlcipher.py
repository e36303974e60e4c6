"""SQLCipher in a process that can be killed: runs each line of its input as SQL, as `TestDriver cipher sql` does.

    sqlcipher.py FILE SECRET PAGE-BYTES
"""

import sys

import sqlcipher3


def connect(path, secret, page_bytes=4096):
    """A connection without implicit transactions. A secret is `key:` and 64 digits, or `passphrase:` and a text."""
    kind, value = secret.split(":", 1)
    connection = sqlcipher3.connect(str(path), isolation_level=None)
    text = f"x'{value}'" if kind == "key" else value
    connection.execute(f'PRAGMA key = "{text}"')
    connection.execute(f"PRAGMA cipher_page_size = {page_bytes}")
    return connection


def main(path, secret, page_bytes):
    connection = connect(path, secret, page_bytes)
    for line in sys.stdin:
        try:
            for row in connection.execute(line):
                print(row[0])
            print("done", flush=True)
        except sqlcipher3.Error as error:
            print("error", error, flush=True)
    connection.close()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
