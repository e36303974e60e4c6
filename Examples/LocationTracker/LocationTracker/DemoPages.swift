//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
public import GodwitServer
public import GodwitStore
import HTTPTypes
import LocationTrackerClient

/// The map of the Location Tracker: a page at `/tracker`, and the demo's databases, read only and for this machine alone.
public struct DemoPages: ServerModule {
    /// See ``ServerModule/name``.
    public let name = "Location Tracker demo"

    private let manager: DatastoreManager
    private let locations: String

    /// Creates the module.
    ///
    /// - Parameters:
    ///   - manager: The server's databases.
    ///   - locations: The database of one user's locations.
    public init(manager: DatastoreManager, locations: String) {
        self.manager = manager
        self.locations = locations
    }

    /// See ``ServerModule/routes``.
    public var routes: [Route] {
        [
            file("/tracker", Asset.page.bytes, "text/html; charset=utf-8"),
            file("/tracker/tracker.css", Asset.style.bytes, "text/css; charset=utf-8"),
            file("/tracker/tracker.js", Asset.script.bytes, "text/javascript; charset=utf-8"),
            file("/tracker/countries.json", MapAsset.countries.bytes, "application/json"),
            Route(.get, "/tracker/leaflet/{file...}", access: .anyone, handler: leaflet),
            Route(.get, "/tracker/journeys", access: .loopback, handler: journeys),
            Route(.get, "/tracker/journeys/{journey}", access: .loopback, handler: journey),
            Route(.get, "/tracker/places", access: .loopback, handler: places),
        ]
    }

    /// The page loads nothing from anywhere else.
    private static let policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:"

    private func file(
        _ path: String, _ bytes: @autoclosure @escaping @Sendable () -> [UInt8], _ type: String
    ) -> Route {
        Route(.get, path, access: .anyone) { _, _, response in
            let headers: HTTPFields = [.contentSecurityPolicy: DemoPages.policy, .xContentTypeOptions: "nosniff"]
            try await response.send(contentType: type, headers: headers, body: bytes())
        }
    }

    @Sendable private func leaflet(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        try await LeafletFile(request.parameter("file")).send(to: response)
    }

    @Sendable private func journeys(_: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let recorded = try await recordedLocations()
        let list = try Journey.all.compactMap { journey -> JSONValue? in
            guard let locations = recorded[journey.name] else { return nil }
            var entry = try journey.description
            entry["locations"] = .integer(Int64(locations.count))
            return .object(entry)
        }
        try await response.sendJSON(body: (["journeys": .array(list)] as JSONValue).jsonBytes())
    }

    @Sendable private func journey(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let name = request.parameter("journey")
        guard let journey = Journey.all.first(where: { $0.name == name }),
            let locations = try await recordedLocations()[name]
        else { throw HTTPFailure(.notFound, "not_found", "no journey of this name was recorded") }
        var answer = try journey.description
        answer["locations"] = .array(locations)
        try await response.sendJSON(body: JSONValue.object(answer).jsonBytes())
    }

    @Sendable private func places(_: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let documents = try await documents(of: Places.databaseName)
        try await response.sendJSON(body: (["places": .array(documents)] as JSONValue).jsonBytes())
    }

    /// The locations of each journey, in order of time.
    private func recordedLocations() async throws -> [String: [JSONValue]] {
        let all = try await documents(of: locations).filter { $0["properties"]?["session_id"] != nil }
        return Dictionary(grouping: all) { $0["properties"]?["session_id"]?.stringValue ?? "" }
            .mapValues { list in
                list.sorted { ($0["created_at"]?.intValue ?? 0) < ($1["created_at"]?.intValue ?? 0) }
            }
    }

    /// All documents of a small database; none while it is not there yet.
    private func documents(of name: String) async throws -> [JSONValue] {
        let datastore: Datastore
        do {
            datastore = try await manager.existingDatastore(named: name)
        } catch {
            guard error.code == .databaseNotFound else { throw error }
            return []
        }
        return try datastore.allDocuments().map { document in
            var body: JSONObject = ["_id": .string(document.id ?? "")]
            for (name, value) in document.body { body[name] = value }
            return .object(body)
        }
    }
}

extension Journey {
    /// What the page shows of a journey.
    fileprivate var description: JSONObject {
        get throws { ["name": .string(name), "title": .string(try track().title), "made_up": .bool(isMadeUp)] }
    }
}
