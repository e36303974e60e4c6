import sqlite3
import sys, pathlib
sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "queries"))
from test_map import tile_file as tiles
