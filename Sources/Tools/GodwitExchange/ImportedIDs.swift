//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore

/// Finds records of a file that have the same id. For this purpose, it stores hashes of the ids and of the records'
/// members, but only for the first `idsRememberedMax` ids. Any later id is treated as new if it is not one of these.
struct ImportedIDs {
    /// The relation of a record to previous records with the same id.
    enum Occurrence {
        case first
        /// A record with the same id and the same members was added before. Attachments are not compared.
        case repeated
        /// A record with the same id but different members was added before.
        case taken
    }

    private var contents: [UInt64: UInt32] = [:]

    mutating func add(_ id: String, _ document: FileDocument) -> Occurrence {
        // If the id is derived, the content needs no hash, because records with the same derived id have the same
        // content.
        let content =
            document.id == nil ? 0 : UInt32(truncatingIfNeeded: JSONValue.object(document.body).hashValue)
        let key = UInt64(bitPattern: Int64(Array(id.utf8).hashValue))
        guard let existing = contents[key] else {
            if contents.count < ExchangeLimits.idsRememberedMax { contents[key] = content }
            return .first
        }
        return existing == content ? .repeated : .taken
    }
}

extension FileDocument {
    private static let derivedIDBytes = 16

    /// Returns an id derived from the content: the first 128 bits of the SHA-256 of the body in canonical JSON, in
    /// hexadecimal digits. Equal bodies have equal ids.
    ///
    /// - Throws: ``RecordError`` when the body cannot be written as JSON.
    func derivedID() throws(RecordError) -> String {
        let tape: JSONTape
        do {
            tape = try JSONTape(scanning: JSONValue.object(body).jsonBytes())
        } catch {
            throw RecordError(error.description)
        }
        var text: [UInt8] = []
        tape.appendCanonical(0, droppingUnderscoredMembers: false, to: &text)
        return MessageDigest.Algorithm.sha256.digest(of: text).prefix(FileDocument.derivedIDBytes).hexadecimal
    }
}
