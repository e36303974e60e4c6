#!/usr/bin/env python3
"""Cuts Natural Earth data into the packed vector tiles of the offline base map.

    python3 Scripts/cut-base-map.py FOLDER PLACES OUTPUT        writes the pack
    python3 Scripts/cut-base-map.py --check PACK                prints sizes and points for each level
    python3 Scripts/cut-base-map.py --draw PACK LEVEL X Y SVG   draws tiles; X and Y are numbers or ranges (3-5)

FOLDER contains the `*.geojson.gz` files, PLACES is the GeoJSON file of populated places. Names that the data does
not contain are in `cut-base-map-names.txt` next to this script. Sources/C/CPages/BaseMap/Data/README.md describes the format.

Each layer is simplified once for each level, from the finest to the coarsest, before it is clipped. Therefore
neighbouring tiles contain the same line. A tile is GRID units wide at each level. Geometry and labels have units of
the finest level until they are cut."""

import argparse
import collections
import gzip
import html
import itertools
import json
import math
import pathlib
import struct
import sys

MAGIC = b"GWBM1\n"
ENTRY = struct.Struct("<BHHBII")
TILE, ALL_LAND = 0, 1

LEVELS = (6, 4, 2, 0)
FINEST = LEVELS[0]
GRID = 4096
BUFFER = 64
WORLD = GRID << FINEST
# Web Mercator ends at 85.0511 degrees. The buffer of the outermost tiles needs some more.
LATITUDE_MAX = 86
# A pixel in units, at the highest zoom for which a level is used: 1.99, 3.99, 5.99 and 10.
PIXEL = {0: 4, 2: 4, 4: 4, 6: 1}

LAND, LAKES, URBAN, PARKS = 1, 2, 3, 4
RIVERS, BORDERS, PROVINCE_BORDERS, RAILROADS, DISPUTED_BORDERS = 5, 6, 7, 8, 9
COUNTRY_LABELS, WATER_LABELS, PROVINCE_LABELS, PLACE_LABELS, PARK_LABELS = 10, 11, 12, 13, 14
POLYGON_LAYERS = (LAND, LAKES, URBAN, PARKS)
LINE_LAYERS = (RIVERS, BORDERS, PROVINCE_BORDERS, RAILROADS, DISPUTED_BORDERS)
LABEL_LAYERS = (COUNTRY_LABELS, WATER_LABELS, PROVINCE_LABELS, PLACE_LABELS, PARK_LABELS)
LAYER_NAMES = {
    LAND: "land", LAKES: "lakes", URBAN: "urban areas", PARKS: "parks", RIVERS: "rivers", BORDERS: "country boundaries",
    PROVINCE_BORDERS: "province boundaries", RAILROADS: "railroads", DISPUTED_BORDERS: "disputed boundaries",
    COUNTRY_LABELS: "labels of countries", WATER_LABELS: "labels of waters", PROVINCE_LABELS: "labels of provinces",
    PLACE_LABELS: "labels of places", PARK_LABELS: "labels of parks"}
LABEL_KINDS = {"country": COUNTRY_LABELS, "water": WATER_LABELS, "province": PROVINCE_LABELS}

# Population classes 1 to 6 begin at these numbers of inhabitants.
CLASSES = (10_000, 50_000, 200_000, 1_000_000, 5_000_000, 10_000_000)
# The earliest and the latest zoom for the label of a place, by population class.
PLACE_ZOOMS = ((5.5, 10), (5, 9.5), (4.5, 9), (4, 8), (3, 7), (2.5, 5.5), (2, 4))
CAPITAL_ZOOMS = (3, 5)
# Scientific stations and abandoned places.
STATION_ZOOMS = (7, 10)
PLACE_SPACING_PIXELS = 70
LABEL_ZOOM_MAX = 10

Feature = collections.namedtuple("Feature", "rank parts name")
Label = collections.namedtuple("Label", "rank x y name extra")


# Geometry

def project(position):
    """Returns the Web Mercator position of a longitude and latitude, in units of the finest level."""
    latitude = math.radians(max(-LATITUDE_MAX, min(LATITUDE_MAX, position[1])))
    return ((position[0] + 180) / 360 * WORLD, (0.5 - math.asinh(math.tan(latitude)) / (2 * math.pi)) * WORLD)


def bounds(parts):
    """Returns the smallest and largest x and y of all points."""
    xs = [point[0] for part in parts for point in part]
    ys = [point[1] for part in parts for point in part]
    return min(xs), min(ys), max(xs), max(ys)


def area(ring):
    """Returns the area of a ring; it is not negative."""
    return abs(sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, ring[1:] + ring[:1]))) / 2


def length(line):
    return sum(math.dist(a, b) for a, b in itertools.pairwise(line))


def farthest(points, first, last):
    """Returns the squared distance and the index of the point that is farthest from the segment between two points."""
    (x, y), (end_x, end_y) = points[first], points[last]
    dx, dy = end_x - x, end_y - y
    squared = dx * dx + dy * dy or 1e-9
    distance_max, index_max = -1.0, first
    for index in range(first + 1, last):
        px, py = points[index]
        px -= x
        py -= y
        along = (px * dx + py * dy) / squared
        if along > 1:
            px -= dx
            py -= dy
        elif along > 0:
            px -= along * dx
            py -= along * dy
        distance = px * px + py * py
        if distance > distance_max:
            distance_max, index_max = distance, index
    return distance_max, index_max


def simplify(points, tolerance):
    """Simplifies a line by the method of Douglas and Peucker."""
    limit = tolerance * tolerance
    kept = bytearray(len(points))
    kept[0] = kept[-1] = 1
    segments = [(0, len(points) - 1)]
    while segments:
        first, last = segments.pop()
        distance, index = farthest(points, first, last)
        if distance > limit:
            kept[index] = 1
            segments += ((first, index), (index, last))
    return list(itertools.compress(points, kept))


def simplify_ring(ring, tolerance):
    return simplify(ring + ring[:1], tolerance)[:-1]


def join_lines(lines):
    """Joins lines at the ends that exactly two of them share, so that short pieces of a long line are not left out."""
    neighbours = collections.defaultdict(list)
    for index, line in enumerate(lines):
        neighbours[line[0]].append(index)
        neighbours[line[-1]].append(index)
    result = []
    used = set()
    for index, line in enumerate(lines):
        if index in used:
            continue
        used.add(index)
        for _ in ("forwards", "backwards"):
            while len(neighbours[line[-1]]) == 2 and (free := [i for i in neighbours[line[-1]] if i not in used]):
                used.add(free[0])
                following = lines[free[0]]
                line = line + (following[1:] if following[0] == line[-1] else following[-2::-1])
            line = line[::-1]
        result.append(line)
    return result


def widest_place(rings):
    """Returns a point inside a polygon: the middle of the widest of some horizontal chords. A label fits there."""
    _, top, _, bottom = bounds(rings)
    widest, place = -1, rings[0][0]
    for step in range(1, 24):
        y = top + (bottom - top) * step / 24
        crossings = sorted(
            a[0] + (y - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
            for ring in rings for a, b in zip(ring, ring[1:] + ring[:1]) if (a[1] > y) != (b[1] > y))
        for left, right in zip(crossings[::2], crossings[1::2]):
            if right - left > widest:
                widest, place = right - left, ((left + right) / 2, y)
    return place


def middle(line):
    """Returns the point half-way along a line."""
    rest = length(line) / 2
    for a, b in itertools.pairwise(line):
        step = math.dist(a, b)
        if step >= rest > 0:
            return a[0] + (b[0] - a[0]) * rest / step, a[1] + (b[1] - a[1]) * rest / step
        rest -= step
    return line[0]


# Clipping

def crossing(a, b, axis, bound):
    """Returns the point of a segment whose coordinate on an axis is a bound."""
    share = (bound - a[axis]) / (b[axis] - a[axis])
    if axis == 0:
        return bound, a[1] + share * (b[1] - a[1])
    return a[0] + share * (b[0] - a[0]), bound


def clip_ring(ring, axis, bound, sign):
    """Returns the part of a ring on one side of a bound: a list of one ring or none. See `clip`."""
    result = []
    previous = ring[-1]
    was_inside = sign * (previous[axis] - bound) >= 0
    for point in ring:
        is_inside = sign * (point[axis] - bound) >= 0
        if is_inside != was_inside:
            result.append(crossing(previous, point, axis, bound))
        if is_inside:
            result.append(point)
        previous, was_inside = point, is_inside
    return [result] if len(result) >= 3 else []


def clip_line(line, axis, bound, sign):
    """Returns the parts of a line on one side of a bound. See `clip`."""
    result = []
    part = []
    for index, point in enumerate(line):
        is_inside = sign * (point[axis] - bound) >= 0
        if index > 0 and is_inside != was_inside:
            part.append(crossing(line[index - 1], point, axis, bound))
            if not is_inside:
                result.append(part)
                part = []
        if is_inside:
            part.append(point)
        was_inside = is_inside
    return [part for part in [*result, part] if len(part) >= 2]


def clip(parts, clip_part, axis, bound, sign):
    """Returns the rings or lines on one side of a bound: larger coordinates if `sign` is 1, smaller if it is -1."""
    result = []
    for part in parts:
        inside = [sign * (point[axis] - bound) >= 0 for point in part]
        if all(inside):
            result.append(part)
        elif any(inside):
            result += clip_part(part, axis, bound, sign)
    return result


def cut(parts, clip_part, limits, add):
    """Clips parts, in units of the level, to each tile with its buffer.

    `limits` are the first and the last tile as x and y. `add` is called with x and y of a tile and the clipped parts.
    The range of tiles is halved until it is one tile, so that a point is clipped a few times only."""
    if not parts:
        return
    low_x, low_y, high_x, high_y = bounds(parts)
    first = [max(limits[0][0], int((low_x - BUFFER) // GRID)), max(limits[0][1], int((low_y - BUFFER) // GRID))]
    last = [min(limits[1][0], int((high_x + BUFFER) // GRID)), min(limits[1][1], int((high_y + BUFFER) // GRID))]
    if first[0] > last[0] or first[1] > last[1]:
        return
    if first == last:
        for axis in (0, 1):
            parts = clip(parts, clip_part, axis, first[axis] * GRID - BUFFER, 1)
            parts = clip(parts, clip_part, axis, (first[axis] + 1) * GRID + BUFFER, -1)
        if parts:
            add(*first, parts)
        return
    axis = 0 if last[0] - first[0] >= last[1] - first[1] else 1
    half = (first[axis] + last[axis]) // 2
    border = (half + 1) * GRID
    lower_last, upper_first = list(last), list(first)
    lower_last[axis], upper_first[axis] = half, half + 1
    cut(clip(parts, clip_part, axis, border + BUFFER, -1), clip_part, (first, lower_last), add)
    cut(clip(parts, clip_part, axis, border - BUFFER, 1), clip_part, (upper_first, last), add)


def widen(ring, width):
    """Moves the edges of a ring that follow the antimeridian to the outside of the buffer.

    The data is divided there. Without this, a border line would appear and the halves would not touch."""
    if all(0 < point[0] < width for point in ring):
        return ring
    result = []
    for a, b in zip(ring, ring[1:] + ring[:1]):
        result.append(a)
        if a[0] == b[0] and a[0] in (0, width):
            outside = -BUFFER if a[0] == 0 else width + BUFFER
            result += ((outside, a[1]), (outside, b[1]))
    return result


# Reading

def read_features(path, is_polygon, rank):
    """Reads a GeoJSON file. A multipolygon becomes one feature for each polygon. Polygon rings are not closed."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        collection = json.load(file)
    for feature in collection["features"]:
        geometry, properties = feature["geometry"], feature["properties"]
        groups = geometry["coordinates"]
        if is_polygon and geometry["type"] == "Polygon":
            groups = [groups]
        elif not is_polygon:
            groups = [groups if geometry["type"] == "MultiLineString" else [groups]]
        for group in groups:
            parts = [[project(position) for position in part] for part in group]
            if is_polygon:
                parts = [part[:-1] for part in parts]
            parts = [part for part in parts if len(part) >= (3 if is_polygon else 2)]
            if parts:
                yield Feature(rank(properties), parts, properties.get("name")), properties


def read_layers(folder):
    """Returns the features of each geometry layer, in units of the finest level."""
    def by_zoom(properties):
        return round(10 * properties["min_zoom"])

    sources = (
        (LAND, "land", by_zoom), (LAND, "minor-islands", by_zoom), (LAKES, "lakes", by_zoom),
        (URBAN, "urban-areas", by_zoom), (PARKS, "parks", lambda properties: 10 * (properties["scalerank"] + 1)),
        (RIVERS, "rivers", by_zoom), (BORDERS, "boundaries", by_zoom), (PROVINCE_BORDERS, "provinces", by_zoom),
        (RAILROADS, "railroads-north-america", lambda properties: 10 * max(6, properties["scalerank"] - 1)))
    layers = collections.defaultdict(list)
    for layer, name, rank in sources:
        for feature, properties in read_features(folder / f"{name}.geojson.gz", layer in POLYGON_LAYERS, rank):
            is_disputed = layer == BORDERS and not properties["featurecla"].startswith("International boundary")
            layers[DISPUTED_BORDERS if is_disputed else layer].append(feature)
    return layers


def read_names(path):
    """Returns the labels of the table of names by layer, and the corrected spellings."""
    labels = collections.defaultdict(list)
    spellings = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        kind, rest = line.split(" ", 1)
        if kind == "spelling":
            wrong, right = rest.split("=")
            spellings[wrong.strip()] = right.strip()
        else:
            zoom, longitude, latitude, name = rest.split(" ", 3)
            x, y = project((float(longitude), float(latitude)))
            labels[LABEL_KINDS[kind]].append(Label(round(10 * float(zoom)), x, y, name, b""))
    return labels, spellings


# Labels

def zoom_for(pixels, distance):
    """Returns the zoom at which a distance, in units of the finest level, is this many pixels long."""
    return math.log2(pixels * WORLD / (256 * max(distance, 1)))


def named_features(features, spellings, place, zoom):
    """Returns a label for each feature with a name, but one for equal names within 256 pixels at zoom 6."""
    labels = []
    seen = collections.defaultdict(list)
    for feature in sorted((feature for feature in features if feature.name), key=zoom):
        name = spellings.get(feature.name, " ".join(feature.name.split()))
        x, y = place(feature)
        if name and all(math.dist((x, y), other) > GRID for other in seen[name]):
            seen[name].append((x, y))
            labels.append(Label(round(10 * min(LABEL_ZOOM_MAX, zoom(feature))), x, y, name, b""))
    return labels


def lake_zoom(feature):
    return max(feature.rank / 10, zoom_for(40, math.sqrt(area(feature.parts[0]))))


def park_zoom(feature):
    return max(feature.rank / 10 + 1, zoom_for(60, math.sqrt(area(feature.parts[0]))))


def river_zoom(feature):
    return max(feature.rank / 10 + 1, zoom_for(150, max(map(length, feature.parts))))


def read_places(path):
    """Returns the labels of the populated places, the most important first.

    The data has no rank. A label appears at the zoom at which it is PLACE_SPACING_PIXELS away from all more important
    places, within the limits for its population class."""
    places = []
    for feature in json.loads(path.read_text(encoding="utf-8"))["features"]:
        properties = feature["properties"]
        population, kind = properties["pop_max"], properties["featurecla"]
        is_capital = kind == "Admin-0 capital"
        class_ = sum(population >= limit for limit in CLASSES)
        earliest, latest = PLACE_ZOOMS[class_]
        if is_capital:
            earliest, latest = min(earliest, CAPITAL_ZOOMS[0]), min(latest, CAPITAL_ZOOMS[1])
        elif kind in ("Scientific station", "Historic place", "Meteorological Station"):
            earliest, latest = STATION_ZOOMS
        importance = population * (4 if is_capital else 1) + (500_000 if is_capital else 0)
        position = project(feature["geometry"]["coordinates"])
        places.append((-importance, properties["name"], position, class_, is_capital, earliest, latest))
    places.sort()
    labels = []
    for index, (_, name, (x, y), class_, is_capital, earliest, latest) in enumerate(places):
        nearest = min((math.dist((x, y), other[2]) for other in places[:index]), default=WORLD)
        zoom = max(earliest, min(latest, zoom_for(PLACE_SPACING_PIXELS, nearest)))
        labels.append(Label(math.ceil(10 * zoom), x, y, name, varint(class_) + bytes([is_capital])))
    return labels


def make_labels(layers, places_path):
    """Returns the labels by layer, in units of the finest level."""
    labels, spellings = read_names(pathlib.Path(__file__).with_name("cut-base-map-names.txt"))
    labels[PLACE_LABELS] = read_places(places_path)
    labels[WATER_LABELS] += named_features(
        layers[LAKES], spellings, lambda feature: widest_place(feature.parts), lake_zoom)
    labels[WATER_LABELS] += named_features(
        layers[RIVERS], spellings, lambda feature: middle(max(feature.parts, key=length)), river_zoom)
    labels[PARK_LABELS] = named_features(
        layers[PARKS], spellings, lambda feature: widest_place(feature.parts), park_zoom)
    return labels


# Levels

def shrink_lines(features, tolerance, pixel):
    """Simplifies lines, and leaves out parts that are smaller than a pixel."""
    result = []
    for feature in features:
        parts = []
        for part in feature.parts:
            low_x, low_y, high_x, high_y = bounds([part])
            if max(high_x - low_x, high_y - low_y) >= pixel:
                parts.append(simplify(part, tolerance))
        if parts:
            result.append(feature._replace(parts=parts))
    return result


def shrink_polygons(features, tolerance, pixel):
    """Simplifies polygons. Returns those of at least one square pixel, and the others unchanged."""
    result, small = [], []
    for feature in features:
        rings = []
        for index, ring in enumerate(feature.parts):
            simple = simplify_ring(ring, tolerance)
            if len(simple) >= 3 and area(simple) >= pixel * pixel:
                rings.append(simple)
            elif index == 0:
                small.append(feature)
                break
        if rings:
            result.append(feature._replace(parts=rings))
    return result, small


def island_dots(small, kept, labels, pixel, keeps_all):
    """Returns a diamond for each small island that is alone in a square of 16 pixels or has a label there.

    With `keeps_all`, returns a diamond for each small island."""
    def cell(point):
        return int(point[0] // (16 * pixel)), int(point[1] // (16 * pixel))

    named = {cell((label.x, label.y)) for label in labels}
    taken = {cell(point) for feature in kept for ring in feature.parts for point in ring}
    dots = []
    for feature in sorted(small, key=lambda feature: -area(feature.parts[0])):
        low_x, low_y, high_x, high_y = bounds(feature.parts)
        x, y = (low_x + high_x) / 2, (low_y + high_y) / 2
        if keeps_all or cell((x, y)) not in taken or cell((x, y)) in named:
            taken.add(cell((x, y)))
            named.discard(cell((x, y)))
            width, height = max(pixel, (high_x - low_x) / 2), max(pixel, (high_y - low_y) / 2)
            dots.append(feature._replace(parts=[[(x, y - height), (x + width, y), (x, y + height), (x - width, y)]]))
    return dots


def make_level(level, layers, labels):
    """Returns the tiles of a level: layer, then features, by x and y. Replaces the layers by the simplified ones."""
    scale = 1 << (FINEST - level)
    pixel = PIXEL[level] * scale
    rank_end = math.inf if level == FINEST else 10 * (level + 2)
    tiles = collections.defaultdict(lambda: collections.defaultdict(list))
    last = (1 << level) - 1
    shown = {layer: [label for label in labels[layer] if label.rank < rank_end] for layer in labels}
    for layer, features in layers.items():
        features = [feature for feature in features if layer == LAND or feature.rank < rank_end]
        dots = []
        if layer in LINE_LAYERS:
            features, small = shrink_lines(features, pixel / 2, pixel), []
        else:
            features, small = shrink_polygons(features, pixel / 2, pixel)
        layers[layer] = features
        if layer == LAND:
            # The next level chooses from all small islands again.
            layers[layer] = features + small
            dots = island_dots(small, features, shown[COUNTRY_LABELS] + shown[PLACE_LABELS], pixel, level == FINEST)
        for feature in features + dots:
            parts = [[(x / scale, y / scale) for x, y in part] for part in feature.parts]
            if layer in POLYGON_LAYERS:
                parts = [widen(ring, GRID << level) for ring in parts]
            cut(parts, clip_line if layer in LINE_LAYERS else clip_ring, ((0, 0), (last, last)),
                lambda x, y, clipped: tiles[x, y][layer].append((feature.rank, tidy(clipped, x, y, layer))))
    for layer in shown:
        for label in shown[layer]:
            x, y = round(label.x / scale), round(label.y / scale)
            tile = max(0, min(last, x // GRID)), max(0, min(last, y // GRID))
            tiles[tile][layer].append((label.rank, encode_label(label, x - tile[0] * GRID, y - tile[1] * GRID)))
    return tiles


def tidy(parts, tile_x, tile_y, layer):
    """Rounds the points of a tile's parts, and leaves out points and parts that do not change the picture."""
    result = []
    for part in parts:
        points = [(round(x) - tile_x * GRID, round(y) - tile_y * GRID) for x, y in part]
        points = [point for index, point in enumerate(points) if index == 0 or point != points[index - 1]]
        if layer in LINE_LAYERS:
            if len(points) >= 2:
                result.append(points)
            continue
        ring = tidy_ring(points)
        if len(ring) >= 3 and area(ring) > 0:
            result.append(ring)
        elif not result and part is parts[0]:
            # Without its outer ring, a polygon has no holes.
            break
    return result


def tidy_ring(points):
    """Leaves out the middle one of three points on a horizontal or vertical line, also where the line turns back.

    Clipping makes such points on the border of the buffer. The area stays the same."""
    def is_needless(a, b, c):
        return a[0] == b[0] == c[0] or a[1] == b[1] == c[1]

    ring = []
    for point in points:
        while len(ring) >= 2 and is_needless(ring[-2], ring[-1], point):
            ring.pop()
        if not ring or ring[-1] != point:
            ring.append(point)
    while len(ring) >= 3 and (ring[0] == ring[-1] or is_needless(ring[-2], ring[-1], ring[0])):
        ring.pop()
    while len(ring) >= 3 and is_needless(ring[-1], ring[0], ring[1]):
        ring.pop(0)
    return ring


# Format

def varint(value):
    result = bytearray()
    while value > 127:
        result.append(value & 127 | 128)
        value >>= 7
    result.append(value)
    return bytes(result)


def zigzag(value):
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


def encode_label(label, x, y):
    name = label.name.encode()
    return zigzag(x) + zigzag(y) + varint(len(name)) + name + label.extra


def encode_parts(parts):
    result = [varint(len(parts))]
    for part in parts:
        result.append(varint(len(part)))
        previous = (0, 0)
        for point in part:
            result += (zigzag(point[0] - previous[0]), zigzag(point[1] - previous[1]))
            previous = point
    return b"".join(result)


def encode_tile(layers):
    """Returns the content of a tile, or nothing if the tile has no feature."""
    result = []
    for layer in sorted(layers):
        features = sorted((feature for feature in layers[layer] if feature[1]), key=lambda feature: feature[0])
        if features:
            result += (bytes([layer]), varint(len(features)))
        for rank, content in features:
            result += (varint(rank), content if layer in LABEL_LAYERS else encode_parts(content))
    return b"".join(result)


def is_covered(layers):
    """Returns whether a tile contains nothing but land, without a coast."""
    low, high = -BUFFER, GRID + BUFFER
    square = {(low, low), (low, high), (high, low), (high, high)}
    return set(layers) == {LAND} and any(
        len(parts) == 1 and len(parts[0]) == 4 and set(parts[0]) == square for _, parts in layers[LAND])


def write_pack(tiles, path):
    """Writes the pack. `tiles` are the layers by level, x and y."""
    entries, contents = [], []
    for key in sorted(tiles):
        if is_covered(tiles[key]):
            entries.append((*key, ALL_LAND, b""))
        elif content := encode_tile(tiles[key]):
            entries.append((*key, TILE, gzip.compress(content, 9, mtime=0)))
    offset = len(MAGIC) + 4 + ENTRY.size * len(entries)
    index = []
    for level, x, y, flag, content in entries:
        index.append(ENTRY.pack(level, x, y, flag, offset, len(content)))
        contents.append(content)
        offset += len(content)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(MAGIC + struct.pack("<I", len(entries)) + b"".join(index) + b"".join(contents))


def make_pack(folder, places, output):
    """Reads the data and writes the pack. Lines of one layer and rank become one feature."""
    layers = read_layers(folder)
    labels = make_labels(layers, places)
    for layer in LINE_LAYERS:
        by_rank = collections.defaultdict(list)
        for feature in layers[layer]:
            by_rank[feature.rank] += feature.parts
        layers[layer] = [Feature(rank, join_lines(lines), None) for rank, lines in by_rank.items()]
    tiles = {}
    for level in LEVELS:
        for (x, y), tile in make_level(level, layers, labels).items():
            tiles[level, x, y] = tile
    write_pack(tiles, output)


# Reading a pack

class Reader:
    """Reads numbers, labels and geometry from the content of a tile."""

    def __init__(self, content):
        self.content = content
        self.offset = 0

    def byte(self):
        self.offset += 1
        return self.content[self.offset - 1]

    def varint(self):
        value = shift = 0
        while (byte := self.byte()) > 127:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def zigzag(self):
        value = self.varint()
        return value >> 1 if value % 2 == 0 else -(value + 1 >> 1)

    def part(self):
        x = y = 0
        points = []
        for _ in range(self.varint()):
            x += self.zigzag()
            y += self.zigzag()
            points.append((x, y))
        return points

    def label(self, layer, rank):
        x, y = self.zigzag(), self.zigzag()
        size = self.varint()
        name = self.content[self.offset:self.offset + size].decode()
        self.offset += size
        return Label(rank, x, y, name, (self.varint(), self.byte()) if layer == PLACE_LABELS else None)

    def layers(self):
        """Returns the layers: for each one its features, geometry as rank and parts."""
        result = {}
        while self.offset < len(self.content):
            layer = self.byte()
            features = []
            for _ in range(self.varint()):
                rank = self.varint()
                if layer in LABEL_LAYERS:
                    features.append(self.label(layer, rank))
                else:
                    features.append((rank, [self.part() for _ in range(self.varint())]))
            result[layer] = features
        return result


def read_pack(path):
    """Returns the tiles of a pack by level, x and y: the flag and the compressed content."""
    pack = path.read_bytes()
    if not pack.startswith(MAGIC):
        sys.exit(f"{path} is no pack of the base map: it does not start with {MAGIC!r}.")
    count, = struct.unpack_from("<I", pack, len(MAGIC))
    tiles = {}
    for index in range(count):
        level, x, y, flag, offset, size = ENTRY.unpack_from(pack, len(MAGIC) + 4 + index * ENTRY.size)
        tiles[level, x, y] = flag, pack[offset:offset + size]
    assert list(tiles) == sorted(tiles) and len(tiles) == count, "The entries are not sorted."
    return tiles


def check(path):
    """Prints the numbers of tiles, bytes, features and points of each level."""
    tiles = read_pack(path)
    print(f"{path.stat().st_size} bytes, {len(tiles)} entries")
    for level in sorted(LEVELS):
        contents = [(key, content) for key, (flag, content) in tiles.items() if key[0] == level and flag == TILE]
        covered = sum(key[0] == level and flag == ALL_LAND for key, (flag, _) in tiles.items())
        largest = max(contents, key=lambda item: len(item[1]))
        unpacked = {key: gzip.decompress(content) for key, content in contents}
        longest = max(unpacked, key=lambda key: len(unpacked[key]))
        print(f"level {level}: {len(contents)} tiles and {covered} of land only, "
              f"{sum(len(content) for _, content in contents)} bytes, {sum(map(len, unpacked.values()))} unpacked")
        print(f"    largest: {len(largest[1])} bytes packed {largest[0][1:]}, "
              f"{len(unpacked[longest])} unpacked {longest[1:]}")
        features, points = collections.Counter(), collections.Counter()
        for content in unpacked.values():
            for layer, items in Reader(content).layers().items():
                features[layer] += len(items)
                if layer not in LABEL_LAYERS:
                    points[layer] += sum(len(part) for _, parts in items for part in parts)
        for layer in sorted(features):
            shown = f", {points[layer]} points" if layer in points else ""
            print(f"    {layer:2} {LAYER_NAMES[layer]}: {features[layer]} features{shown}")


# Drawing

STYLES = {
    LAND: "fill='#f4f1e8' stroke='#8aa' stroke-width='1'", LAKES: "fill='#a9cfe3'", URBAN: "fill='#dccfc4'",
    PARKS: "fill='#cfe3bd'", RIVERS: "stroke='#7fb2cf' stroke-width='1'",
    BORDERS: "stroke='#96788c' stroke-width='1.5'",
    PROVINCE_BORDERS: "stroke='#b7a4b2' stroke-width='1' stroke-dasharray='6 3'",
    RAILROADS: "stroke='#999' stroke-width='0.7'",
    DISPUTED_BORDERS: "stroke='#96788c' stroke-width='1.5' stroke-dasharray='4 3'"}
LABEL_STYLES = {
    COUNTRY_LABELS: (15, "#543", "bold"), WATER_LABELS: (12, "#37a", "normal"), PROVINCE_LABELS: (12, "#977", "normal"),
    PLACE_LABELS: (12, "#222", "normal"), PARK_LABELS: (11, "#484", "normal")}
PICTURE = 1024


def draw_paths(layer, features):
    """Returns one SVG path for each feature of a tile."""
    end = "Z" if layer in POLYGON_LAYERS else ""
    for _, parts in features:
        path = "".join("M" + " ".join(f"{x},{y}" for x, y in part) + end for part in parts)
        yield f"<path d='{path}'/>"


def draw_labels(labels, zoom):
    """Returns SVG texts in pixels, the most important first, without those that cover another."""
    taken = []
    for label, x, y, layer in sorted(labels, key=lambda item: (item[3] != COUNTRY_LABELS, item[0].rank)):
        size, colour, weight = LABEL_STYLES[layer]
        half = len(label.name) * size * 0.28
        box = x - half, y - size, x + half, y + size / 2
        if label.rank > 10 * zoom or any(
                box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3] for other in taken):
            continue
        taken.append(box)
        yield (f"<text x='{x:.1f}' y='{y:.1f}' font-size='{size}' fill='{colour}' font-weight='{weight}'>"
               f"{html.escape(label.name)}</text>")


def draw(path, level, columns, rows, output):
    """Draws the tiles of some columns and rows as an SVG picture of PICTURE pixels."""
    tiles = read_pack(path)
    scale = PICTURE / GRID / max(len(columns), len(rows))
    shapes = collections.defaultdict(list)
    labels = []
    for column, row in itertools.product(columns, rows):
        flag, content = tiles.get((level, column, row), (TILE, gzip.compress(b"")))
        layers = Reader(gzip.decompress(content)).layers() if flag == TILE else {}
        if flag == ALL_LAND:
            low, high = -BUFFER, GRID + BUFFER
            layers[LAND] = [(0, [[(low, low), (high, low), (high, high), (low, high)]])]
        x, y = (column - columns[0]) * GRID, (row - rows[0]) * GRID
        for layer, features in layers.items():
            if layer in LABEL_LAYERS:
                labels += [(label, (x + label.x) * scale, (y + label.y) * scale, layer) for label in features]
            else:
                shapes[layer] += [f"<g transform='translate({x} {y})' clip-path='url(#tile)'>",
                                  *draw_paths(layer, features), "</g>"]
    zoom = level + math.log2(scale * GRID / 256)
    lines = [f"<svg xmlns='http://www.w3.org/2000/svg' width='{PICTURE}' height='{PICTURE}'>",
             "<style>path{vector-effect:non-scaling-stroke}</style>",
             f"<clipPath id='tile'><rect width='{GRID}' height='{GRID}'/></clipPath>",
             "<rect width='100%' height='100%' fill='#a9cfe3'/>", f"<g transform='scale({scale})' fill-rule='evenodd'>"]
    for layer in (LAND, URBAN, PARKS, RIVERS, LAKES, *LINE_LAYERS[1:]):
        fill = "" if layer in POLYGON_LAYERS else " fill='none'"
        lines += [f"<g {STYLES[layer]}{fill}>", *shapes[layer], "</g>"]
    lines += ["</g><g text-anchor='middle' font-family='sans-serif' stroke='#fff' stroke-width='2'",
              " paint-order='stroke'>", *draw_labels(labels, zoom), "</g></svg>"]
    output.write_text("\n".join(lines), encoding="utf-8")


def numbers(text):
    """Returns the range of "3" or "3-5"."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="*", type=pathlib.Path, metavar="FOLDER PLACES OUTPUT")
    parser.add_argument("--check", type=pathlib.Path, metavar="PACK")
    parser.add_argument("--draw", nargs=5, metavar=("PACK", "LEVEL", "X", "Y", "SVG"))
    arguments = parser.parse_args()
    if arguments.check:
        check(arguments.check)
    elif arguments.draw:
        pack, level, columns, rows, output = arguments.draw
        draw(pathlib.Path(pack), int(level), numbers(columns), numbers(rows), pathlib.Path(output))
    elif len(arguments.paths) == 3:
        make_pack(*arguments.paths)
    else:
        parser.error("FOLDER, PLACES and OUTPUT are needed.")


if __name__ == "__main__":
    main()
