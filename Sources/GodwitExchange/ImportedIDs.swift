//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
import GodwitJSON
import GodwitStore

/// The ids that a file gave so far, with what stood under them: hashes of both, the first `idsRememberedMax` of a file.
struct ImportedIDs {
    /// What an id is in its file.
    enum Occurrence {
        case first
        /// The same record stood there before.
        case repeated
        /// Another record has the id.
        case taken
    }

    private var contents: [UInt64: UInt32] = [:]

    mutating func add(_ id: String, _ document: FileDocument) -> Occurrence {
        // An id that was made of the content stands for the same content.
        let content =
            document.id == nil ? 0 : UInt32(truncatingIfNeeded: JSONValue.object(document.body).hashValue)
        let key = UInt64(bitPattern: Int64(Array(id.utf8).hashValue))
        guard let known = contents[key] else {
            if contents.count < ExchangeLimits.idsRememberedMax { contents[key] = content }
            return .first
        }
        return known == content ? .repeated : .taken
    }
}

extension FileDocument {
    private static let derivedIDBytes = 16

    /// An id made of the content: the first 128 bits of SHA-256 over the body in canonical JSON, in hexadecimal digits, so
    /// that the same record has the same id whenever it is read.
    ///
    /// - Throws: ``RecordError`` for a body that cannot be written.
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
