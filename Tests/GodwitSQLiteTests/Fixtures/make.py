"""Writes the files in this folder with SQLCipher (PyPI: sqlcipher3-wheels 0.5.7, SQLCipher 4.12): make.py FOLDER"""

import itertools
import pathlib
import sys

import sqlcipher3

SECRETS = {"key": "x'" + "0123456789abcdef" * 4 + "'", "passphrase": "correct horse"}

for (name, secret), page_bytes in itertools.product(SECRETS.items(), (4096, 8192)):
    path = pathlib.Path(sys.argv[1]) / f"{name}-{page_bytes}.sqlcipher"
    path.unlink(missing_ok=True)
    connection = sqlcipher3.connect(path)
    connection.execute(f'PRAGMA key = "{secret}"')
    connection.execute(f"PRAGMA cipher_page_size = {page_bytes}")
    connection.execute("CREATE TABLE words(word)")
    connection.execute("INSERT INTO words VALUES ('open sesame')")
    connection.commit()
    connection.close()
