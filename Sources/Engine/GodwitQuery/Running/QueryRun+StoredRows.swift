//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
package import GodwitStore
import GodwitText

/// Returns documents in the requested representation, copied from their rows if the plan permits.
extension QueryRun {
    /// Appends the next documents as JSON, with a separator before each document except the first.
    ///
    /// - Returns: The number of documents; 0 when no more documents exist or the query's limit is reached.
    package func appendNext(
        to text: inout DocumentText, separator: StaticString, bytesMax: Int = QueryLimits.sliceBytesMax
    ) async throws -> Int {
        let (length, isFirst) = (text.bytes.count, !hasFound)
        let storedCount = try await takeStoredRows(bytesMax: bytesMax) { statement, scope in
            if !isFirst || text.bytes.count > length { text.append(literal: separator) }
            return try text.append(winnerOf: statement, scope: scope)
        }
        if let storedCount { return storedCount }
        text.truncate(to: length)
        let found = try await next(bytesMax: bytesMax)
        for (index, document) in found.enumerated() {
            if !isFirst || index > 0 { text.append(literal: separator) }
            document.appendText(showsConflicts: prepared.query.showsConflicts, to: &text)
        }
        return found.count
    }

    /// Appends the next documents.
    ///
    /// - Returns: The number of documents; 0 when no more documents exist or the query's limit is reached.
    func appendNext(to documents: inout [Document]) async throws -> Int {
        let count = documents.count
        let storedCount = try await takeStoredRows(bytesMax: QueryLimits.sliceBytesMax) { statement, scope in
            let (document, bytes) = try Document.winner(of: statement, scope: scope)
            documents.append(document)
            return bytes
        }
        if let storedCount { return storedCount }
        documents.removeLast(documents.count - count)
        let found = try await next()
        for document in found { documents.append(try document.document()) }
        return found.count
    }

    /// - Returns: The number of rows; `nil` if the documents must be found by ``next(bytesMax:)``.
    private func takeStoredRows(
        bytesMax: Int, _ take: (SQLiteStatement, Scope) throws -> Int
    ) async throws -> Int? {
        guard sorter == nil, skip == 0, cursor.readsStoredRows else { return nil }
        while left > 0, !cursor.isAtEnd {
            do {
                let count = try cursor.takeStoredRows(upTo: left, bytesMax: bytesMax, take)
                left -= count
                hasFound = hasFound || count > 0
                if count > 0 { return count }
            } catch let error {
                guard error.code == .indexNotFound else { throw error }
                return nil
            }
            await Task.yield()
            try Task.checkCancellation()
        }
        return 0
    }
}
