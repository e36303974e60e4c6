//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

/// Writes the response to one query of a view, and reads its rows while it writes.
struct ViewResponseWriter {
    private var rows: ViewRowTexts
    private let response: ServerResponse
    private var firstRows: PinnedText?
    private var isPrepared = false

    init(_ rows: ViewRowTexts, to response: ServerResponse) {
        self.rows = rows
        self.response = response
    }

    /// Reads the first rows. Call this method before the response begins. If the first rows cannot be read, the status
    /// of the response can then still report the error.
    mutating func prepare() async throws {
        firstRows = try await next()
        isPrepared = true
    }

    /// Writes the response as one object.
    mutating func write() async throws {
        if !isPrepared { try await prepare() }
        try await response.write("{" + (try rows.head() + ["\"rows\":[\n"]).joined(separator: ","))
        if let text = firstRows.take() {
            try await response.write(text)
            while let moreRows = try await next() {
                try await response.write(",\n")
                try await response.write(moreRows)
            }
        }
        try await response.write("\n]}")
    }

    private mutating func next() async throws -> PinnedText? {
        try await rows.next(bytesMax: response.sliceBytes).map { try rows.datastore.pinned($0) }
    }
}
