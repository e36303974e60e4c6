"""One valid request of every route, and the world in which they are valid: the catalogue that `bounds/test_edge_routes.py`
varies.

`{n}` is a number that no other request has, `{rev}` the revision in the answer to the last request of `before`, which an
administrator sends. The other names in braces come from the world: tokens, ids of backups, of work and of requests. `auth` is
who else may send it: `app` a user of the application, `swift` a token of an account, `s3` a signature of one.
"""

import base64
import hashlib
import json
import time

import requests

from conftest import ADMIN, eventually
from applications import APP, User, declare
from objectstores import add_account, token_of

MIA = ("mia", "mia-1")
PASSWORDS = {role: "Basic " + base64.b64encode(":".join(login).encode()).decode() for role, login in (("admin", ADMIN), ("member", MIA))}
POINT = {"type": "Point", "coordinates": [8.5, 47.3]}
# An integer beyond the doubles is stored exactly; for a function it is infinite, which it can only emit as null.
MAP = "function (doc) { if (Number.isFinite(doc.n)) emit(doc.n, doc.n); }"
DESIGN = {
    "views": {
        "all": {"map": "function (doc) { if (Number.isFinite(doc.n)) emit([doc.n, doc._id], doc.n); }", "reduce": "_stats"},
        "sum": {"map": MAP, "reduce": "_sum"}, "own": {"map": MAP, "reduce": "function (k, v) { return v.length; }"},
        "dates": {"map": "function (doc) { emit(new Date(doc.n).getTime(), {n: doc.n, list: [doc.n, -doc.n]}); }",
                  "reduce": "_approx_count_distinct"}},
    "shows": {"one": "function (doc, req) { return {code: 200, json: {n: doc && doc.n, q: req.query}}; }"},
    "lists": {"one": "function (head, req) { start({code: 200}); var row; while (row = getRow()) send(JSON.stringify(row)); }"},
    "updates": {"add": "function (doc, req) { return [{_id: 'upd-' + req.uuid, n: req.body}, 'added']; }"},
    "filters": {"far": "function (doc, req) { return doc.n >= req.query.least; }"},
    "rewrites": [{"from": "/doc/:id", "to": "../../:id"}, {"from": "/any/*", "to": "_show/one"}, {"from": "/", "to": "_show/one"}],
    "indexes": {"words": {"index": "function (doc) { index('n', doc.n, {facet: true, store: true}); "
                                   "if (doc.text) index('text', doc.text, {store: true}); }"}},
    "st_indexes": {"places": {"index": "function (doc) { if (doc.geometry) st_index(doc.geometry); }"}},
    "validate_doc_update": "function (doc) { if (doc.refused) throw({forbidden: 'refused'}); }",
    "_attachments": {"a.txt": {"content_type": "text/plain", "data": "aGVsbG8="}},
}
ROWS = {"limit": "2", "skip": "1", "descending": "false", "include_docs": "true", "conflicts": "true", "attachments": "true",
        "att_encoding_info": "true", "update_seq": "true", "inclusive_end": "true", "startkey": '"a"', "endkey": '"z"'}
ROWS_BODY = {"limit": 2, "skip": 1, "descending": False, "include_docs": True, "startkey": "a", "endkey": "z", "update_seq": True}
VIEW = {"limit": "3", "skip": "1", "reduce": "false", "include_docs": "true", "startkey": "[0]", "endkey": "[9,{}]",
        "startkey_docid": "a", "endkey_docid": "z", "descending": "false", "inclusive_end": "true", "update": "true",
        "stable": "true", "update_seq": "true", "sorted": "true"}
GROUPS = {"group_level": "1", "group": "true", "reduce": "true", "limit": "3", "skip": "0", "startkey": "[0]"}
VIEW_BODY = {"limit": 3, "skip": 1, "reduce": False, "include_docs": True, "keys": [[1, "d1"], [2, "d2"]], "update_seq": True}
GROUPS_BODY = {"reduce": True, "group_level": 1, "limit": 3, "skip": 0, "startkey": [0], "endkey": [9]}
SELECTOR = {"$and": [{"n": {"$gt": 0, "$lte": 1e6}}, {"$or": [
    {"list": {"$size": 2}}, {"n": {"$mod": [2, 1]}}, {"list": {"$elemMatch": {"$gte": 1}}}, {"n": {"$in": [1, 2]}},
    {"list.0": {"$exists": True}}, {"text": {"$regex": "^a{1,3}"}}, {"n": {"$type": "number"}}]}]}
GEO_SELECTOR = {"geometry": {"$geoWithin": {"$geometry": {"type": "Polygon", "coordinates": [
    [[0, 0], [20, 0], [20, 60], [0, 60], [0, 0]]]}}}}
NEAR_SELECTOR = {"geometry": {"$near": {"$geometry": POINT, "$maxDistance": 100_000, "$minDistance": 1}}}
FIND = {"selector": SELECTOR, "limit": 5, "skip": 1, "sort": [{"n": "asc"}], "fields": ["_id", "n"], "bookmark": "nil",
        "r": 1, "conflicts": True, "execution_stats": True, "use_index": "by-n", "update": True}
FEED = {"limit": "3", "since": "0", "timeout": "50", "seq_interval": "2", "style": "all_docs",
        "include_docs": "true", "conflicts": "true", "attachments": "true", "descending": "false", "last-event-id": "1",
        "filter": "d/far", "least": "1"}
GEO = {"bbox": "0,0,20,60", "limit": "5", "skip": "1", "include_docs": "true", "bookmark": "", "relation": "contains",
       "format": "geojson", "stale": "ok", "nearest": "false"}
NEAR = {"lat": "47.3", "lon": "8.5", "radius": "100000", "nearest": "true", "limit": "5", "skip": "0", "format": "view"}
ELLIPSE = {"lat": "47.3", "lon": "8.5", "rangex": "100000", "rangey": "50000", "limit": "5"}
SHAPE = {"g": "POLYGON((0 0,20 0,20 60,0 60,0 0))", "relation": "intersects", "limit": "5"}
SEARCH = {"q": "n:[0 TO 9] OR text:fox* OR \"red fox\"~2", "limit": "5", "sort": '"n<number>"', "include_docs": "true",
          "ranges": '{"n":{"few":"[0 TO 2]","many":"{2 TO Infinity]"}}', "counts": '["n"]', "drilldown": '["n","1"]',
          "highlight_fields": '["text"]', "highlight_number": "2", "highlight_size": "50", "bookmark": "", "stale": "ok"}
SEARCH_GROUPS = {"q": "*:*", "group_field": "text", "group_limit": "3", "group_sort": '"-n"', "limit": "2"}
SEARCH_BODY = {"q": "n:[0 TO 9] OR text:fox", "limit": 5, "sort": ["-n<number>"], "include_docs": True, "ranges": {"n": {"few": "[0 TO 2]"}},
               "counts": ["n"], "drilldown": [["n", "1"]], "highlight_fields": ["text"], "highlight_number": 2,
               "highlight_size": 50, "include_fields": ["n"]}
REVISIONS = {"d1": ["1-" + "a" * 32, "2-b"], "none": ["1-a"]}
DOCUMENT = {"_id": "new-{n}", "n": 1, "text": "red fox", "list": [1, 2], "geometry": POINT,
            "_attachments": {"a.txt": {"content_type": "text/plain", "data": "aGVsbG8=", "revpos": 1, "length": 5}}}
GRAFT = {"_id": "graft-{n}", "_rev": "3-c", "n": 3, "_revisions": {"start": 3, "ids": ["c", "b", "a"]}, "_deleted": False,
         "_attachments": {"a.txt": {"data": "aGVsbG8=", "revpos": 2, "digest": "md5-XUFAKrxLKna5cZ2REBfFkg==",
                                    "encoding": "identity", "encoded_length": 5, "length": 5}}}
MARK = "boundary01"
RELATED = (f'--{MARK}\r\nContent-Type: application/json\r\n\r\n{{"n":7,"_revisions":{{"start":2,"ids":["b","a"]}},"_attachments":{{"f":'
           f'{{"follows":true,"length":5,"encoded_length":5,"revpos":2,"content_type":"text/plain"}}}}}}\r\n--{MARK}\r\n'
           f"Content-Length: 5\r\n\r\nhello\r\n--{MARK}--")
REPLICATION = {"source": "db", "target": "copy-{n}", "create_target": True, "doc_ids": ["d1"], "since_seq": "0",
               "batch_size": 10, "worker_batch_size": 10, "worker_processes": 1, "http_connections": 2, "connection_timeout": 1000,
               "retries_per_request": 1, "socket_options": "", "checkpoint_interval": 1000, "use_checkpoints": True,
               "create_target_params": {"q": 1, "n": 1, "partitioned": False}, "query_params": {"n": 1}, "winning_revs_only": False}
ACCOUNT = {"password": "her own password", "email": "a{n}@example.org", "display_name": "A"}
APPLICATION = {
    "users": "gone{n}_users", "database": {"prefix": "gone{n}_user_", "indexes": [{"index": {"fields": ["n"]}, "name": "n"}]},
    "shared": {"gone{n}_shared": {"rights": ["_reader"], "roles": {"editor": ["_writer"]}, "groups": {"m": ["_reader"]}, "public": False}},
    "consolidated": {"name": "gone{n}_all"}, "registration": "open", "registrations_per_minute": 1000,
    "passwords": {"length_min": 8, "allow_common": False, "refused": ["x"]},
    "versions": {"first": "1.0", "warned_before": "1.5", "blocked": ["1.2"], "required": False, "refusal": {"message": "m", "url": "https://example.org"}},
    "url": "http://127.0.0.1:9", "redirects": ["com.example.app:/x"],
    "mail": {"server": "smtp://127.0.0.1:9", "from": "a@example.org", "from_name": "A"},
    "providers": {"corporate": {"kind": "oidc", "client_id": "a", "client_secret": "s", "issuer": "http://127.0.0.1:9"}}}
LOGIN = {"name": "ann", "password": "ann's own password", "device": {
    "id": "phone1", "name": "phone", "platform": "iOS", "model": "m", "system": "18.1"}, "version": "1.2"}
SIGNED_FORM = (
    f'--{MARK}\r\nContent-Disposition: form-data; name="_doc"\r\n\r\n{{"n":1}}\r\n--{MARK}\r\n'
    f'Content-Disposition: form-data; name="_attachments"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n--{MARK}--\r\n')
SWIFT_LIST = {"format": "json", "limit": "10", "marker": "a", "end_marker": "z", "prefix": "", "delimiter": "/", "path": "", "reverse": "false"}
OBJECT_HEADERS = {"X-Delete-After": "600", "X-Object-Meta-Colour": "red", "ETag": hashlib.md5(b"hello").hexdigest(), "Content-Type": "text/plain"}
RANGE = {"Range": "bytes=1-3", "If-None-Match": '"x"', "If-Modified-Since": "Sun, 06 Nov 1994 08:49:37 GMT", "If-Match": "*",
         "If-Unmodified-Since": "Fri, 01 Jan 2100 00:00:00 GMT", "If-Range": '"x"'}
S3_LIST = {"list-type": "2", "max-keys": "5", "prefix": "", "delimiter": "/", "start-after": "a", "continuation-token": "", "encoding-type": "url"}
CORS_XML = ("<CORSConfiguration><CORSRule><AllowedOrigin>*</AllowedOrigin><AllowedMethod>GET</AllowedMethod>"
            "<MaxAgeSeconds>3000</MaxAgeSeconds></CORSRule></CORSConfiguration>")
PARTS_XML = ('<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>"5d41402abc4b2a76b9719d911017c592"</ETag></Part>'
             "</CompleteMultipartUpload>")
DELETE_XML = "<Delete><Quiet>true</Quiet><Object><Key>gone1</Key></Object></Delete>"
MANIFEST = [{"path": "/gulls/big", "etag": None, "size_bytes": 5}]


class Entry:
    def __init__(self, route, path=None, *, query=None, headers=None, body=None, auth=None, before=(), type=None):
        self.route = route
        self.method, template = route.split(" ")
        self.path = path or template
        self.query, self.headers, self.body, self.auth, self.before = query or {}, headers or {}, body, auth, before
        self.type = type
        # The segments of the path that are parameters of the route.
        marks, self.places = template.split("/"), []
        for number, segment in enumerate(self.path.split("/")):
            mark = marks[min(number, len(marks) - 1)]
            if mark.startswith("{"):
                self.places.append(number)


def of_rows(area):
    return [
        Entry(f"GET /{{db}}/{area}", f"/db/{area}", query=ROWS),
        Entry(f"GET /{{db}}/{area}", f"/db/{area}", query={"keys": '["d1","d2"]', "include_docs": "true"}),
        Entry(f"POST /{{db}}/{area}", f"/db/{area}", body=ROWS_BODY), Entry(f"POST /{{db}}/{area}", f"/db/{area}", body={"keys": ["d1", "none"], "skip": 0}),
        Entry(f"POST /{{db}}/{area}/queries", f"/db/{area}/queries", body={"queries": [ROWS_BODY, {"key": "d1", "include_docs": True}]}),
    ]


def of_methods(methods, route, path, **options):
    return [Entry(f"{method} {route}", path, **options) for method in methods.split()]


V1, S3 = "/v1/{account}", "/_s3"
ENTRIES = [
    Entry("GET /"), Entry("GET /_up"), Entry("GET /_uuids", query={"count": "3"}), Entry("GET /favicon.ico"), Entry("GET /_active_tasks"),
    Entry("GET /_membership"),
    Entry("GET /_all_dbs", query={"limit": "2", "skip": "1", "startkey": '"a"', "endkey": '"z"', "descending": "true"}),
    Entry("GET /_dbs_info", query={"limit": "2", "skip": "1", "startkey": '"a"'}), Entry("POST /_dbs_info", body={"keys": ["db", "none"]}),
    Entry("GET /_db_updates", query={"feed": "longpoll", "timeout": "50", "heartbeat": "20", "since": "0", "limit": "3"}),
    Entry("GET /_db_updates", query={"feed": "continuous", "timeout": "50", "since": "now"}),
    Entry("GET /_node/{node}", "/_node/_local"), Entry("GET /_node/{node}/_stats", "/_node/_local/_stats"),
    Entry("GET /_node/{node}/_stats/{path...}", "/_node/_local/_stats/couchdb/httpd/requests"),
    Entry("GET /_node/{node}/_system", "/_node/_local/_system"), Entry("GET /_node/{node}/_versions", "/_node/_local/_versions"),
    Entry("GET /_node/{node}/_prometheus", "/_node/_local/_prometheus"),
    Entry("GET /_godwit/history", query={"minutes": "5", "since": "0"}), Entry("GET /_godwit/slow", query={"limit": "5"}),
    Entry("GET /_godwit/requests", query={"limit": "5"}), Entry("DELETE /_godwit/requests/{request}", "/_godwit/requests/1"),
    Entry("GET /_godwit/work"), Entry("POST /_godwit/work", body={"start": "x"}),
    Entry("GET /_cluster_setup", query={"ensure_dbs_exist": '["_users"]'}),
    Entry("POST /_cluster_setup", body={"action": "enable_single_node", "bind_address": "127.0.0.1", "port": 5984, "node_count": 1, "singlenode": True}),
    Entry("GET /_reshard"), Entry("GET /_reshard/state"), Entry("PUT /_reshard/state", body={"state": "running", "state_reason": "r"}),
    Entry("GET /_reshard/jobs"), Entry("POST /_reshard/jobs", body={"type": "split", "db": "db", "node": "n", "range": "00000000-ffffffff"}),
    Entry("POST /_replicate", body=REPLICATION), Entry("POST /_replicate", body={"source": "db", "target": {"url": "http://127.0.0.1:9/x", "headers": {"A": "b"}, "auth": {"basic": {"username": "a", "password": "b"}}}, "selector": SELECTOR}),
    Entry("GET /_scheduler/jobs", query={"limit": "2", "skip": "1"}), Entry("GET /_scheduler/jobs/{id}", "/_scheduler/jobs/none"),
    Entry("GET /_scheduler/docs", query={"limit": "2", "skip": "1", "states": "completed"}),
    Entry("GET /_scheduler/docs/{db}", "/_scheduler/docs/_replicator", query={"limit": "2", "skip": "1"}),
    Entry("GET /_scheduler/docs/{db}/{id}", "/_scheduler/docs/_replicator/job"),
    Entry("GET /_session", query={"basic": "false"}), Entry("GET /_session", headers={"Cookie": "AuthSession={cookie}"}),
    Entry("POST /_session", body={"name": "lea", "password": "lea-1", "next": "/x"}), Entry("POST /_session", query={"next": "/x"}, body={"name": "lea", "password": "lea-1"}, type="application/x-www-form-urlencoded"),
    Entry("DELETE /_session"),
    Entry("GET /_node/{node}/_config", "/_node/_local/_config"), Entry("GET /_node/{node}/_config/{section}", "/_node/_local/_config/cors"),
    Entry("GET /_node/{node}/_config/{section}/{key}", "/_node/_local/_config/cors/max_age"),
    Entry("PUT /_node/{node}/_config/{section}/{key}", "/_node/_local/_config/own/key", body='"600"'),
    Entry("DELETE /_node/{node}/_config/{section}/{key}", "/_node/_local/_config/own/key"),
    Entry("POST /_node/{node}/_config/_reload", "/_node/_local/_config/_reload"),
    Entry("GET /{db}/_security", "/rights/_security"),
    Entry("PUT /{db}/_security", "/rights/_security", body={"admins": {"names": ["a"], "roles": ["b"]}, "members": {"names": ["mia"], "roles": []}, "cloudant": {"mia": ["_reader"]}, "couchdb_auth_only": True}),
    Entry("GET /_api/v2/db/{db}/_security", "/_api/v2/db/rights/_security"),
    Entry("PUT /_api/v2/db/{db}/_security", "/_api/v2/db/rights/_security", body={"cloudant": {"mia": ["_reader", "_writer"], "nobody": ["_reader"]}}),
    Entry("POST /_api/v2/api_keys", body={"note": "n"}), Entry("GET /_godwit/keys", query={"limit": "3"}), Entry("DELETE /_godwit/keys/{key}", "/_godwit/keys/none"),
    Entry("PUT /{db}", "/made-{n}", query={"q": "2", "n": "1", "partitioned": "true"}),
    Entry("DELETE /{db}", "/gone-{n}", before=[("PUT", "/gone-{n}", None)]),
    Entry("POST /{db}", "/db", query={"batch": "ok", "w": "1"}, body={**DOCUMENT, "_id": "posted-{n}"}),
    Entry("POST /{db}/_ensure_full_commit", "/db/_ensure_full_commit", query={"seq": "1"}, body={}),
    Entry("GET /{db}", "/db"), Entry("GET /{db}/_partition/{partition}", "/depot/_partition/north"),
    Entry("GET /{db}/_shards", "/db/_shards"), Entry("GET /{db}/_shards/{id}", "/db/_shards/d1"),
    Entry("POST /{db}/_compact", "/rights/_compact", body={}), Entry("POST /{db}/_compact/{design}", "/db/_compact/d", body={}),
    Entry("POST /{db}/_sync_shards", "/rights/_sync_shards", body={}), Entry("POST /{db}/_purge", "/rights/_purge", body=REVISIONS),
    Entry("GET /{db}/_purged_infos", "/rights/_purged_infos"),
    Entry("GET /{db}/_purged_infos_limit", "/rights/_purged_infos_limit"), Entry("PUT /{db}/_purged_infos_limit", "/rights/_purged_infos_limit", body=1000),
    Entry("GET /{db}/_revs_limit", "/rights/_revs_limit"), Entry("PUT /{db}/_revs_limit", "/rights/_revs_limit", body=1000),
    Entry("GET /{db}/_godwit/backup", "/small/_godwit/backup", headers={"Range": "bytes=0-99", "If-None-Match": '"x"'}),
    Entry("PUT /{db}/_godwit/backup", "/restored-{n}/_godwit/backup", body="no file 1234", type="application/octet-stream"),
    *of_rows("_all_docs"), *of_rows("_design_docs"), *of_rows("_local_docs"),
    *of_methods("GET", "/{db}/_partition/{partition}/_all_docs", "/depot/_partition/north/_all_docs", query=ROWS),
    *of_methods("POST", "/{db}/_partition/{partition}/_all_docs", "/depot/_partition/north/_all_docs", body=ROWS_BODY),
    *[Entry("POST /{db}/_find", "/db/_find", body={**FIND, **changed}) for changed in ({}, {}, {"selector": GEO_SELECTOR, "sort": [], "use_index": []}, {"selector": NEAR_SELECTOR, "sort": [], "use_index": []}, {"selector": {"$text": "fox"}, "sort": [], "use_index": []}, {"selector": {"n": {"$gt": 1}}, "partition": "x"})],
    Entry("POST /{db}/_find", "/db/_find", query={"feed": "eventsource", "timeout": "50", "heartbeat": "20", "limit": "3"}, body={"selector": SELECTOR, "limit": 3, "skip": 1}),
    Entry("GET /{db}/_find", "/db/_find", query={"feed": "eventsource", "timeout": "50", "heartbeat": "20", "query": json.dumps({"selector": {"n": {"$gt": 0}}, "limit": 5})}),
    Entry("POST /{db}/_explain", "/db/_explain", body=FIND), Entry("POST /{db}/_explain", "/db/_explain", body={**FIND, "selector": GEO_SELECTOR}),
    Entry("POST /{db}/_partition/{partition}/_find", "/depot/_partition/north/_find", body={**FIND, "use_index": [], "sort": []}),
    Entry("GET /{db}/_partition/{partition}/_find", "/depot/_partition/north/_find", query={"feed": "eventsource", "timeout": "50", "query": '{"selector":{"n":{"$gt":0}},"limit":5}'}),
    Entry("POST /{db}/_partition/{partition}/_explain", "/depot/_partition/north/_explain", body={**FIND, "use_index": [], "sort": []}),
    Entry("GET /{db}/_index", "/db/_index", query={"limit": "3", "skip": "1"}),
    Entry("POST /{db}/_index", "/rights/_index", body={"index": {"fields": ["n", {"text": "desc"}], "partial_filter_selector": {"n": {"$gt": 1}}}, "name": "i{n}", "ddoc": "i{n}", "type": "json", "w": 2, "partitioned": False}),
    Entry("POST /{db}/_index", "/rights/_index", body={"index": {"default_field": {"enabled": True, "analyzer": "english"}, "fields": [{"name": "n", "type": "number"}], "index_array_lengths": True, "default_analyzer": "keyword"}, "name": "t{n}", "ddoc": "t{n}", "type": "text"}),
    Entry("POST /{db}/_index", "/rights/_index", body={"index": {"geometry": "geometry"}, "name": "g{n}", "ddoc": "g{n}", "type": "geo"}),
    Entry("POST /{db}/_index/_bulk_delete", "/rights/_index/_bulk_delete", body={"docids": ["none"], "w": 2}),
    *[Entry(f"DELETE /{{db}}/_index/{part}{{design}}/{{type}}/{{name}}", f"/rights/_index/{part}x{{n}}/json/x{{n}}", before=[("POST", "/rights/_index", {"index": {"fields": ["a"]}, "ddoc": "x{n}", "name": "x{n}"})]) for part in ("", "_design/")],
    *[Entry("GET /{db}/_design/{design}/_search/{index}", "/db/_design/d/_search/words", query=query) for query in (SEARCH, SEARCH_GROUPS)],
    *[Entry("POST /{db}/_design/{design}/_search/{index}", "/db/_design/d/_search/words", body=body) for body in (SEARCH_BODY, {"q": "*:*", "group_field": "text", "group_limit": 2, "group_sort": ["n"], "limit": 3})],
    Entry("GET /{db}/_partition/{partition}/_design/{design}/_search/{index}", "/depot/_partition/north/_design/d/_search/words", query={"q": "*:*", "limit": "3", "sort": '"n"'}),
    Entry("POST /{db}/_partition/{partition}/_design/{design}/_search/{index}", "/depot/_partition/north/_design/d/_search/words", body={"q": "*:*", "limit": 3}),
    Entry("GET /{db}/_design/{design}/_search_info/{index}", "/db/_design/d/_search_info/words"), Entry("GET /{db}/_design/{design}/_search_disk_size/{index}", "/db/_design/d/_search_disk_size/words"),
    Entry("POST /{db}/_search_cleanup", "/db/_search_cleanup", body={}),
    Entry("GET /_search_analyze", query={"analyzer": "english", "text": "running 12345"}), Entry("POST /_search_analyze", body={"analyzer": "english", "text": "running 12345"}),
    *[Entry("GET /{db}/_design/{design}/_geo/{index}", "/db/_design/d/_geo/places", query=query) for query in (GEO, NEAR, ELLIPSE, SHAPE)],
    Entry("GET /{db}/_design/{design}/_geo_info/{index}", "/db/_design/d/_geo_info/places"), Entry("POST /{db}/_geo_cleanup", "/db/_geo_cleanup", body={}),
    Entry("GET /_godwit/backups", query={"limit": "5"}), Entry("POST /_godwit/backups", body={}),
    Entry("GET /_godwit/backups/{backup}", "/_godwit/backups/{backup}", query={"startkey": "a", "limit": "2"}),
    Entry("DELETE /_godwit/backups/{backup}", "/_godwit/backups/none"),
    Entry("POST /_godwit/backups/{backup}/restore", "/_godwit/backups/{backup}/restore", body={"database": "small", "target": "back-{n}"}),
    Entry("POST /_godwit/backups/{backup}/check", "/_godwit/backups/{backup}/check", body={}),
    Entry("GET /_godwit/check"), Entry("POST /_godwit/check", body={"databases": ["small"]}), Entry("DELETE /_godwit/check"),
    Entry("GET /_map"), Entry("GET /_map/{file}", "/_map/map.js", headers={"If-None-Match": '"x"'}), Entry("GET /_map/leaflet/{file...}", "/_map/leaflet/leaflet.css"),
    Entry("GET /_tiles"), Entry("GET /_tiles/{zoom}/{column}/{row}", "/_tiles/1/0/1"), Entry("GET /_base/{part}", "/_base/base-map.js"),
    Entry("GET /_base/{part}/{column}/{row}", "/_base/2/1/1", headers={"If-None-Match": '"x"', "Accept-Encoding": "gzip;q=1.0"}),
    *[Entry("GET /{db}/_design/{design}/_view/{view}", f"/db/_design/d/_view/{view}", query=query) for view, query in (("all", VIEW), ("all", GROUPS), ("sum", GROUPS), ("own", GROUPS), ("dates", VIEW))],
    *[Entry("POST /{db}/_design/{design}/_view/{view}", "/db/_design/d/_view/all", body=body) for body in (VIEW_BODY, GROUPS_BODY)],
    Entry("POST /{db}/_design/{design}/_view/{view}/queries", "/db/_design/d/_view/all/queries", body={"queries": [VIEW_BODY, GROUPS_BODY]}),
    Entry("GET /{db}/_partition/{partition}/_design/{design}/_view/{view}", "/depot/_partition/north/_design/d/_view/all", query={**VIEW, "reduce": "false"}),
    Entry("POST /{db}/_partition/{partition}/_design/{design}/_view/{view}", "/depot/_partition/north/_design/d/_view/all", body=VIEW_BODY),
    Entry("GET /{db}/_design/{design}/_info", "/db/_design/d/_info"), *of_methods("GET POST", "/{db}/_temp_view", "/db/_temp_view"),
    Entry("POST /{db}/_view_cleanup", "/db/_view_cleanup", body={}),
    *[entry for method in "GET POST PUT DELETE PATCH COPY".split() for entry in (
        Entry(f"{method} /{{db}}/_design/{{design}}/_show/{{show}}", "/db/_design/d/_show/one", query={"format": "json", "n": "1"}, body=None if method in ("GET", "COPY") else {"n": 1}),
        Entry(f"{method} /{{db}}/_design/{{design}}/_show/{{show}}/{{id...}}", "/db/_design/d/_show/one/d1", query={"n": "1"}),
        Entry(f"{method} /{{db}}/_design/{{design}}/_update/{{update}}", "/db/_design/d/_update/add", query={"n": "1"}, body={"n": 1}),
        Entry(f"{method} /{{db}}/_design/{{design}}/_update/{{update}}/{{id...}}", "/db/_design/d/_update/add/d1", body={"n": 1}),
        Entry(f"{method} /{{db}}/_design/{{design}}/_rewrite", "/db/_design/d/_rewrite", query={"n": "1"}),
        Entry(f"{method} /{{db}}/_design/{{design}}/_rewrite/{{path...}}", "/db/_design/d/_rewrite/any/x", query={"n": "1"}))],
    Entry("GET /{db}/_design/{design}/_show", "/db/_design/d/_show"), Entry("GET /{db}/_design/{design}/_list", "/db/_design/d/_list"), Entry("GET /{db}/_design/{design}/_list/{list}", "/db/_design/d/_list/one"),
    *[entry for method, options in (("GET", {"query": VIEW}), ("POST", {"body": VIEW_BODY})) for entry in (
        Entry(f"{method} /{{db}}/_design/{{design}}/_list/{{list}}/{{source}}", "/db/_design/d/_list/one/all", **options),
        Entry(f"{method} /{{db}}/_design/{{design}}/_list/{{list}}/{{source}}/{{view}}", "/db/_design/d/_list/one/d/all", **options))],
    *[Entry("POST /{db}/_godwit/trial", "/db/_godwit/trial", body={"kind": kind, "name": name, "design": design, "limit": 2, "startkey": "d", "ids": ["d1"], "query": {"least": "1"}, "user": {"name": "mia", "roles": []}, "isNew": True}) for kind, name, design in (
        ("map", "v", {"views": {"v": {"map": MAP, "reduce": "_stats"}}}), ("filter", "far", {"filters": DESIGN["filters"]}), ("index", "words", {"indexes": DESIGN["indexes"]}), ("geometry", "places", {"st_indexes": DESIGN["st_indexes"]}))],
    *[Entry("GET /{db}/_changes", "/db/_changes", query={**FEED, "feed": feed}) for feed in ("normal", "longpoll", "continuous", "eventsource")],
    Entry("GET /{db}/_changes", "/db/_changes", query={"feed": "continuous", "heartbeat": "20", "limit": "3"}),
    Entry("GET /{db}/_changes", "/db/_changes", query={"filter": "_view", "view": "d/all", "since": "0", "limit": "3", "descending": "true"}, headers={"Last-Event-ID": "1"}),
    Entry("POST /{db}/_changes", "/db/_changes", query={"filter": "_selector", "limit": "3", "since": "0"}, body={"selector": SELECTOR}),
    Entry("POST /{db}/_changes", "/db/_changes", query={"filter": "_doc_ids", "limit": "3", "since": "0"}, body={"doc_ids": ["d1"], "since": 0, "limit": 3}),
    Entry("POST /{db}/_bulk_docs", "/db/_bulk_docs", body={"docs": [DOCUMENT, {"n": 2}], "w": 2}), Entry("POST /{db}/_bulk_docs", "/db/_bulk_docs", body={"new_edits": False, "docs": [GRAFT, {**GRAFT, "_id": "graft2-{n}"}]}),
    Entry("POST /{db}/_bulk_docs", "/_users/_bulk_docs", body={"docs": [{"_id": "org.couchdb.user:u{n}", "name": "u{n}", "type": "user", "roles": ["r"], "password": "pass-word-1", "iterations": 10, "salt": "s", "derived_key": "00", "password_scheme": "pbkdf2", "pbkdf2_prf": "sha256"}]}),
    Entry("POST /{db}/_bulk_get", "/db/_bulk_get", query={"revs": "true", "attachments": "true", "latest": "true"}, body={"docs": [{"id": "d1", "rev": "{d1}", "atts_since": ["1-a"], "open_revs": "all"}, {"id": "none"}]}),
    Entry("POST /{db}/_bulk_get", "/db/_bulk_get", headers={"Accept": "multipart/mixed;q=0.9"}, body={"docs": [{"id": "d1"}]}),
    *of_methods("POST", "/{db}/_revs_diff", "/db/_revs_diff", body=REVISIONS), *of_methods("POST", "/{db}/_missing_revs", "/db/_missing_revs", body=REVISIONS),
    Entry("GET /{db}/_local/{local}", "/db/_local/till"), Entry("PUT /{db}/_local/{local}", "/db/_local/put-{n}", body={"_rev": "0-1", "n": 1, "session_id": "s", "history": [{"recorded_seq": 1, "session_id": "s"}]}, before=[("PUT", "/db/_local/put-{n}", {})]),
    Entry("DELETE /{db}/_local/{local}", "/db/_local/bye-{n}", query={"rev": "0-1"}, before=[("PUT", "/db/_local/bye-{n}", {})]),
    Entry("COPY /{db}/_local/{local}", "/db/_local/till", headers={"Destination": "_local/copied-{n}"}),
    *of_methods("GET PUT DELETE", "/{db}/_local/{local}/{attachment...}", "/db/_local/till/a.txt"),
    Entry("GET /{db}/{id}", "/db/d1", query={"rev": "{d1}", "revs": "true", "revs_info": "true", "conflicts": "true", "meta": "true", "latest": "true", "local_seq": "true", "attachments": "true", "att_encoding_info": "true", "atts_since": '["1-a"]'}),
    Entry("GET /{db}/{id}", "/db/d1", query={"open_revs": '["{d1}","1-a"]', "revs": "true", "latest": "true"}, headers={"Accept": "multipart/mixed;q=0.5", "If-None-Match": '"{d1}"'}),
    Entry("PUT /{db}/{id}", "/db/put-{n}", query={"batch": "ok", "w": "1"}, headers={"X-Couch-Full-Commit": "true"}, body={**DOCUMENT, "_id": "put-{n}"}),
    Entry("PUT /{db}/{id}", "/db/graft-{n}", query={"new_edits": "false"}, body=GRAFT), Entry("PUT /{db}/{id}", "/db/again-{n}", query={"rev": "{rev}"}, body={"n": 2}, before=[("PUT", "/db/again-{n}", {"n": 1})]),
    Entry("PUT /{db}/{id}", "/db/related-{n}", query={"new_edits": "false"}, body=RELATED, type=f"multipart/related; boundary={MARK}"),
    Entry("PUT /{db}/{id}", "/_replicator/job-{n}", body={**REPLICATION, "_id": "job-{n}", "continuous": False, "owner": "admin", "user_ctx": {"name": "mia", "roles": []}, "start_time": "2024-01-01T00:00:00Z", "error_count": 0}),
    Entry("PUT /{db}/{id}", "/_users/org.couchdb.user:v{n}", body={"name": "v{n}", "type": "user", "roles": ["r"], "password_scheme": "pbkdf2", "iterations": 10, "salt": "00ff", "derived_key": "00" * 20, "pbkdf2_prf": "sha", "expires": 1700000000}),
    Entry("DELETE /{db}/{id}", "/db/bye-{n}", query={"rev": "{rev}", "batch": "ok"}, before=[("PUT", "/db/bye-{n}", {})]), Entry("COPY /{db}/{id}", "/db/d1", headers={"Destination": "copied-{n}"}),
    Entry("GET /{db}/_design/{design}", "/db/_design/d", query={"revs": "true"}), Entry("PUT /{db}/_design/{design}", "/rights/_design/put-{n}", body={**{k: v for k, v in DESIGN.items() if k != "_attachments"}, "language": "javascript", "options": {"partitioned": False, "local_seq": True, "include_design": True}, "autoupdate": False}),
    Entry("DELETE /{db}/_design/{design}", "/rights/_design/bye-{n}", query={"rev": "{rev}"}, before=[("PUT", "/rights/_design/bye-{n}", {})]), Entry("COPY /{db}/_design/{design}", "/db/_design/d", headers={"Destination": "copied-{n}"}),
    *[Entry(f"{method} /{{db}}/{{id}}/{{attachment...}}", "/db/d1/a.txt", query={"rev": "{d1}"}, headers={**RANGE, "Accept-Encoding": "gzip;q=0.5"}) for method in ("GET",)],
    *of_methods("PUT", "/{db}/{id}/{attachment...}", "/db/att-{n}/a.txt", query={"rev": "{rev}"}, before=[("PUT", "/db/att-{n}", {})], headers={"Content-MD5": "XUFAKrxLKna5cZ2REBfFkg=="}, body="hello", type="text/plain; charset=utf-8"),
    *of_methods("DELETE", "/{db}/{id}/{attachment...}", "/db/off-{n}/a", query={"rev": "{rev}"}, before=[("PUT", "/db/off-{n}", {"_attachments": {"a": {"data": "dA=="}}})]),
    Entry("GET /{db}/_design/{design}/{attachment...}", "/db/_design/d/a.txt", headers=RANGE), Entry("PUT /{db}/_design/{design}/{attachment...}", "/rights/_design/att-{n}/a.txt", body="hello", type="text/plain"),
    Entry("DELETE /{db}/_design/{design}/{attachment...}", "/rights/_design/off-{n}/a", query={"rev": "{rev}"}, before=[("PUT", "/rights/_design/off-{n}", {"_attachments": {"a": {"data": "dA=="}}})]),
    Entry("POST /{db}/{id}", "/db/form-{n}", body=SIGNED_FORM, headers={"Referer": "http://127.0.0.1/"}, type=f"multipart/form-data; boundary={MARK}"), Entry("POST /{db}/_design/{design}", "/rights/_design/form-{n}", body=SIGNED_FORM, headers={"Referer": "http://127.0.0.1/"}, type=f"multipart/form-data; boundary={MARK}"),
    Entry("POST /{db}/_godwit/arrivals", "/db/_godwit/arrivals", body=[{"digest": "md5-XUFAKrxLKna5cZ2REBfFkg==", "length": 5}]),
    # Applications.
    Entry("GET /_apps"), Entry("GET /_apps/{app}", APP), Entry("PUT /_apps/{app}", "/_apps/gone{n}", body=APPLICATION),
    Entry("DELETE /_apps/{app}", "/_apps/none"),
    Entry("GET /_apps/{app}/users/{user}", f"{APP}/users/ann", auth="app"), Entry("PUT /_apps/{app}/users/{user}", f"{APP}/users/u{{n}}", body=ACCOUNT, headers={"X-App-Version": "1.2"}),
    Entry("DELETE /_apps/{app}/users/{user}", f"{APP}/users/none", body={"password": "x"}, auth="app"),
    Entry("PUT /_apps/{app}/users/{user}/password", f"{APP}/users/ann/password", body={"password": "wrong", "new_password": "another password"}, auth="app"),
    Entry("PUT /_apps/{app}/users/{user}/blocked", f"{APP}/users/bea/blocked", body=False), Entry("POST /_apps/{app}/login", f"{APP}/login", body=LOGIN, headers={"X-App-Version": "1.2"}),
    Entry("POST /_apps/{app}/login", f"{APP}/login", body={"provider": "corporate", "id_token": "e30.e30.e30", "nonce": "n"}),
    Entry("POST /_apps/{app}/refresh", f"{APP}/refresh", body={"refresh_token": "{refresh}", "version": "1.0"}), Entry("POST /_apps/{app}/logout", f"{APP}/logout", body={"refresh_token": "x", "everywhere": False}, auth="app"),
    Entry("GET /_apps/{app}/users/{user}/devices", f"{APP}/users/ann/devices", auth="app"), Entry("DELETE /_apps/{app}/users/{user}/devices/{device}", f"{APP}/users/ann/devices/none", auth="app"),
    Entry("PUT /_apps/{app}/users/{user}/devices/{device}/state", f"{APP}/users/bea/devices/{{device}}/state", body={"state": "active", "password": "bea's own password"}),
    Entry("POST /_apps/{app}/wiped", f"{APP}/wiped", body={"refresh_token": "{refresh}"}), Entry("GET /_apps/{app}/jwks", f"{APP}/jwks"), Entry("GET /_apps/{app}/providers", f"{APP}/providers"),
    Entry("GET /_apps/{app}/login/{provider}", f"{APP}/login/corporate", query={"redirect_uri": "http://127.0.0.1:5999/x", "state": "s", "code_challenge": "A" * 43, "code_challenge_method": "S256", "nonce": "n"}),
    Entry("GET /_apps/{app}/login/{provider}/callback", f"{APP}/login/corporate/callback", query={"code": "c", "state": "s", "error": "e"}, headers={"Cookie": "GodwitLogin=x"}),
    Entry("POST /_apps/{app}/login/{provider}/callback", f"{APP}/login/corporate/callback", body={"code": "c", "state": "s", "user": "{}"}, type="application/x-www-form-urlencoded", headers={"Cookie": "GodwitLogin=x"}),
    Entry("PUT /_apps/{app}/users/{user}/providers/{provider}", f"{APP}/users/ann/providers/corporate", body={"id_token": "e30.e30.e30", "authentication": {"password": "ann's own password"}}, auth="app"),
    Entry("DELETE /_apps/{app}/users/{user}/providers/{provider}", f"{APP}/users/ann/providers/corporate", body={"password": "ann's own password"}, auth="app"),
    *[Entry(f"POST /_apps/{{app}}/mail/{kind}", f"{APP}/mail/{kind}", body={"email": "ann@example.org", "name": "ann", "password": "ann's own password", "language": "en"}, auth=auth) for kind, auth in (("reset", None), ("login", None), ("verification", "app"), ("change", "app"))],
    Entry("POST /_apps/{app}/confirm", f"{APP}/confirm", body={"token": "reset.AAAA.x", "code": "123456", "new_password": "a new password"}), Entry("GET /_apps/{app}/confirm", f"{APP}/confirm"), Entry("GET /_apps/{app}/confirm/{file}", f"{APP}/confirm/confirm.js"),
    Entry("POST /_apps/{app}/users/{user}/second_factor", f"{APP}/users/bea/second_factor", body={"password": "bea's own password"}), Entry("PUT /_apps/{app}/users/{user}/second_factor", f"{APP}/users/bea/second_factor", body={"code": "123456"}),
    Entry("DELETE /_apps/{app}/users/{user}/second_factor", f"{APP}/users/bea/second_factor", body={"password": "bea's own password", "second_factor": "123456"}),
    Entry("GET /_apps/{app}/users", f"{APP}/users", query={"limit": "2", "after": "a", "search": "a", "skip": "0"}),
    Entry("POST /_apps/{app}/users", f"{APP}/users", body="{account}", type="application/json"),
    Entry("PUT /_apps/{app}/users/{user}/roles", f"{APP}/users/bea/roles", body=["editor"]),
    *of_methods("PUT DELETE", "/_apps/{app}/users/{user}/permissions/{database}/{group}", f"{APP}/users/ann/permissions/lt_places/m", body={"expires": 1700000000}, auth="app"),
    # Passkeys.
    Entry("GET /_godwit/passkeys"), Entry("POST /_godwit/passkeys/registration", headers={"Host": "localhost"}, body={"password": "secret", "name": "key"}),
    Entry("PUT /_godwit/passkeys/registration", headers={"Host": "localhost"}, body={"state": "A" * 40, "name": "k", "credential": {"id": "AAAA", "type": "public-key", "response": {"clientDataJSON": "e30", "attestationObject": "oA", "transports": ["usb"]}}}),
    Entry("DELETE /_godwit/passkeys/{passkey}", "/_godwit/passkeys/none"), Entry("POST /_godwit/passkeys/login", headers={"Host": "localhost"}, body={"name": "admin"}),
    Entry("PUT /_godwit/passkeys/login", headers={"Host": "localhost"}, body={"state": "A" * 40, "credential": {"id": "AAAA", "response": {"clientDataJSON": "e30", "authenticatorData": "oA", "signature": "AA", "userHandle": "AA"}}}), Entry("GET /_godwit/passkeys/passkeys.js"),
    # Object storage.
    Entry("GET /_godwit/objects", query={"limit": "3"}), Entry("GET /_godwit/objects/{account}", "/_godwit/objects/gull"), Entry("PUT /_godwit/objects/{account}", "/_godwit/objects/acc{n}", body={"quota": 1_000_000}),
    Entry("POST /_godwit/objects/{account}", "/_godwit/objects/tern", body={"quota": 1_000_000}), Entry("DELETE /_godwit/objects/{account}", "/_godwit/objects/none"), Entry("POST /_godwit/objects/{account}/key", "/_godwit/objects/tern/key", body={}),
    Entry("GET /v3"), Entry("POST /v3/auth/tokens", body="{credentials}", type="application/json"), *of_methods("GET DELETE", "/v3/auth/tokens", "/v3/auth/tokens", headers={"X-Subject-Token": "none", "X-Auth-Token": "{swift}"}),
    Entry("GET /v3/auth/catalog", auth="swift"), Entry("GET /v3/{path...}", "/v3/projects"),
    *[Entry(f"{method} {V1}", "/v1/AUTH_gull", auth="swift", query=SWIFT_LIST if method == "GET" else {}, headers={"X-Account-Meta-Colour": "red", "X-Timestamp": "1700000000.00001"}) for method in "GET HEAD PUT POST DELETE".split()],
    Entry(f"GET {V1}/{{container}}", "/v1/AUTH_gull/gulls", query=SWIFT_LIST, auth="swift"), Entry(f"HEAD {V1}/{{container}}", "/v1/AUTH_gull/gulls", auth="swift"),
    *[Entry(f"{method} {V1}/{{container}}", "/v1/AUTH_gull/c{n}", auth="swift", headers={"X-Container-Meta-Web-Index": "a", "X-Container-Read": ".r:*", "X-Container-Meta-Web-Listings": "1", "X-Timestamp": "1700000000.00001"}) for method in "PUT POST DELETE".split()],
    *[Entry(f"{method} {V1}/{{container}}/{{object...}}", "/v1/AUTH_gull/gulls/big", auth="swift", headers=RANGE, query={"temp_url_sig": "a" * 64, "temp_url_expires": "1800000000", "multipart-manifest": "get"} if number else {}) for method in ("GET", "HEAD") for number in (0, 1)],
    Entry(f"PUT {V1}/{{container}}/{{object...}}", "/v1/AUTH_gull/gulls/o{n}", auth="swift", headers={**OBJECT_HEADERS, "X-Timestamp": "1700000000.00001"}, body="hello", type="text/plain"),
    Entry(f"PUT {V1}/{{container}}/{{object...}}", "/v1/AUTH_gull/gulls/p{n}", auth="swift", headers={"X-Delete-At": "1900000000", "X-Object-Manifest": "gulls/b", "X-Copy-From": "gulls/big"}, body=""),
    Entry(f"PUT {V1}/{{container}}/{{object...}}", "/v1/AUTH_gull/gulls/slo{n}", auth="swift", query={"multipart-manifest": "put"}, body=MANIFEST),
    Entry(f"POST {V1}/{{container}}/{{object...}}", "/v1/AUTH_gull/gulls/o{n}", auth="swift", headers={"X-Delete-At": "1900000000", "X-Delete-After": "600", "X-Object-Meta-A": "b"}, before=[("PUT", "/v1/AUTH_gull/gulls/o{n}", {})]),
    Entry(f"DELETE {V1}/{{container}}/{{object...}}", "/v1/AUTH_gull/gulls/none", auth="swift", query={"multipart-manifest": "delete"}), Entry(f"COPY {V1}/{{container}}/{{object...}}", "/v1/AUTH_gull/gulls/big", auth="swift", headers={"Destination": "gulls/cp{n}", "X-Delete-After": "600", "X-Fresh-Metadata": "true"}),
    Entry(f"OPTIONS {V1}/{{container}}", "/v1/AUTH_gull/gulls", headers={"Origin": "http://a", "Access-Control-Request-Method": "GET"}), Entry(f"OPTIONS {V1}/{{container}}/{{object...}}", "/v1/AUTH_gull/gulls/big", headers={"Origin": "http://a", "Access-Control-Request-Method": "GET"}),
    Entry("GET /info", query={"swiftinfo_expires": "1900000000", "swiftinfo_sig": "a"}),
    *of_methods("GET HEAD PUT POST DELETE", "/_s3", "/_s3", auth="s3"),
    Entry("GET /_s3/{bucket}", "/_s3/gulls", query=S3_LIST, auth="s3"), Entry("GET /_s3/{bucket}", "/_s3/gulls", query={"uploads": "", "max-uploads": "5", "key-marker": "", "upload-id-marker": ""}, auth="s3"), Entry("GET /_s3/{bucket}", "/_s3/gulls", query={"max-keys": "5", "marker": "a"}, auth="s3"),
    Entry("HEAD /_s3/{bucket}", "/_s3/gulls", auth="s3"), Entry("PUT /_s3/{bucket}", "/_s3/b{n}", auth="s3", headers={"x-amz-acl": "private"}), Entry("PUT /_s3/{bucket}", "/_s3/gulls", query={"cors": ""}, body=CORS_XML, auth="s3"),
    Entry("POST /_s3/{bucket}", "/_s3/gulls", query={"delete": ""}, body=DELETE_XML, auth="s3", headers={"content-md5": "x"}), Entry("POST /_s3/{bucket}", "/_s3/gulls", body="{form}", type=f"multipart/form-data; boundary={MARK}"), Entry("DELETE /_s3/{bucket}", "/_s3/none{n}", auth="s3"),
    *[Entry(f"{method} /_s3/{{bucket}}/{{key...}}", "/_s3/gulls/big", query={"partNumber": "1", "response-expires": "Fri, 01 Jan 2100 00:00:00 GMT"} if number else {}, headers=RANGE, auth="s3") for method in ("GET", "HEAD") for number in (0, 1)],
    Entry("GET /_s3/{bucket}/{key...}", "/_s3/gulls/parts", query={"uploadId": "{upload}", "max-parts": "5", "part-number-marker": "0"}, auth="s3"), Entry("PUT /_s3/{bucket}/{key...}", "/_s3/gulls/s{n}", body="hello", auth="s3", headers={"x-amz-meta-a": "1", "x-amz-checksum-crc32": "NhCmhg==", "expires": "Fri, 01 Jan 2100 00:00:00 GMT", "cache-control": "max-age=5"}),
    Entry("PUT /_s3/{bucket}/{key...}", "/_s3/gulls/s{n}", body="5;chunk-signature=00\r\nhello\r\n0;chunk-signature=00\r\n\r\n", auth="s3", headers={"content-encoding": "aws-chunked", "x-amz-decoded-content-length": "5"}),
    Entry("PUT /_s3/{bucket}/{key...}", "/_s3/gulls/parts", query={"partNumber": "1", "uploadId": "{upload}"}, body="hello", auth="s3"), Entry("PUT /_s3/{bucket}/{key...}", "/_s3/gulls/parts", query={"partNumber": "2", "uploadId": "{upload}"}, headers={"x-amz-copy-source": "/gulls/big", "x-amz-copy-source-range": "bytes=0-4", "x-amz-copy-source-if-modified-since": "Sun, 06 Nov 1994 08:49:37 GMT"}, auth="s3"),
    Entry("POST /_s3/{bucket}/{key...}", "/_s3/gulls/parts", query={"uploads": ""}, auth="s3"), Entry("POST /_s3/{bucket}/{key...}", "/_s3/gulls/parts", query={"uploadId": "{upload}"}, body=PARTS_XML, auth="s3"), Entry("DELETE /_s3/{bucket}/{key...}", "/_s3/gulls/none", query={"uploadId": "none"}, auth="s3"),
    *[Entry(f"OPTIONS /_s3{rest}", f"/_s3{path}", headers={"Origin": "http://a", "Access-Control-Request-Method": "PUT", "Access-Control-Request-Headers": "a"}) for rest, path in (("", ""), ("/{bucket}", "/gulls"), ("/{bucket}/{key...}", "/gulls/big"))],
    # The console.
    Entry("GET /_utils"), Entry("GET /_utils/session"), Entry("POST /_utils/session", body={"name": "lea", "password": "lea-1"}), Entry("DELETE /_utils/session"),
    Entry("GET /_utils/log", query={"limit": "5", "after": "0", "since": "0", "level": "notice"}), Entry("GET /_utils/lib/{library}/{file...}", "/_utils/lib/codemirror/codemirror.js"), Entry("GET /_utils/{file...}", "/_utils/index.html"), Entry("GET /_godwit/routes"),
]


def fill_text(text, names):
    for name, value in names.items():
        if name in text:
            text = text.replace(name, value)
    return text


def build(server):
    """Fills a server with what the entries need; returns the world's values by name."""
    declare(server, versions={"first": "1.0"}, url=server.url, mail={"server": "smtp://127.0.0.1:9", "from": "a@example.org"},
            shared={"lt_places": {"groups": {"m": ["_reader"]}}}, providers={
                "corporate": {"kind": "oidc", "client_id": "a", "issuer": "http://127.0.0.1:9"}})
    server.json("PUT", "/_node/_local/_config/audit/record", json="always")
    for name in ("mia", "lea"):
        server.json("PUT", f"/_users/org.couchdb.user:{name}", json={"name": name, "type": "user", "roles": [], "password": f"{name}-1"})
    for name in ("db", "small", "rights"):
        server.json("PUT", f"/{name}")
    server.json("PUT", "/depot?partitioned=true")
    for name in ("db", "small", "rights", "depot"):
        server.json("PUT", f"/{name}/_security", json={"members": {"names": ["mia"]}})
    documents = [{"_id": f"d{n}", "n": n, "text": "red fox " * n, "list": [n, n], "geometry": {"type": "Point", "coordinates": [8 + n, 47]}} for n in range(1, 9)]
    server.json("POST", "/db/_bulk_docs", json={"docs": documents})
    server.json("POST", "/small/_bulk_docs", json={"docs": documents[:2]})
    server.json("POST", "/depot/_bulk_docs", json={"docs": [{**document, "_id": f"north:{document['_id']}"} for document in documents]})
    server.json("POST", "/db/_bulk_docs", json={"new_edits": False, "docs": [{"_id": "d2", "_rev": "1-" + "f" * 32, "n": -2}]})
    server.json("PUT", "/db/d1/a.txt?rev=" + server.json("GET", "/db/d1")["_rev"], data="hello", headers={"Content-Type": "text/plain"})
    for name in ("db", "rights"):
        server.json("PUT", f"/{name}/_design/d", json=DESIGN)
    server.json("PUT", "/depot/_design/d", json={name: DESIGN[name] for name in ("views", "indexes")})
    server.json("PUT", "/db/_local/till", json={"n": 1})
    server.json("POST", "/db/_index", json={"index": {"fields": ["n"]}, "name": "by-n", "ddoc": "by-n"})
    server.json("POST", "/db/_index", json={"index": {}, "type": "text", "name": "text", "ddoc": "text"})
    server.json("POST", "/db/_index", json={"index": {"geometry": "geometry"}, "type": "geo", "name": "geo", "ddoc": "geo"})
    server.json("PUT", "/_replicator/job", json={"source": "small", "target": "small-copy", "create_target": True})
    ann, bea = User(server, "ann"), User(server, "bea")
    account = add_account(server, "gull")
    add_account(server, "tern")
    swift = {"X-Auth-Token": token_of(server, account)}
    gulls = f"{server.url}/v1/AUTH_gull/gulls"
    assert requests.put(gulls, headers={**swift, "X-Container-Read": ".r:*"}, timeout=30).ok
    assert requests.put(gulls + "/big", headers=swift, data=b"hello", timeout=30).ok
    backup = eventually(lambda: backup_of(server, "small"))
    cookie = requests.post(f"{server.url}/_session", json={"name": "lea", "password": "lea-1"}, timeout=30).cookies["AuthSession"]
    exported = server.request("GET", f"{APP}/users?limit=1&export=true").json()["users"][0]
    return {
        "server": server, "entries": ENTRIES, "account": account, "ann": ann, "swift": swift,
        "administrators": {f"{route['method']} {route['path']}" for route in server.json("GET", "/_godwit/routes")["routes"] if route["access"] == "administrator"},
        "names": {
            "{d1}": server.json("GET", "/db/d1")["_rev"], "{refresh}": bea.login["refresh_token"], "{backup}": backup or "none",
            "{device}": server.json("GET", f"{APP}/users/bea/devices")["devices"][0]["id"], "{cookie}": cookie,
            "{upload}": upload(server, account), "{form}": form(account),
            "{swift}": swift["X-Auth-Token"]},
        "bodies": {"{account}": exported, "{credentials}": credentials(account)}}


def backup_of(server, name):
    """The id of a backup that has a database; until there is one, another backup is begun."""
    for backup in server.json("GET", "/_godwit/backups").get("backups", []):
        if f'"{name}"' in server.request("GET", f"/_godwit/backups/{backup['id']}").text:
            return backup["id"]
    server.request("POST", "/_godwit/backups", json={})
    time.sleep(0.5)


def credentials(account):
    domain = {"name": "Default"}
    user = {"name": account.name, "domain": domain, "password": account.secret_key}
    return {"auth": {"identity": {"methods": ["password"], "password": {"user": user}}, "scope": {"project": {"name": account.name, "domain": domain}}}}


def upload(server, account):
    from objectstores import s3_of
    return s3_of(server, account).create_multipart_upload(Bucket="gulls", Key="parts")["UploadId"]


def form(account):
    policy = base64.b64encode(json.dumps({"expiration": "2100-01-01T00:00:00Z", "conditions": [["content-length-range", 0, 100]]}).encode()).decode()
    fields = {"key": "form1", "policy": policy, "x-amz-algorithm": "AWS4-HMAC-SHA256", "x-amz-credential": f"{account.access_key}/20240101/us-east-1/s3/aws4_request", "x-amz-date": "20240101T000000Z", "x-amz-signature": "00"}
    parts = [f'--{MARK}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n' for name, value in fields.items()]
    return "".join(parts) + f'--{MARK}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nhello\r\n--{MARK}--\r\n'
