//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
package import GodwitStore

/// One record of a file: a feature, a line, a row, a point.
package struct FileRecord {
    /// Which one it is, from 1.
    package let number: Int
    /// The line at which it begins, from 1.
    package let line: Int
    /// The document that it gives, or why it gives none.
    package let content: Result<FileDocument, RecordError>
}

/// A document of a file.
package struct FileDocument: Sendable {
    /// The id that the file gives; `nil` when it gives none.
    package var id: String?
    /// The members, without id.
    package var body: JSONObject
    package var attachments: [String: Attachment] = [:]
    /// How long its record is, in bytes.
    package var byteCount: Int
}

/// Reads a file record by record.
package protocol RecordReader {
    /// The next record; `nil` at the end.
    ///
    /// - Throws: ``ExchangeError`` when nothing can be read beyond this place.
    mutating func next() throws(ExchangeError) -> FileRecord?

    /// Bytes of the file that are done with.
    var usedCount: Int { get }
}

extension JSONValue {
    /// The id that a value names: a text, or a number as text. A number without a fraction has no point.
    var documentID: String? {
        switch self {
        case .string(let text): text
        case .integer, .bigInteger: jsonText()
        case .double(let number): Int(exactly: number).map(String.init) ?? jsonText()
        default: nil
        }
    }
}
