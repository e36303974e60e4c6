"""Compares GodwitGeo's geometries with other libraries: relations with shapely (GEOS of another version), distances with
geographiclib. TestDriver answers a line of JSON for each question."""

import json
import math
import random
import subprocess
from pathlib import Path

import numpy
import pytest
import shapely
from geographiclib.geodesic import Geodesic
from shapely.geometry import mapping

from conftest import GODWIT

DRIVER = Path(GODWIT).with_name("TestDriver")
RELATIONS = {
    "contains": shapely.contains,
    "contains_properly": shapely.contains_properly,
    "covered_by": shapely.covered_by,
    "covers": shapely.covers,
    "crosses": shapely.crosses,
    "disjoint": shapely.disjoint,
    "intersects": shapely.intersects,
    "overlaps": shapely.overlaps,
    "touches": shapely.touches,
    "within": shapely.within,
}


def ask(questions):
    text = "".join(json.dumps(question) + "\n" for question in questions)
    done = subprocess.run([DRIVER, "geometry"], input=text, capture_output=True, text=True, timeout=300, check=True)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(questions)
    return answers


# Random shapes: on a small grid, where they often touch, and anywhere in a small square.


def position(chance, grid):
    if grid:
        return (chance.randint(0, 6), chance.randint(0, 6))
    return (chance.uniform(0, 6), chance.uniform(0, 6))


def ring_around(chance, grid):
    x, y = position(chance, grid)
    corners = []
    for turn in sorted(chance.uniform(0, 2 * math.pi) for _ in range(chance.randint(3, 8))):
        radius = chance.uniform(0.5, 4)
        corner = (x + radius * math.cos(turn), y + radius * math.sin(turn))
        corners.append(tuple(map(round, corner)) if grid else corner)
    return corners


def simple(chance, grid, kind):
    if kind == "Point":
        return shapely.Point(position(chance, grid))
    if kind == "MultiPoint":
        return shapely.MultiPoint([position(chance, grid) for _ in range(chance.randint(1, 4))])
    if kind == "LineString":
        return shapely.LineString([position(chance, grid) for _ in range(chance.randint(2, 5))])
    if kind == "MultiLineString":
        return shapely.MultiLineString([simple(chance, grid, "LineString") for _ in range(chance.randint(1, 3))])
    if kind == "Polygon":
        outer = shapely.Polygon(ring_around(chance, grid))
        if outer.is_valid and chance.random() < 0.3:
            return outer.difference(shapely.Polygon(ring_around(chance, grid)).buffer(0))
        return outer
    if kind == "MultiPolygon":
        return shapely.MultiPolygon([shapely.Polygon(ring_around(chance, grid)) for _ in range(chance.randint(1, 2))])
    return shapely.GeometryCollection([shape(chance, grid, False) for _ in range(chance.randint(1, 3))])


KINDS = ["Point", "MultiPoint", "LineString", "MultiLineString", "Polygon", "MultiPolygon"]


def shape(chance, grid, collections=True):
    while True:
        kinds = KINDS + ["GeometryCollection"] if collections else KINDS
        made = simple(chance, grid, chance.choice(kinds))
        if made.is_valid and not made.is_empty and not repeats_a_position(made):
            return made


def repeats_a_position(made):
    if made.geom_type == "LineString":
        return any(start == end for start, end in zip(made.coords, made.coords[1:]))
    return any(repeats_a_position(part) for part in getattr(made, "geoms", []))


# The share of pairs on the grid that may differ. GEOS before 3.13 rounds the points where edges cross, and then finds
# that lines on each other cross there; shapely's GEOS does not round.
GRID_DIFFERENCES_MAX = 1 / 500


def expected_relations(first, second):
    """Shapely's answers; None for the few pairs for which its GEOS fails."""
    try:
        return [name for name, holds in RELATIONS.items() if holds(first, second)]
    except shapely.errors.GEOSException:
        return None


def test_relations_agree_with_shapely():
    chance = random.Random(9)
    for grid, differences_max in [(False, 0), (True, GRID_DIFFERENCES_MAX)]:
        pairs = [(shape(chance, grid), shape(chance, grid)) for _ in range(5000)]
        for first, _ in pairs:
            shapely.prepare(first)
        answers = ask([{"relate": [mapping(first), mapping(second)]} for first, second in pairs])
        held = {name: 0 for name in RELATIONS}
        differences = []
        for (first, second), answer in zip(pairs, answers):
            expected = expected_relations(first, second)
            if expected is None:
                continue
            if answer.get("relations") != expected:
                differences.append((first.wkt, second.wkt, expected, answer))
            for name in expected:
                held[name] += 1
        assert len(differences) <= differences_max * len(pairs), differences
        if grid:
            assert min(held.values()) > 50, held  # each relation was seen to hold


def test_text_agrees_with_shapely():
    chance = random.Random(10)
    shapes = [shape(chance, chance.random() < 0.5) for _ in range(500)]
    read = ask([{"wkt": made.wkt} for made in shapes])
    round_trips = ask([{"round": mapping(made)} for made in shapes])
    for made, text, trip in zip(shapes, read, round_trips):
        assert trip["geometry"] == json.loads(json.dumps(mapping(made)))
        assert shapely.equals_exact(shapely.from_wkt(trip["wkt"]), made)
        assert shapely.equals_exact(shapely.from_geojson(json.dumps(text["geometry"])), made, 1e-12)


# Distances


def somewhere(chance):
    kind = chance.random()
    if kind < 0.1:
        return (chance.uniform(-180, 180), chance.choice([90, -90]))
    if kind < 0.2:
        return (chance.choice([180, -180, 0, 179.999, -179.999]), chance.uniform(-90, 90))
    if kind < 0.3:
        return (chance.uniform(-180, 180), chance.choice([0, 1e-9, -1e-9]))
    return (chance.uniform(-180, 180), math.degrees(math.asin(chance.uniform(-1, 1))))


def test_distances_agree_with_geographiclib():
    chance = random.Random(11)
    pairs = [(somewhere(chance), somewhere(chance)) for _ in range(4000)]
    for _ in range(4000):
        start = somewhere(chance)
        end = Geodesic.WGS84.Direct(start[1], start[0], chance.uniform(0, 360), 10 ** chance.uniform(-3, 6))
        pairs.append((start, (end["lon2"], end["lat2"])))
    for _ in range(1000):
        start = somewhere(chance)
        opposite = (start[0] - 180 if start[0] > 0 else start[0] + 180, -start[1])
        nudged = (opposite[0], max(-90, min(90, opposite[1] + chance.uniform(-0.5, 0.5))))
        pairs += [(start, opposite), (start, nudged)]
    answers = ask([{"between": [*first, *second]} for first, second in pairs])
    for (first, second), answer in zip(pairs, answers):
        metres = Geodesic.WGS84.Inverse(first[1], first[0], second[1], second[0])["s12"]
        assert answer["metres"] == pytest.approx(metres, abs=0.001, rel=0), (first, second)


def brute_force(origin, line):
    """The meters to the nearest point of a line: samples by a vectorised haversine, refined by geographiclib."""
    best = math.inf
    for start, end in zip(line, line[1:]):
        parts = numpy.linspace(0, 1, 2001)
        longitudes = numpy.radians(start[0] + parts * (end[0] - start[0]))
        latitudes = numpy.radians(start[1] + parts * (end[1] - start[1]))
        x, y = numpy.radians(origin[0]), numpy.radians(origin[1])
        chords = (
            numpy.sin((latitudes - y) / 2) ** 2
            + numpy.cos(y) * numpy.cos(latitudes) * numpy.sin((longitudes - x) / 2) ** 2
        )

        def metres(part):
            return Geodesic.WGS84.Inverse(
                origin[1], origin[0], start[1] + part * (end[1] - start[1]), start[0] + part * (end[0] - start[0])
            )["s12"]

        # The sphere's distances have an error below a hundredth: the ellipsoid's minimum is among these.
        arcs = 2 * numpy.arcsin(numpy.sqrt(numpy.clip(chords, 0, 1)))
        candidates = numpy.flatnonzero(arcs <= arcs.min() * 1.01 + 1e-6)
        index = min(candidates[:: max(len(candidates) // 200, 1)], key=lambda index: metres(parts[index]))
        step = max(len(candidates) // 200, 1) / 2000
        best = min(best, refine(metres, max(parts[index] - step, 0), min(parts[index] + step, 1)))
    return best


def refine(metres, low, high):
    golden = (math.sqrt(5) - 1) / 2
    least = min(metres(low), metres(high))
    while high - low > 1e-11:
        first, second = high - golden * (high - low), low + golden * (high - low)
        if metres(first) <= metres(second):
            high = second
        else:
            low = first
    return min(least, metres((low + high) / 2))


def test_distances_to_lines_agree_with_a_search_by_geographiclib():
    chance = random.Random(12)
    cases = []
    for number in range(250):
        origin = somewhere(chance)
        near = number % 2 == 0
        x, y = origin if near else somewhere(chance)
        spread = 10 ** chance.uniform(-3, 1) if near else 10 ** chance.uniform(-1, 1.9)
        line = [
            (
                max(-180, min(180, x + chance.uniform(-1, 1) * spread)),
                max(-90, min(90, y + chance.uniform(-1, 1) * spread)),
            )
            for _ in range(chance.randint(2, 4))
        ]
        if all(abs(start[0] - end[0]) < 180 for start, end in zip(line, line[1:])):
            cases.append((origin, line))
    answers = ask([{"from": origin, "to": {"type": "LineString", "coordinates": line}} for origin, line in cases])
    for (origin, line), answer in zip(cases, answers):
        metres = brute_force(origin, line)
        tolerance = 0.001 if metres < 1_000_000 else 1
        assert answer["metres"] == pytest.approx(metres, abs=tolerance, rel=0), (origin, line)
        assert answer["metresMin"] <= answer["metres"]
