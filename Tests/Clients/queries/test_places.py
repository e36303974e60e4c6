"""Geospatial indexes and queries, created and sent as by Cloudant Geo's clients."""

import itertools
import json
import math
import random
import time

import pytest
from geographiclib.geodesic import Geodesic

from conftest import ADMIN, CLIENTS, Server

NAMES = itertools.count(1)
USUAL = "function(doc) {if (doc.geometry && doc.geometry.coordinates) {st_index(doc.geometry);}}"
# The same function, in a form that runs in JavaScript.
SLOW = "function(doc) {var place = doc.geometry; if (place && place.coordinates) {st_index(place);}}"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    site = Server(tmp_path_factory.mktemp("places") / "data")
    yield site
    site.stop()


def point(x, y):
    return {"type": "Point", "coordinates": [x, y]}


class Places:
    def __init__(self, site, shapes=(), function=USUAL, **indexes):
        self.site = site
        self.name = f"places-{next(NAMES)}"
        site.json("PUT", f"/{self.name}")
        site.json("PUT", f"/{self.name}/_design/geodd", json={
            "st_indexes": {"geoidx": {"index": function}, **indexes}})
        self.add(shapes.items() if isinstance(shapes, dict) else shapes)

    def add(self, shapes):
        shapes = list(shapes)
        for start in range(0, len(shapes), 1000):
            self.site.json("POST", f"/{self.name}/_bulk_docs", json={"docs": [
                {"_id": id, "geometry": shape} for id, shape in shapes[start:start + 1000]]})

    def answer(self, status=200, index="geoidx", headers=None, **parameters):
        answer = self.site.request(
            "GET", f"/{self.name}/_design/geodd/_geo/{index}", params=parameters, headers=headers)
        assert answer.status_code == status, answer.text
        return answer.json()

    def ids(self, **parameters):
        return [row["id"] for row in self.answer(**parameters)["rows"]]

    def all(self, limit=200, **parameters):
        """Every hit, page by page."""
        ids, bookmark = [], None
        while True:
            page = self.answer(limit=limit, **parameters, **({"bookmark": bookmark} if bookmark else {}))
            if not page["rows"]:
                # A page without hits returns the bookmark unchanged.
                assert page["bookmark"] == (bookmark or "")
                return ids
            ids += [row["id"] for row in page["rows"]]
            bookmark = page["bookmark"]

    def refused(self, status=400, **parameters):
        answer = self.answer(status=status, **parameters)
        return answer["error"], answer["reason"]

    def info(self, index="geoidx"):
        return self.site.json("GET", f"/{self.name}/_design/geodd/_geo_info/{index}")["geo_index"]

    def purge(self, *ids):
        revisions = {id: [self.site.json("GET", f"/{self.name}/{id}")["_rev"]] for id in ids}
        self.site.json("POST", f"/{self.name}/_purge", json=revisions)


WORLD = {"bbox": "-180,-90,180,90"}


@pytest.mark.parametrize("function", [USUAL, SLOW])
def test_purged_documents_leave_the_index(site, function):
    places = Places(site, {f"point{i}": point(i, i) for i in range(1, 6)}, function)
    assert places.ids(**WORLD) == ["point1", "point2", "point3", "point4", "point5"]
    places.purge("point1")
    assert len(places.ids(**WORLD)) == 4
    places.purge("point2", "point3", "point4")
    assert places.ids(**WORLD) == ["point5"]


def test_an_answer_has_the_rows_that_clients_know(site):
    places = Places(site, {"a": {**point(1, 2)}})
    site.json("PUT", f"/{places.name}/b", json={
        "type": "Feature", "geometry": point(3, 4), "properties": {"name": "b"}})
    revision = site.json("GET", f"/{places.name}/b")["_rev"]
    first = places.answer(limit=1, **WORLD)
    assert set(first) == {"bookmark", "rows"} and set(first["rows"][0]) == {"id", "rev", "geometry"}
    assert places.answer(bbox="2.5,3,4,5")["rows"] == [{"id": "b", "rev": revision, "geometry": point(3, 4)}]
    assert "geometry" not in places.answer(bbox="2.5,3,4,5", include_geoms="false")["rows"][0]
    row = places.answer(bbox="2.5,3,4,5", include_docs="true")["rows"][0]
    assert set(row) == {"id", "geometry", "doc"} and row["doc"]["_rev"] == revision
    feature = {"_id": "b", "geometry": point(3, 4), "type": "Feature", "properties": []}
    for more in [{"format": "geojson"}, {"format": "application/vnd.geo+json"}]:
        answer = places.answer(bbox="2.5,3,4,5", **more)
        assert answer["type"] == "FeatureCollection" and answer["features"] == [feature]
    answer = places.answer(bbox="2.5,3,4,5", headers={"Accept": "application/vnd.geo+json"})
    assert answer["features"] == [feature]
    assert "rows" in places.answer(headers={"Accept": "text/strange"}, **WORLD)
    answer = places.answer(bbox="2.5,3,4,5", format="geojson", include_docs="true")
    assert answer["features"] == [{**feature, "_rev": revision, "properties": {"name": "b"}}]
    assert places.answer(bbox="2.5,3,4,5", format="legacy")["features"] == [{"id": "b"}]
    assert places.answer(bbox="2.5,3,4,5", format="legacy", include_docs="true")["features"] == [
        {"id": "b", "type": "Feature", "geometry": point(3, 4), "properties": {"name": "b"}}]


def test_shapes_of_every_kind_come_back_as_they_went_and_are_found_by_themselves(site):
    square = [[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]
    shapes = [
        point(1, 2), {"type": "Point", "coordinates": [1, 2, 3]}, {"type": "Point", "coordinates": [1, 2, 3, 4]},
        {"type": "LineString", "coordinates": [[1.5, 2], [3, 4.25]]}, {"type": "Polygon", "coordinates": [square]},
        {"type": "Polygon", "coordinates": [square, [[1, 1], [1, 2], [2, 2], [2, 1], [1, 1]]]},
        {"type": "MultiPoint", "coordinates": [[1, 2], [3, 4]]},
        {"type": "MultiLineString", "coordinates": [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]},
        {"type": "MultiPolygon", "coordinates": [[square], [[[8, 8], [9, 8], [9, 9], [8, 8]]]]},
        {"type": "GeometryCollection", "geometries": [point(1, 2), {"type": "LineString", "coordinates": [[3, 3], [4, 4]]}]},
    ]
    # The usual function leaves out collections, since they have no coordinates.
    places = Places(site, function="function(doc) {st_index(doc.geometry);}")
    for shape in shapes:
        made = site.json("PUT", f"/{places.name}/foo", json={"geometry": shape})
        assert places.info()["doc_count"] == 1
        assert [row["geometry"] for row in places.answer(**WORLD)["rows"]] == [shape]
        assert places.answer(g=text_of(shape), include_distance="true")["rows"][0]["id"] == "foo"
        site.json("DELETE", f"/{places.name}/foo?rev={made['rev']}")
        assert places.info()["doc_count"] == 0 and places.ids(**WORLD) == []


def text_of(shape):
    """The shape as WKT, in two dimensions."""
    def positions(value):
        if isinstance(value[0], (int, float)):
            return f"{value[0]} {value[1]}"
        return ",".join(f"({positions(item)})" if isinstance(item[0], list) else positions(item) for item in value)
    if shape["type"] == "GeometryCollection":
        return f"GEOMETRYCOLLECTION({','.join(text_of(member) for member in shape['geometries'])})"
    return f"{shape['type'].upper()}({positions(shape['coordinates'])})"


def test_a_document_that_moves_is_found_where_it_is(site):
    places = Places(site, {"foo": point(0, 0)})
    revision = site.json("GET", f"/{places.name}/foo")["_rev"]
    site.json("PUT", f"/{places.name}/foo", json={"_rev": revision, "geometry": point(1, 1)})
    assert places.info()["doc_count"] == 1
    assert places.ids(g="POINT(1 1)") == ["foo"] and places.ids(g="POINT(0 0)") == []


@pytest.fixture(scope="module")
def rings(site):
    """A thousand points within a degree of the origin, and a thousand out to two."""
    numbers = random.Random(1)
    inner = {f"in{i}": point(numbers.uniform(-1, 1), numbers.uniform(-1, 1)) for i in range(1000)}
    outer = {}
    while len(outer) < 1000:
        x, y = numbers.uniform(-2, 2), numbers.uniform(-2, 2)
        if max(abs(x), abs(y)) > 1:
            outer[f"out{len(outer)}"] = point(x, y)
    return Places(site, {**inner, **outer}), {**inner, **outer}


def ranked(shapes, x, y):
    def metres(shape):
        longitude, latitude = shape["coordinates"]
        return Geodesic.WGS84.Inverse(y, x, latitude, longitude, Geodesic.DISTANCE)["s12"]
    return sorted(shapes, key=lambda id: (metres(shapes[id]), id))


def test_hits_come_by_distance_and_pages_go_on_where_the_last_ended(rings):
    places, shapes = rings
    expected = ranked(shapes, 0, 0)
    assert places.all(bbox="-3,-3,3,3") == expected
    assert places.all(g="POLYGON((-3 -3, 3 -3, 3 3, -3 3, -3 -3))") == expected
    assert places.all(limit=77, lat=0, lon=0, nearest="true") == expected
    assert places.ids(g="Point (0 0)", nearest="true", limit=10) == expected[:10]
    assert places.ids(bbox="-3,-3,3,3", skip=100, limit=50) == expected[100:150]
    for limit in [1, 7, 25, 200]:
        assert places.ids(bbox="-3,-3,3,3", limit=limit) == expected[:limit]
    assert len(places.ids(bbox="-3,-3,3,3")) == 25


def test_boxes_in_any_order_of_corners(rings):
    places, shapes = rings
    inner = [id for id in ranked(shapes, 0, 0) if id.startswith("in")]
    for box in ["-1,-1,1,1", "1,1,-1,-1", "-1,1,1,-1", "1,-1,-1,1"]:
        assert places.all(bbox=box) == inner
    assert places.all(g="POLYGON((-1 -1, 1 -1, 1 1, -1 1, -1 -1))") == inner


def test_small_and_empty_areas(rings):
    places, _ = rings
    for area in [{"radius": 1}, {"rangex": 1, "rangey": 0.5}, {"radius": 0}, {"rangex": 0, "rangey": 0}]:
        assert len(places.ids(lat=0, lon=0, **area)) < 25
    places.ids(bbox="0,0,0,0")


def test_every_query_has_a_nearest_hit_in_another_coordinate_system(rings):
    places, _ = rings
    areas = [{"g": text} for text in [
        "POINT(0 0)", "linestring(0 0, 1 1)", "Polygon((0 0, 1 0, 1 1, 0 0))", "MULTIPOINT((0 0), (1 1))",
        "MULTILINESTRING((0 0, 1 1), (1 0, 0 1))", "GEOMETRYCOLLECTION(POINT(0 0), LINESTRING(0 0, 1 1))"]]
    areas += [{"bbox": box} for box in ["-1,-1,1,1", "1,1,-1,-1", "-1,1,1,-1", "1,-1,-1,1"]]
    areas += [{"lat": 0, "lon": 0, "radius": radius} for radius in [0, 1, 100000]]
    areas += [{"y": 0, "x": 0, "x_range": x, "y_range": y} for x, y in [(0, 0), (1, 2), (100000, 5)]]
    for area in areas:
        assert len(places.ids(nearest="true", limit=1, srid=4269, **area)) == 1, area
        assert len(places.ids(nearest="true", limit=1, srs="urn:ogc:def:crs:EPSG::4269", **area)) == 1, area


def test_ties_are_in_the_order_of_the_ids_and_no_page_loses_one(site):
    ids = [f"{number}{suffix}" for number in range(7) for suffix in ["", "c asfaf", "world hello prefix yay", "ü"]]
    places = Places(site, {id: point(int(id[0]), 0) for id in ids})
    expected = sorted(ids, key=lambda id: (int(id[0]), id.encode()))
    for limit in range(1, 23):
        assert places.all(limit=limit, g="POINT(0 0)", nearest="true") == expected


def test_a_document_with_two_geometries_is_two_hits(site):
    places = Places(site, function="function(doc) {doc.at.forEach(function(at) {st_index(at);});}")
    for id in ["10", "14"]:
        site.json("PUT", f"/{places.name}/{id}", json={"at": [point(1, 1), point(2, 2)]})
    assert sorted(places.ids(**WORLD)) == ["10", "10", "14", "14"] and places.info()["doc_count"] == 2
    for id in ["10", "14"]:
        places.site.json("DELETE", f"/{places.name}/{id}?rev={site.json('GET', f'/{places.name}/{id}')['_rev']}")
    assert places.ids(**WORLD) == []


def test_a_polygon_of_ten_thousand_corners(site):
    ring = [[math.cos(i * math.tau / 10000), math.sin(i * math.tau / 10000)] for i in range(10000)]
    shape = {"type": "Polygon", "coordinates": [ring + ring[:1]]}
    places = Places(site, {"circle": shape})
    rows = places.answer(g="POINT(0 0)", include_distance="true")["rows"]
    assert [(row["id"], row["distance"]) for row in rows] == [("circle", 0)]
    assert rows[0]["geometry"] == shape
    site.json("DELETE", f"/{places.name}/circle?rev={rows[0]['rev']}")
    assert places.ids(g="POINT(0 0)") == []


def test_a_box_across_the_antimeridian_is_asked_for(site):
    places = Places(site, {"fiji": point(179, -17), "samoa": point(-172, -13), "kenya": point(37, 0)})
    assert places.ids(bbox="170,-20,-170,0", wrap="true") == ["fiji", "samoa"]
    assert places.ids(bbox="170,-20,-170,0") == ["kenya"]


def test_disjoint_is_true_of_all_that_is_disjoint(site):
    places = Places(site, {"in": point(1, 1), "near": point(4, 4), "far": point(100, 60)})
    assert places.ids(bbox="0,0,2,2", relation="disjoint") == ["near", "far"]
    assert places.ids(bbox="0,0,2,2", relation="disjoint", nearest="true") == ["near", "far"]


def test_what_is_no_geometry_is_left_out_and_told(site):
    places = Places(site, {
        "good": point(1, 1), "north": point(0, 95), "east": point(200, 0), "word": {"type": "Point", "coordinates": ["a", 1]},
        "kind": {"type": "Blob", "coordinates": [1, 1]}, "open": {"type": "Polygon", "coordinates": [[[0, 0], [2, 0], [2, 2]]]}})
    assert sorted(places.ids(**WORLD)) == ["good", "open"]
    answer = site.json("GET", f"/{places.name}/_design/geodd/_geo_info/geoidx")
    assert answer["name"] == "_design/geodd/geoidx" and answer["geo_index"]["doc_count"] == 2
    assert answer["geo_index"]["disk_size"] > 0 and answer["geo_index"]["data_size"] > 0
    assert answer["geo_index"]["skipped"] == 4
    assert sorted(row["id"] for row in answer["skipped_documents"]) == ["east", "kind", "north", "word"]
    assert all(row["reasons"] for row in answer["skipped_documents"])


LONG = "LINESTRING(" + ",".join(f"{i / 1000} 1" for i in range(100_000)) + ")"


@pytest.mark.parametrize("parameters, error, reason", [
    ({}, "query_parse_error", "No geometry query specified."),
    ({"lat": 1, "lon": 1}, "query_parse_error", "No geometry query specified."),
    ({"radius": 1}, "query_parse_error", "No geometry query specified."),
    ({"bbox": "0,0,1,1", "g": "POINT(1 1)"}, "query_parse_error", "Multiple geometry queries specified."),
    ({"lat": 1, "lon": 1, "radius": 1, "rangex": 1, "rangey": 1}, "query_parse_error", "Multiple geometry queries specified."),
    ({"lat": "north", "lon": 1, "radius": 1}, "query_parse_error", "Invalid float value for lat: '\"north\"'"),
    ({"lat": 95, "lon": 1, "radius": 1}, "query_parse_error", "Invalid float value for lat: '\"95"),
    ({"lat": 1, "lon": 1, "radius": -1}, "query_parse_error", "Invalid float value for radius: '\"-1"),
    ({"lat": 1, "lon": 1, "radius": "NaN"}, "query_parse_error", "Invalid float value for radius: '\"NaN\"'"),
    ({"lat": 1, "lon": 1, "radius": "1e999"}, "query_parse_error", "Invalid float value for radius"),
    ({"bbox": "0,0,1"}, "query_parse_error", "Invalid bounding box value for bbox: '\"0,0,1\"'"),
    ({"bbox": "0,0,1,x"}, "query_parse_error", "Invalid bounding box value for bbox"),
    ({"bbox": "0,0,1,nan"}, "query_parse_error", "Invalid bounding box value for bbox"),
    ({"bbox": "0,0,400,1"}, "query_parse_error", "Invalid bounding box value for bbox"),
    ({"bbox": "0,0,0,1,1,1", "relation": "contains"}, "filter_with_md_bbox", ""),
    ({**WORLD, "limit": 201}, "query_parse_error", "Limit must be less than or equal to 200"),
    ({**WORLD, "limit": -1}, "query_parse_error", "Invalid positive integer value for limit: '\"-1\"'"),
    ({**WORLD, "skip": "x"}, "query_parse_error", "Invalid positive integer value for skip"),
    ({**WORLD, "nearest": "yes"}, "query_parse_error", "Invalid boolean value for nearest: '\"yes\"'"),
    ({**WORLD, "relation": "near"}, "query_parse_error", "Invalid filter name value for relation: '\"near\"'"),
    ({**WORLD, "format": "xml"}, "query_parse_error", "Invalid format name value for format: '\"xml\"'"),
    ({**WORLD, "bookmark": "gibberish"}, "query_parse_error", "Invalid bookmark value for bookmark: '\"gibberish\"'"),
    ({**WORLD, "srid": "mars"}, "query_parse_error", "Invalid srid value for srid"),
    ({**WORLD, "response_srid": 999999}, "query_parse_error", "Invalid srid value for response_srid"),
    ({**WORLD, "stale": "never"}, "query_parse_error", "Invalid boolean value for stale"),
    ({"g": "POLYGON(EMPTY)"}, "query_parse_error", "Invalid geometry value for g"),
    ({"g": "POLYGON((0 0, 2 2, 2 0, 0 2, 0 0))"}, "query_parse_error", ""),
    ({"g": "CURVE(1 2)"}, "query_parse_error", "Invalid geometry value for g"),
    ({"g": ""}, "query_parse_error", "Invalid geometry value for g"),
])
def test_nonsense_is_refused_in_cloudants_words(rings, parameters, error, reason):
    found = rings[0].refused(**parameters)
    assert found[0] == error and found[1].startswith(reason), found


def test_a_geometry_that_is_too_long_is_refused_at_once(site, rings):
    started = time.monotonic()
    answer = site.request("GET", f"/{rings[0].name}/_design/geodd/_geo/geoidx", params={"g": LONG})
    assert answer.status_code in (400, 413, 414, 431), answer.text
    assert time.monotonic() - started < 5


def test_indexes_that_are_none(site):
    places = Places(site, p2="broken", p3={"index": USUAL, "srid": "mars"}, p4={"index": USUAL, "type": "tprtree"},
                    p5={"index": USUAL, "type": "mvrtree"}, p6={"index": USUAL, "dimensions": 7}, p7={"type": "rtree"})
    assert places.refused(404, index="p1", **WORLD) == ("not_found", "Geospatial index 'p1' not found")
    for name in ["p2", "p6", "p7"]:
        assert places.refused(404, index=name, **WORLD) == ("invalid_index", f"Geospatial index '{name}' is invalid")
    assert places.refused(404, index="p3", **WORLD)[0] == "invalid_index_srid"
    assert places.refused(400, index="p4", **WORLD)[0] == places.refused(400, index="p5", **WORLD)[0] == "unsupported_index_type"
    site.json("PUT", f"/{places.name}/_design/list", json={"st_indexes": ["a"]})
    answer = site.request("GET", f"/{places.name}/_design/list/_geo/a?bbox=0,0,1,1")
    assert (answer.status_code, answer.json()["error"]) == (404, "invalid_index_object")
    for path in ["_geo", "_geo_info"]:
        assert site.request("GET", f"/{places.name}/_design/none/{path}/x?bbox=0,0,1,1").status_code == 404
    for verb in ["POST", "PUT", "DELETE"]:
        assert site.request(verb, f"/{places.name}/_design/geodd/_geo/geoidx", json={}).status_code == 405


def test_statistics_have_a_group_of_their_own(site, rings):
    geo = site.json("GET", "/_node/_local/_stats")["geo"]
    assert geo["docs_processed"]["value"] >= 2000 and geo["emits"]["value"] >= 2000 and "crashes" in geo


def test_an_index_of_another_coordinate_system(site):
    # Two places in Lambert 93, metres in France.
    places = Places(site, {"louvre": point(651800, 6862600), "marseille": point(892390, 6247035)},
                    lambert={"index": USUAL, "srid": 2154}, far={"index": SLOW, "srid": "urn:ogc:def:crs:EPSG::2154"})
    for index in ["lambert", "far"]:
        rows = places.answer(index=index, lat=48.86, lon=2.335, radius=3000, srid=4326, response_srid=4326)["rows"]
        assert [row["id"] for row in rows] == ["louvre"]
        assert rows[0]["geometry"]["coordinates"] == pytest.approx([2.3428, 48.8614], abs=0.001)
        assert places.answer(index=index, y=6862600, x=651800, r=10)["rows"][0]["geometry"] == point(651800, 6862600)
        assert places.ids(index=index, bbox="600000,6200000,900000,6900000") and places.ids(
            index=index, bbox="890000,6240000,895000,6250000") == ["marseille"]


def test_a_row_that_has_no_place_in_the_answers_system_is_an_error_and_no_half_answer(site):
    places = Places(site, {"paris": point(2.35, 48.85), "pole": point(0, -90)})
    assert places.ids(lat=48, lon=2, nearest="true") == ["paris", "pole"]
    assert places.refused(lat=48, lon=2, nearest="true", response_srid=2154)[0] == "query_parse_error"
    assert places.ids(lat=48, lon=2, radius=1_000_000, response_srid=2154) == ["paris"]


# Mango


def test_indexes_are_made_listed_and_deleted_by_mangos_routes(site):
    name = f"places-{next(NAMES)}"
    site.json("PUT", f"/{name}")
    body = {"type": "geo", "index": {"geometry": "geometry"}, "name": "where", "ddoc": "where"}
    assert site.json("POST", f"/{name}/_index", json=body)["result"] == "created"
    assert site.json("POST", f"/{name}/_index", json=body)["result"] == "exists"
    listed = site.json("GET", f"/{name}/_index")["indexes"][1]
    assert listed == {"ddoc": "_design/where", "name": "where", "type": "geo", "partitioned": False, "def": {"geometry": "geometry"}}
    site.json("PUT", f"/{name}/a", json={"geometry": point(1, 1), "kind": "cafe"})
    site.json("PUT", f"/{name}/b", json={"geometry": point(2, 2), "kind": "bar"})
    assert [row["id"] for row in site.json("GET", f"/{name}/_design/where/_geo/where?bbox=0,0,2.5,2.5")["rows"]] == ["a", "b"]

    def find(selector, **more):
        return [document["_id"] for document in site.json("POST", f"/{name}/_find", json={"selector": selector, **more})["docs"]]

    near = {"$near": {"$geometry": point(3, 3), "$maxDistance": 1_000_000}}
    assert find({"geometry": near}) == ["b", "a"]
    assert find({"geometry": near, "kind": "cafe"}) == ["a"]
    assert find({"geometry": {"$geoWithin": {"$box": [[1.5, 1.5], [3, 3]]}}}) == ["b"]
    assert find({"geometry": {"$geoIntersects": {"$geometry": "LINESTRING(0 0, 1.5 1.5)"}}}) == ["a"]
    words = site.json("POST", f"/{name}/_explain", json={"selector": {"geometry": near}})
    assert words["index"]["type"] == "geo" and "Reads the geospatial index where" in words["in_words"]
    assert site.json("DELETE", f"/{name}/_index/where/geo/where") == {"ok": True}
    answer = site.request("POST", f"/{name}/_find", json={"selector": {"geometry": near}})
    assert (answer.status_code, answer.json()["error"]) == (400, "no_usable_index")
    assert find({"geometry": {"$geoWithin": {"$box": [[1.5, 1.5], [3, 3]]}}}) == ["b"]


def test_a_feed_follows_an_area(site):
    places = Places(site, {"in": point(1, 1), "out": point(50, 50)})
    selector = {"geometry": {"$geoWithin": {"$circle": {"center": [1, 1], "radius": 1000}}}}
    answer = site.json("POST", f"/{places.name}/_changes?filter=_selector", json={"selector": selector})
    assert [row["id"] for row in answer["results"]] == ["in"]


# Real places


def test_the_cities_of_the_world_are_ranked_as_geographiclib_ranks_them(site):
    features = json.loads((CLIENTS / "Data/populated-places.geojson").read_text())["features"]
    shapes = {f"city{number}": feature["geometry"] for number, feature in enumerate(features)}
    places = Places(site, shapes)
    for x, y in [(13.4, 52.5), (-179.9, -16), (0, 89.9), (100, -89)]:
        assert places.ids(lat=y, lon=x, nearest="true", limit=200) == ranked(shapes, x, y)[:200]
        within = [id for id in ranked(shapes, x, y)[:1000] if Geodesic.WGS84.Inverse(
            y, x, shapes[id]["coordinates"][1], shapes[id]["coordinates"][0])["s12"] <= 1_500_000]
        assert places.all(lat=y, lon=x, radius=1_500_000) == within


def test_near_says_which_index_would_serve_it_where_there_is_one_of_a_function_alone(site):
    """The index is created as in docs/map.md."""
    site.json("PUT", "/towns")
    site.json("PUT", "/towns/a", json={"geometry": {"type": "Point", "coordinates": [8.5, 47.4]}})
    function = "function(doc){if(doc.geometry){st_index(doc.geometry);}}"
    site.json("PUT", "/towns/_design/geo", json={"st_indexes": {"places": {"index": function}}})
    assert site.json("GET", "/towns/_design/geo/_geo/places?lat=47&lon=8&nearest=true")["rows"][0]["id"] == "a"
    query = {"selector": {"geometry": {"$near": {"$geometry": "POINT(8 47)", "$maxDistance": 100_000}}}}
    refused = site.request("POST", "/towns/_find", json=query)
    reason = refused.json()["reason"]
    assert refused.status_code == 400 and "declared on geometry" in reason and "Create an index of type geo" in reason
    site.json("POST", "/towns/_index", json={"type": "geo", "index": {"geometry": "geometry"}})
    assert [found["_id"] for found in site.json("POST", "/towns/_find", json=query)["docs"]] == ["a"]
