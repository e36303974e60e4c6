//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
package import GodwitStore
import GodwitTransport

extension JSONTape {
    /// Reads a document that a server sent. Throws ``StoreError`` if it is not a valid object.
    ///
    /// - Parameters:
    ///   - index: The document's index in the tape.
    ///   - database: The URL of the database, for the attachments.
    ///   - tellsPacking: Whether the response says which attachments the server stores compressed.
    package func document(
        _ index: Int, of database: String, tellsPacking: Bool = true
    ) throws(StoreError) -> Document {
        guard kind(index) == .object else {
            throw StoreError(.badAnswer, "\(database) does not respond like CouchDB: a document is not an object")
        }
        let value: JSONValue
        do throws(JSONError) {
            value = try self.value(index)
        } catch {
            throw StoreError(json: error)
        }
        let members = value.objectValue ?? [:]
        let id = member("_id", of: index).flatMap { kind($0) == .string ? string($0) : nil }
        let revision = member("_rev", of: index).flatMap { self.revision($0) }
        return Document(
            id: id, revision: revision, isDeleted: isTrue("_deleted", of: index),
            body: JSONObject(members.lazy.filter { !$0.key.isReserved }.map { ($0.key, $0.value) }),
            attachments: attachments(of: index, id, revision, database, tellsPacking))
    }

    private func attachments(
        of index: Int, _ id: String?, _ revision: RevisionID?, _ database: String, _ tellsPacking: Bool
    ) -> Attachments {
        guard let id, let revision, let members = member("_attachments", of: index) else { return [:] }
        var attachments: Attachments = [:]
        for (key, value) in self.members(of: members) where kind(value) == .object {
            let reference = RemoteAttachment(
                database: database, documentID: id, revision: revision, name: string(key),
                length: min(max(count("length", of: value), 0), RemoteAttachment.lengthMax),
                digest: text("digest", of: value),
                isDigestOfBytes: tellsPacking && member("encoding", of: value) == nil,
                revisionPosition: max(count("revpos", of: value), 0))
            attachments[string(key)] = Attachment(reference, contentType: text("content_type", of: value))
        }
        return attachments
    }
}

extension String {
    /// Whether a member of a document is reserved for the store. It is reserved if its name begins with an underscore,
    /// but not with `_replication_`.
    fileprivate var isReserved: Bool {
        utf8.first == UInt8(ascii: "_") && !utf8.starts(with: "_replication_".utf8)
    }
}
