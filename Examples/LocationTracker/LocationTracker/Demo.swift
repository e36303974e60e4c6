//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Godwit

/// The story of the demo: a phone records two journeys without a network, goes online, meets a conflict and ends it.
public struct Demo: Sendable {
    /// The database on the server that holds the phone's locations.
    public static let locationsName = "lt_locations_user_\(Phone.username)"

    private let server: DatastoreManager
    private let phone: DatastoreManager
    private let address: String
    private let credentials: Credentials
    private let say: @Sendable (String) -> Void
    private let showProgress: @Sendable (ReplicationProgress) -> Void

    /// Creates the story.
    ///
    /// - Parameters:
    ///   - server: The databases of a server that listens.
    ///   - phone: The databases of the phone, in a directory of its own.
    ///   - address: The server's address, for example `http://127.0.0.1:5984`.
    ///   - credentials: The server's administrator.
    ///   - say: Given each line of the story.
    ///   - showProgress: Told how far a push is.
    public init(
        server: DatastoreManager, phone: DatastoreManager, address: String, credentials: Credentials,
        say: @escaping @Sendable (String) -> Void, showProgress: @escaping @Sendable (ReplicationProgress) -> Void
    ) {
        self.server = server
        self.phone = phone
        self.address = address
        self.credentials = credentials
        self.say = say
        self.showProgress = showProgress
    }

    /// Plays the story once; what an earlier run did is found and not done again.
    ///
    /// - Parameter nowMilliseconds: The time, in milliseconds since 1970.
    public func run(nowMilliseconds: Int64) async throws {
        try await loadPlaces(nowMilliseconds: nowMilliseconds)
        let phone = Phone(locations: try await self.phone.datastore(named: "locations"))
        for journey in Journey.all { try await record(journey, on: phone) }
        try await push(phone, what: "the journeys") { "\($0) documents to \(Demo.locationsName)" }
        try await meetConflict(phone, nowMilliseconds: nowMilliseconds)
    }

    private func loadPlaces(nowMilliseconds: Int64) async throws {
        let places = try await server.datastore(named: Places.databaseName)
        let count = try await Places.load(into: places, nowMilliseconds: nowMilliseconds)
        let found = count == 0 ? "found again, none loaded twice" : "\(count) loaded"
        say("Places    \(try places.documentCount) points of interest in \(Places.databaseName) (\(found)).")
    }

    private func record(_ journey: Journey, on phone: Phone) async throws {
        let recording = try await phone.record(journey)
        let kind = journey.isMadeUp ? "made up" : "a real trace"
        let outcome =
            recording.newCount == 0
            ? "found \(recording.locationCount) locations, recorded nothing twice"
            : "offline, recorded \(recording.locationCount) locations of \(recording.fixCount) readings"
        say("Phone     \(journey.name) (\(kind)): \(outcome).")
    }

    private var remote: RemoteEndpoint {
        get throws { RemoteEndpoint(try RemoteURL("\(address)/\(Demo.locationsName)"), credentials: credentials) }
    }

    /// - Parameter count: Says how many revisions were written.
    private func push(_ phone: Phone, what: String, count: (Int) -> String) async throws {
        let replicator = Replicator(.push, phone.locations, with: try remote, createsTarget: true)
        let report = try await replicator.run(onProgress: showProgress)
        if let failure = report.failures.first {
            throw StoreError(.storage, "\(failure.id) could not be pushed: \(failure.reason)")
        }
        let written = report.counts.documentsWritten
        say(
            written == 0
                ? "Online    pushed \(what): nothing new, nothing sent twice."
                : "Online    pushed \(what): \(count(written)).")
    }

    /// Edits one location on both sides, pulls, shows the conflict, resolves it and pushes the outcome.
    private func meetConflict(_ phone: Phone, nowMilliseconds: Int64) async throws {
        let id = Phone.id(of: 0, in: Journey.all[0])
        let atPhone = try await note("parked here", at: nowMilliseconds, on: id, in: phone.locations)
        let atServer = try await note(
            "meet at this corner", at: nowMilliseconds, on: id,
            in: try await server.datastore(named: Demo.locationsName))
        say("Conflict  \(id) edited on both sides: phone \(atPhone.short), server \(atServer.short).")
        _ = try await Replicator(.pull, phone.locations, with: try remote).run()
        let leaves = try phone.locations.leaves(of: id)
        guard leaves.count == 2 else {
            throw StoreError(.conflict, "\(id) should have two leaves after the pull; it has \(leaves.count)")
        }
        var winner = try phone.locations.document(id)
        let loser = try phone.locations.document(id, at: leaves[1])
        say("Pulled    winner \(leaves[0].short) \"\(winner.note)\", conflict \(leaves[1].short) \"\(loser.note)\".")
        winner.body["note"] = .string("\(winner.note); \(loser.note)")
        let resolved = try await phone.locations.resolve(winner)
        say("Resolved  \(resolved.revision?.short ?? "") \"\(resolved.note)\", no conflict left on the phone.")
        // The merged note is a leaf, and so is the deletion of the branch that lost.
        try await push(phone, what: "the resolution") { "\($0) revisions of one document, both branches" }
    }

    private func note(
        _ text: String, at milliseconds: Int64, on id: String, in datastore: Datastore
    ) async throws -> RevisionID {
        var location = try datastore.document(id)
        location.body["note"] = .string(text)
        location.body["noted_at"] = .integer(milliseconds)
        guard let revision = try await datastore.update(location).revision else {
            throw StoreError(.storage, "a saved document has a revision")
        }
        return revision
    }
}

extension Document {
    fileprivate var note: String { body["note"]?.stringValue ?? "" }
}

extension RevisionID {
    /// The generation and the first digits of the hash, for people.
    fileprivate var short: String { "\(generation)-\(hashText.prefix(6))…" }
}
