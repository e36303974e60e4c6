//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
package import GodwitStore

/// One record of a file: a feature, a line, a row, a point.
package struct FileRecord {
    /// The number of the record in the file, from 1.
    package let number: Int
    /// The line at which the record starts, from 1.
    package let line: Int
    /// The document of the record, or the reason why the record has no document.
    package let content: Result<FileDocument, RecordError>
}

/// A document that was read from a file.
package struct FileDocument: Sendable {
    /// The id from the file; `nil` when the record has no id.
    package var id: String?
    /// The members, without the id.
    package var body: JSONObject
    /// The attachments with their bytes, by their names; empty for none.
    package var attachments: Attachments = [:]
    /// The length of the record in bytes.
    package var byteCount: Int
}

/// Reads a file record by record.
package protocol RecordReader {
    /// Returns the next record; `nil` at the end.
    ///
    /// - Throws: ``ExchangeError`` when the rest of the file cannot be read.
    mutating func next() throws(ExchangeError) -> FileRecord?

    /// The number of bytes of the file that are consumed.
    var usedCount: Int { get }
}

extension JSONValue {
    /// The value as an id: a text, or a number as text; `nil` for other values. If a number is a whole number that fits
    /// into an `Int`, its text contains no decimal point.
    var documentID: String? {
        switch self {
        case .string(let text): text
        case .integer, .bigInteger: jsonText()
        case .double(let number): Int(exactly: number).map(String.init) ?? jsonText()
        default: nil
        }
    }
}
