//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore

/// Reads JSON Lines: one document on each line, with its attachments in Base64.
package struct LineReader: RecordReader {
    private var window: FileWindow
    private let idMember: String?
    private var number = 0

    /// Creates a reader.
    ///
    /// - Parameters:
    ///   - window: The file.
    ///   - idMember: The member with the id; `nil` for `_id`.
    package init(_ window: FileWindow, idMember: String? = nil) {
        self.window = window
        self.idMember = idMember
    }

    package var usedCount: Int { window.usedCount }

    package mutating func next() throws(ExchangeError) -> FileRecord? {
        try window.passBlanks()
        guard try window.has(1) else { return nil }
        number += 1
        let line = window.line
        let end = try window.offset(of: "\n") ?? window.count
        let text = window.take(end)
        do throws(RecordError) {
            return FileRecord(number: number, line: line, content: .success(try document(text)))
        } catch {
            return FileRecord(number: number, line: line, content: .failure(error))
        }
    }

    /// The members that are ignored, because they describe revisions in the database from which the line was exported.
    private static let metadata = [
        "_rev", "_revisions", "_revs_info", "_conflicts", "_deleted_conflicts", "_local_seq",
    ]

    private func document(_ text: [UInt8]) throws(RecordError) -> FileDocument {
        var body = try Feature.object(text)
        guard body["_deleted"] != true else { throw RecordError("this is a deletion, which is not imported") }
        body.removeValue(forKey: "_deleted")
        let id = try id(of: body)
        body.removeValue(forKey: "_id")
        for name in LineReader.metadata { body.removeValue(forKey: name) }
        let attachments = try LineReader.attachments(body.removeValue(forKey: "_attachments"))
        return FileDocument(id: id, body: body, attachments: attachments, byteCount: text.count)
    }

    private func id(of body: JSONObject) throws(RecordError) -> String? {
        guard let idMember else {
            guard let value = body["_id"] else { return nil }
            guard let id = value.stringValue else { throw RecordError("the _id is not a string") }
            return id
        }
        guard let id = body[idMember]?.documentID else {
            throw RecordError("`\(idMember)`, the member for the id, is not a string or a number")
        }
        return id
    }

    private static func attachments(_ value: JSONValue?) throws(RecordError) -> Attachments {
        guard let value else { return [:] }
        guard let members = value.objectValue else { throw RecordError("_attachments is not an object") }
        var attachments: Attachments = [:]
        for (name, attachment) in members {
            guard let digits = attachment["data"]?.stringValue else {
                throw RecordError("the attachment \(name) has no data")
            }
            guard let bytes = Base64.decode(digits.utf8) else {
                throw RecordError("the attachment \(name) is not Base64")
            }
            let type = attachment["content_type"]?.stringValue ?? "application/octet-stream"
            attachments[name] = .data(bytes, contentType: type)
        }
        return attachments
    }
}
