//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitPlaces
import GodwitSelector
import GodwitStore
import HTTPTypes

/// The routes of the node's statistics and resource usage.
struct NodeRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/_node/{node}", access: .administrator, handler: name),
            Route(.get, "/_node/{node}/_stats", access: .administrator, handler: statistics),
            Route(.get, "/_node/{node}/_stats/{path...}", access: .administrator, handler: statistics),
            Route(.get, "/_node/{node}/_system", access: .administrator, handler: system),
            Route(.get, "/_node/{node}/_versions", access: .administrator, handler: versions),
            Route(.get, "/_node/{node}/_prometheus", access: .administrator, handler: prometheus),
            Route(.get, "/_godwit/history", access: .administrator, work: .light, handler: history),
            Route(.get, "/_godwit/slow", access: .administrator, work: .light, handler: slowQueries),
        ]
    }

    @Sendable private func name(_ context: RequestContext) async throws {
        try context.request.checkNode()
        try await context.response.sendJSON(body: (["name": .string(nodeName)] as JSONValue).line)
    }

    // MARK: Statistics

    @Sendable private func statistics(_ context: RequestContext) async throws {
        try context.request.checkNode()
        var value = statisticsValue(databases: try await server.manager.databaseCount())
        for memberName in context.request.parameter("path").pieces(at: "/") {
            guard let member = value.objectValue?[String(memberName)] else { throw HTTPFailure.missing }
            value = member
        }
        try await context.response.sendJSON(body: value.line)
    }

    /// The counters that this server has, with CouchDB's names.
    private func statisticsValue(databases: Int) -> JSONValue {
        let counts = server.statistics.current
        func counter(_ value: Int, _ text: String) -> JSONValue {
            ["value": .integer(Int64(value)), "type": "counter", "desc": .string(text)]
        }
        var methods = JSONObject()
        for (method, count) in counts.methods.sorted(by: { $0.key < $1.key }) {
            methods[method] = counter(count, "number of HTTP \(method) requests")
        }
        var statuses = JSONObject()
        for (status, count) in counts.statuses.sorted(by: { $0.key < $1.key }) {
            statuses[String(status)] = counter(count, "number of HTTP \(status) responses")
        }
        let parts = [50, 75, 90, 95, 99]
        let percentiles = zip(parts, server.statistics.recentMilliseconds(within: parts)).map { part, milliseconds in
            JSONValue.array([.integer(Int64(part)), .double(milliseconds)])
        }
        let mean = counts.requests == 0 ? 0 : counts.seconds / Double(counts.requests) * 1000
        return [
            "couchdb": [
                "document_writes": counter(WriteCount.documents, "number of document write operations"),
                "database_writes": counter(WriteCount.documents, "number of times a database was changed"),
                "database_reads": counter(
                    server.statistics.documentReads.current,
                    "number of times a document was read from a database"),
                "open_databases": counter(server.manager.openCount, "number of open databases"),
                "open_os_files": counter(
                    ProcessUse.openFiles ?? 0, "number of file descriptors that the server has open"),
                "httpd": .object(httpdValue(counts, counter)),
                "httpd_request_methods": .object(methods), "httpd_status_codes": .object(statuses),
                "request_time": [
                    "value": [
                        "arithmetic_mean": .double(mean), "max": .double(counts.slowest * 1000),
                        "percentile": .array(percentiles),
                    ],
                    "type": "histogram", "desc": "length of a request in milliseconds",
                ],
            ],
            "godwit": [
                "databases": [
                    "value": .integer(Int64(databases)), "type": "gauge", "desc": "number of databases",
                ],
                "documents_replicated": counter(
                    ReplicationJob.documentsReplicated, "number of documents that replications wrote"),
                "open_requests": [
                    "value": .integer(Int64(server.openRequests.count)), "type": "gauge",
                    "desc": "number of costly requests and feeds that are open",
                ],
                "damage_found": counter(
                    server.manager.damages.count, "number of times that a read or a write found damage in a database"),
            ],
            "geo": [
                "docs_processed": counter(
                    GeoCounts.documentsProcessed, "number of documents that geo indexes read"),
                "emits": counter(GeoCounts.emits, "number of geometries that were indexed"),
                "crashes": counter(GeoCounts.crashes, "number of geometries that could not be indexed"),
            ],
        ]
    }

    private func httpdValue(
        _ counts: Statistics.Counts, _ counter: (Int, String) -> JSONValue
    ) -> JSONObject {
        let statistics = server.statistics
        return [
            "requests": counter(counts.requests, "number of HTTP requests"),
            "bulk_requests": counter(
                statistics.bulkRequests.current, "number of bulk requests"),
            "view_reads": counter(statistics.viewReads.current, "number of view reads"),
            "temporary_view_reads": counter(0, "number of temporary view reads, which do not exist"),
            "purge_requests": counter(
                statistics.purgeRequests.current, "number of purge requests"),
            "clients_requesting_changes": counter(
                statistics.changesRequests.current, "number of open requests of changes"),
        ]
    }

    @Sendable private func prometheus(_ context: RequestContext) async throws {
        try context.request.checkNode()
        let counts = server.statistics.current
        var lines = [
            "# TYPE couchdb_uptime_seconds counter",
            "couchdb_uptime_seconds \(WallClock.seconds - server.statistics.started)",
            "# TYPE couchdb_httpd_requests_total counter", "couchdb_httpd_requests_total \(counts.requests)",
            "# TYPE couchdb_httpd_request_methods counter",
        ]
        lines += counts.methods.sorted { $0.key < $1.key }.map { method, count in
            "couchdb_httpd_request_methods{method=\"\(method)\"} \(count)"
        }
        lines.append("# TYPE couchdb_httpd_status_codes counter")
        lines += counts.statuses.sorted { $0.key < $1.key }.map { status, count in
            "couchdb_httpd_status_codes{code=\"\(status)\"} \(count)"
        }
        lines += [
            "# TYPE couchdb_request_time_seconds summary", "couchdb_request_time_seconds_sum \(counts.seconds)",
            "couchdb_request_time_seconds_count \(counts.requests)", "# TYPE godwit_damage_found_total counter",
            "godwit_damage_found_total \(server.manager.damages.count)", "# TYPE godwit_resident_memory_bytes gauge",
            "godwit_resident_memory_bytes \(ProcessUse.now.residentBytes)", "",
        ]
        let text = lines.joined(separator: "\n")
        try await context.response.send(contentType: "text/plain; version=2.0", body: Array(text.utf8))
    }

    // MARK: The last minutes

    @Sendable private func history(_ context: RequestContext) async throws {
        try await context.response.sendJSON(body: server.statistics.history.line)
    }

    @Sendable private func slowQueries(_ context: RequestContext) async throws {
        let requests = server.slowQueries.newest.map { entry -> JSONValue in
            [
                "time": .integer(Int64(entry.time)), "method": .string(entry.method), "path": .string(entry.path),
                "status": .integer(Int64(entry.status)), "milliseconds": .integer(Int64(entry.milliseconds)),
                "user": entry.user.map { .string($0) } ?? .null,
            ]
        }
        let answer: JSONValue = [
            "milliseconds": .integer(Int64(server.settings.options.slowQueryMilliseconds)),
            "requests": .array(requests),
        ]
        try await context.response.sendJSON(body: answer.line)
    }

    // MARK: Resources

    @Sendable private func system(_ context: RequestContext) async throws {
        try context.request.checkNode()
        let usage = ProcessUse.now
        var answer: JSONObject = [
            "uptime": .integer(Int64(WallClock.seconds - server.statistics.started)),
            "memory": ["resident": .integer(Int64(usage.residentBytes)), "peak": .integer(Int64(usage.peakBytes))],
            "cpu_seconds": .double(usage.cpuSeconds), "process_id": .integer(Int64(ProcessUse.processID)),
        ]
        if let disk = DiskUse(of: server.manager.directory) {
            answer["disk"] = ["free": .integer(Int64(disk.freeBytes)), "total": .integer(Int64(disk.totalBytes))]
        }
        try await context.response.sendJSON(body: JSONValue.object(answer).line)
    }

    @Sendable private func versions(_ context: RequestContext) async throws {
        try context.request.checkNode()
        let answer: JSONValue = [
            "godwit": .string(godwitVersion), "couchdb": .string(couchDBVersion),
            "file_format": .integer(Int64(FileFormat.version)), "sqlite": .string(FileFormat.sqliteVersion),
            "javascript_engine": ["name": "javascriptcore"],
            "collation_driver": ["name": "libicu", "collator_version": .string(CollationKey.versionOfOrder)],
        ]
        try await context.response.sendJSON(body: answer.line)
    }
}
