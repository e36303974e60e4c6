//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitTransport
import Logging

/// Writes the events of logins, refusals and changes of rights to the database `_audit`, and removes old events.
///
/// A client cannot fill the disk. There are two limits: the number of events that are recorded per minute for each
/// network, and the number of events in the database. A request never waits for the database.
final class AuditRecorder: Sendable {
    static let databaseName = "_audit"

    private struct State {
        var waiting: [Document] = []
        /// The number of events that were not recorded since the last write, because a limit was reached.
        var omittedCount = 0
        /// The number of events in this minute, for each kind of event and each network.
        var counts: [String: Int] = [:]
        var countsSince = Moment.now
        /// Whether a module requires that events are recorded.
        var isWanted = false
        /// The time at which a failure was last logged; `nil` before the first failure.
        var lastFailure: Moment?

        /// Counts an event of a client.
        ///
        /// - Returns: Whether the event is to be recorded. `false` if `countMax` events of this kind were already
        ///   counted for the client's network. Also `false` if this is the first event of its kind from the network in
        ///   this minute, but ``ServerLimits/auditNetworksPerMinute`` counts exist already.
        mutating func count(_ event: String, from address: String, countMax: Int) -> Bool {
            if countsSince.secondsAgo >= 60 { (counts, countsSince) = ([:], .now) }
            let key = "\(event) \(HostAddress.network(of: address))"
            let count = counts[key, default: 0]
            guard count < countMax, count > 0 || counts.count < ServerLimits.auditNetworksPerMinute else {
                return false
            }
            counts[key] = count + 1
            invariant(counts.count <= ServerLimits.auditNetworksPerMinute, "the table of networks keeps its limit")
            return true
        }

        /// Puts events back at the beginning of the list of waiting events, because their write failed. If too many
        /// events wait, the oldest of these events are removed without being recorded.
        mutating func wait(again documents: [Document]) {
            let freeCount = max(ServerLimits.auditWaitingMax - waiting.count, 0)
            omittedCount += max(documents.count - freeCount, 0)
            waiting.insert(contentsOf: documents.suffix(freeCount), at: 0)
            invariant(waiting.count <= ServerLimits.auditWaitingMax, "the list of waiting events keeps its limit")
        }
    }

    private let manager: DatastoreManager
    private let settings: ServerSettings
    private let logger: Logger
    private let state = Mutex(State())
    private let signals: AsyncStream<Void>
    private let signal: AsyncStream<Void>.Continuation

    init(manager: DatastoreManager, settings: ServerSettings, logger: Logger) {
        (self.manager, self.settings, self.logger) = (manager, settings, logger)
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Records events from now on, except if the settings say that events are never recorded.
    func want() { state.withLock { $0.isWanted = true } }

    private var isOn: Bool {
        switch settings.options.audit.record {
        case "always": true
        case "applications": state.withLock(\.isWanted)
        default: false
        }
    }

    /// Adds an event to the list of events that wait to be written. If a limit is reached, the event is only counted as
    /// omitted. If no events are recorded at present, this method does nothing.
    ///
    /// - Parameters:
    ///   - address: The address of the client that caused the event. `nil` for an action of an administrator, which
    ///     `countMax` does not limit.
    ///   - countMax: The maximum number of events of this kind per minute that are recorded for the client's network.
    func record(
        _ event: String, _ members: [(name: String, value: String)], from address: String?, countMax: Int
    ) {
        guard isOn else { return }
        var body: JSONObject = ["event": .string(event), "time": .string(WallClock.text)]
        for (name, value) in members where !value.isEmpty {
            body[name] = .string(String(value.prefix(ServerLimits.auditTextCharactersMax)))
        }
        let document = Document(id: AuditRecorder.id(at: WallClock.microseconds), body: body)
        state.withLock { state in
            let isWithinLimit = address.map { state.count(event, from: $0, countMax: countMax) } ?? true
            guard isWithinLimit, state.waiting.count < ServerLimits.auditWaitingMax else {
                state.omittedCount += 1
                return
            }
            state.waiting.append(document)
        }
        signal.yield()
    }

    /// The id of an event. The id begins with the time of the event.
    private static func id(at microseconds: Int64) -> String {
        prefix(at: microseconds) + "-" + String(UInt32.random(in: 0...(.max)), radix: 16)
    }

    private static func prefix(at microseconds: Int64) -> String {
        let digits = String(microseconds)
        return String(repeating: "0", count: max(0, 16 - digits.utf8.count)) + digits
    }

    // MARK: Background work

    /// Writes events and removes old events, until the task is cancelled. After the cancellation, the events that still
    /// wait are written.
    func run() async {
        await withTaskGroup { group in
            group.addTask {
                for await _ in self.signals {
                    // Events that arrive during this delay are written together.
                    try? await Task.sleep(for: .milliseconds(ServerLimits.auditDelayMilliseconds))
                    while await !self.write(), !Task.isCancelled {
                        try? await Task.sleep(for: .seconds(ServerLimits.auditRetrySeconds))
                    }
                }
            }
            group.addTask {
                while !Task.isCancelled {
                    await self.removeOld()
                    try? await Task.sleep(for: .seconds(ServerLimits.auditRetentionSeconds))
                }
            }
        }
        // A new task writes the last events, because this task is cancelled.
        _ = await Task { await write() }.value
    }

    /// Writes the waiting events.
    ///
    /// - Returns: Whether all waiting events were written; `false` when a write failed. The events of a failed write
    ///   wait again.
    private func write() async -> Bool {
        while let documents = takeWaiting() {
            do {
                let database = try await manager.datastore(named: AuditRecorder.databaseName)
                for case .failure(let error) in try await database.writeEach(documents.map { .create($0) }) {
                    fail("the database refused a security event", error)
                }
            } catch {
                fail("\(documents.count) security events cannot be written to the database now", error)
                state.withLock { $0.wait(again: documents) }
                return false
            }
            await removeExcess()
        }
        return true
    }

    /// Removes the oldest events if the database has many more events than its maximum. This is necessary because
    /// ``removeOld()`` runs only once per hour, and the database can exceed its maximum within an hour.
    private func removeExcess() async {
        let eventsMax = settings.options.audit.eventsMax
        do {
            let database = try await manager.existingDatastore(named: AuditRecorder.databaseName)
            let excess = try database.info().documentCount - eventsMax
            if excess > eventsMax / 10 { try await remove(from: database, IDRange(), countMax: excess) }
        } catch {
            fail("old security events could not be removed from the database", error)
        }
    }

    /// Removes waiting events from the list and returns them; `nil` when no events wait.
    private func takeWaiting() -> [Document]? {
        let omitted: JSONObject = ["event": "events omitted", "time": .string(WallClock.text)]
        return state.withLock { state in
            var documents = Array(state.waiting.prefix(ServerLimits.auditWrittenTogetherMax))
            guard !documents.isEmpty else { return nil }
            state.waiting.removeFirst(documents.count)
            if state.omittedCount > 0 {
                var body = omitted
                body["count"] = .integer(Int64(state.omittedCount))
                documents.append(Document(id: AuditRecorder.id(at: WallClock.microseconds), body: body))
                state.omittedCount = 0
            }
            return documents
        }
    }

    /// Removes the events that are older than the settings permit. If more events than the maximum remain, the oldest
    /// of the remaining events are also removed.
    private func removeOld() async {
        let rules = settings.options.audit
        do {
            guard
                try await !manager.names(
                    in: IDRange(lower: AuditRecorder.databaseName, upper: AuditRecorder.databaseName)
                ).isEmpty
            else { return }
            let database = try await manager.existingDatastore(named: AuditRecorder.databaseName)
            let oldest = AuditRecorder.prefix(at: WallClock.microseconds - Int64(rules.days) * 86_400_000_000)
            try await remove(from: database, IDRange(upper: oldest), countMax: .max)
            let excess = try database.info().documentCount - rules.eventsMax
            try await remove(from: database, IDRange(), countMax: excess)
        } catch {
            fail("old security events could not be removed from the database", error)
        }
    }

    /// Removes the oldest events of a range of ids, at most `countMax`. Each transaction removes only a limited number
    /// of events.
    private func remove(from database: Datastore, _ range: IDRange, countMax: Int) async throws {
        var rest = countMax
        while rest > 0, !Task.isCancelled {
            let ids = try database.documentIDs(in: range, limit: min(rest, ServerLimits.auditWrittenTogetherMax))
            guard !ids.isEmpty else { return }
            try await database.transact { transaction in
                for id in ids { _ = try transaction.purge(id) }
            }
            rest -= ids.count
        }
    }

    /// Logs a failure, at most once a minute.
    private func fail(_ message: Logger.Message, _ error: any Error) {
        let isFirst = state.withLock { state in
            guard state.lastFailure.map({ $0.secondsAgo >= 60 }) ?? true else { return false }
            state.lastFailure = .now
            return true
        }
        if isFirst { logger.error(message, metadata: ["cause": "\(error)"]) }
    }
}

/// The settings of the database of security events.
struct AuditRules: Sendable {
    /// When events are recorded: `applications`, `always` or `never`.
    var record = "applications"
    /// The number of days for which an event is kept.
    var days = 90
    /// The maximum number of events that are kept.
    var eventsMax = 1_000_000
}
