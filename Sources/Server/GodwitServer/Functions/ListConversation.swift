//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// The rows that a list function reads.
enum ListRows {
    case view(ViewRowTexts)
    case documents(AllDocsRows)

    /// The maximum number of rows that a function gets at a time.
    private static let rowsMax = 100

    /// The members of the object before its rows.
    mutating func head() throws -> [String] {
        switch self {
        case .view(var rows):
            defer { self = .view(rows) }
            return try rows.head()
        case .documents(let rows):
            return try rows.head()
        }
    }

    /// Returns the next rows; `nil` at the end.
    mutating func next(bytesMax: Int) async throws -> DocumentText? {
        switch self {
        case .view(var rows):
            defer { self = .view(rows) }
            return try await rows.next(bytesMax: bytesMax, rowsMax: ListRows.rowsMax)
        case .documents(var rows):
            defer { self = .documents(rows) }
            return try await rows.next(bytesMax: bytesMax, rowsMax: ListRows.rowsMax)
        }
    }

    var datastore: Datastore {
        switch self {
        case .view(let rows): rows.datastore
        case .documents(let rows): rows.datastore
        }
    }
}

/// Connects a running list function with its client: sends the output of the function to the client, and gives rows to
/// the function when the function asks for them. Rows and output are handled in pieces. Therefore memory never contains
/// all rows or a complete long response.
final class ListConversation: @unchecked Sendable {
    // Proof of `Sendable`: the runtime sends one request at a time (``reply(to:)``), and the handler calls `finish`
    // only after the function has ended.
    private var rows: ListRows
    private let response: ServerResponse
    private let output: ListOutput
    /// The head of the response. It is sent together with the first text, and is `nil` afterwards.
    private var head: FunctionResponse?
    /// The error that ended the function early.
    private var failure: (any Error)?

    init(_ rows: ListRows, _ response: ServerResponse, budget: ListOutputBudget) {
        self.rows = rows
        self.response = response
        output = ListOutput(response, budget: budget)
    }

    /// Answers a request that the runtime sends while the function runs. If an error occurs, returns `nil`. The runtime
    /// then ends the function.
    func reply(to question: [UInt8]) async -> [UInt8]? {
        do {
            return try await answer(JSONTape(scanning: question))
        } catch {
            failure = error
            return nil
        }
    }

    private func answer(_ question: JSONTape) async throws -> [UInt8] {
        if let start = question.member("start", of: 0), !response.hasBegun {
            head = try FunctionResponse(try question.value(start))
        }
        if let chunks = question.member("chunks", of: 0) {
            let bytes = Array(question.string(chunks).utf8)
            if !bytes.isEmpty {
                try await begin()
                try await output.say(bytes)
            }
        }
        guard question.member("rows", of: 0).flatMap({ question.bool($0) }) == true else { return Array("{}".utf8) }
        var reply = Array("{\"rows\":[".utf8)
        guard let text = try await rows.next(bytesMax: response.sliceBytes) else {
            return reply + Array("],\"more\":false}".utf8)
        }
        try await rows.datastore.pinned(text).read(piece: { response.pieceBytes }) { reply += $0 }
        return reply + Array("],\"more\":true}".utf8)
    }

    private func begin() async throws {
        guard let head = head.take() else { return }
        response.omitCacheControl()
        try await response.begin(head.status, contentType: head.contentType, headers: head.headers)
    }

    /// Sends the function's last output and ends the response.
    func finish(saying text: String) async throws {
        try await begin()
        try await output.settled()
        try await response.write(text)
        try await response.finish()
    }

    /// Ends the response of a function that failed. If the response has begun, its status cannot be changed any more.
    /// As in CouchDB, the last line of the response then reports the failure.
    ///
    /// - Throws: The error when nothing was sent, when rows could not be read, or when the client has disconnected. If
    ///   this method throws after the response has begun, the connection is closed.
    func finish(failingWith error: any Error) async throws {
        // Tasks that still send output must end first, because no task may use the response after this method.
        do { try await output.settled() } catch { throw failure ?? error }
        if let failure { throw failure }
        guard response.hasBegun, !(error is CancellationError) else { throw error }
        let httpFailure = HTTPFailure(error)
        let line: JSONValue = [
            "code": .integer(Int64(httpFailure.status.code)), "error": .string(httpFailure.error),
            "reason": .string(httpFailure.reason),
        ]
        try await response.write("\n" + line.jsonText() + "\n")
        try await response.finish()
    }
}
