//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import HTTPTypes

/// Writes the rows of a feed in the format of its kind, and waits between them.
struct FeedWriter {
    let query: FeedQuery
    let response: ServerResponse
    private(set) var isEmpty = true
    private var hasBegun = false
    private var hasWaited = false
    /// The time of the last row or heartbeat. Before the first row or heartbeat, it is the time at which the feed
    /// began.
    private var lastSendTime = ContinuousClock.now

    init(query: FeedQuery, response: ServerResponse) {
        self.query = query
        self.response = response
    }

    /// Begins the response, unless it has already begun. Until then, the status of the response can still report a
    /// failure.
    mutating func begin() async throws {
        guard !hasBegun else { return }
        hasBegun = true
        var headers: HTTPFields = query.kind == .eventsource ? [.cacheControl: "no-cache"] : [:]
        headers[.eTag] = query.tag
        try await response.begin(
            contentType: query.kind.contentType, headers: headers, isLive: query.kind != .normal)
        if !query.kind.isEndless { try await response.write("{\"results\":[\n") }
    }

    /// Appends a row.
    ///
    /// - Parameter position: The sequence of the row. A client that reconnects continues after this sequence.
    mutating func append(_ row: consuming DocumentText, at position: String, to text: inout DocumentText) {
        if query.kind.isEndless { row.joinLines() }
        switch query.kind {
        case .normal, .longpoll:
            if !isEmpty { text.append(raw: ",\n") }
            text += row
        case .continuous:
            text += row
            text.append(UInt8(ascii: "\n"))
        case .eventsource:
            text.append(raw: "data: ")
            text += row
            text.append(raw: "\nid: \(position)\n\n")
        }
        isEmpty = false
        lastSendTime = .now
    }

    /// Sends rows.
    mutating func write(_ text: PinnedText) async throws {
        try await begin()
        try await response.write(text)
    }

    /// Records that the caller has written rows directly to the response, without this writer.
    mutating func hasWritten() {
        isEmpty = false
        lastSendTime = .now
    }

    /// Ends the feed.
    ///
    /// - Parameter summary: The members of the last object, for example `"last_seq":"3-x"`.
    mutating func end(_ summary: String) async throws {
        try await begin()
        switch query.kind {
        case .normal, .longpoll: try await response.write("\n],\n\(summary)}\n")
        case .continuous: try await response.write("{\(summary)}\n")
        case .eventsource: break
        }
        try await response.finish()
    }

    /// Waits for a change, and sends heartbeats if the client requested them.
    ///
    /// - Parameter waitForChange: A closure that returns `true` when a change has been made. It returns `false` when
    ///   the wait is cancelled, and when no further changes are possible.
    /// - Returns: Whether a change was made. `false` after the timeout, and when `waitForChange` returns `false`.
    mutating func wait(for waitForChange: @escaping @Sendable () async -> Bool) async throws -> Bool {
        // As in CouchDB, an empty line is sent before the first wait if no row was written. It shows the client at once
        // that the feed is open.
        try await begin()
        if !hasWaited, isEmpty, query.kind != .eventsource { try await response.write("\n") }
        hasWaited = true
        try await response.flush()
        WorkBudget.current?.renew()
        // The timeout begins at the last row. Changes that the filter excludes have no rows, so they do not restart the
        // timeout.
        guard let heartbeat = query.heartbeat else {
            let remainingTime = (query.timeout ?? .zero) - (.now - lastSendTime)
            return remainingTime > .zero
                ? try await FeedWriter.result(of: waitForChange, within: remainingTime) ?? false : false
        }
        while true {
            let remainingTime = heartbeat - (.now - lastSendTime)
            if remainingTime > .zero,
                let outcome = try await FeedWriter.result(of: waitForChange, within: remainingTime)
            {
                return outcome
            }
            try await response.write(query.kind == .eventsource ? "event: heartbeat\ndata: \n\n" : "\n")
            try await response.flush()
            lastSendTime = .now
        }
    }

    /// Waits for a change for a limited time.
    ///
    /// - Returns: The result of `waitForChange`; `nil` after the timeout.
    private static func result(
        of waitForChange: @escaping @Sendable () async -> Bool, within limit: Duration
    ) async throws -> Bool? {
        try await withThrowingTaskGroup(of: Bool?.self) { group in
            group.addTask { await waitForChange() }
            group.addTask {
                try await Task.sleep(for: limit)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }
}
