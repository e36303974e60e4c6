//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// A write of a local document, which is never replicated.
struct LocalEdit: Sendable {
    /// The id after `_local/`.
    private let id: String
    /// The number in the revision that the client sent; 0 when the client sent no revision.
    private let previous: Int
    let isDeleted: Bool
    private let body: [UInt8]

    private static let prefix = "_local/"
    /// The upper bound of the number in a revision. The number is always smaller than this bound.
    private static let revisionMax = 1 << 53

    /// Parses the local document that begins at an index of a tape.
    ///
    /// - Parameter request: The request, if it writes only this document. Its query and the header `If-Match` may then
    ///   contain the revision.
    /// - Throws: ``StoreError`` or ``HTTPFailure`` with CouchDB's reason when a rule is broken.
    init(
        id: String, _ tape: JSONTape, at index: Int, of request: ServerRequest? = nil, limits: StoreLimits
    ) throws {
        guard tape.kind(index) == .object else { throw HTTPFailure.badRequest("Document must be a JSON object") }
        guard !id.isEmpty else { throw HTTPFailure.badRequest("Illegal document id `_local/`") }
        var members = ReservedMembers()
        try members.read(tape, of: index)
        var body: [UInt8] = []
        tape.appendCanonical(index, droppingUnderscoredMembers: true, to: &body)
        guard body.count <= limits.bodyBytesMax else {
            throw StoreError(.documentTooLarge, "the body is larger than \(limits.bodyBytesMax) bytes")
        }
        self.id = id
        let revision = try request.map { try $0.revision(inBody: members.revision) } ?? members.revision
        previous = try revision.map(Self.number) ?? 0
        isDeleted = members.isDeleted
        self.body = body
    }

    /// Creates a write of a body.
    ///
    /// - Parameter revision: The revision that the writer has read.
    /// - Throws: ``HTTPFailure`` with status 400 if the id is empty or the revision is not one of a local document.
    init(id: String, replacing revision: RevisionID?, body: [UInt8]) throws {
        guard !id.isEmpty else { throw HTTPFailure.badRequest("Illegal document id `_local/`") }
        self.id = id
        previous = try revision.map(Self.number) ?? 0
        isDeleted = false
        self.body = body
    }

    /// Returns the id without `_local/`; `nil` if it is not the id of a local document.
    static func localID(of id: String) -> String? {
        id.utf8.starts(with: prefix.utf8) ? String(id.utf8.dropFirst(prefix.utf8.count)) : nil
    }

    /// Returns the id, without `_local/`, of the document that begins at an index of a tape; `nil` when this is not a
    /// local document.
    static func id(_ tape: JSONTape, at index: Int) -> String? {
        guard tape.kind(index) == .object, let member = tape.member("_id", of: index), tape.kind(member) == .string
        else { return nil }
        return localID(of: tape.string(member))
    }

    /// The document's complete id, with `_local/`.
    var fullID: String { LocalEdit.prefix + id }

    /// Returns the number in a revision `0-N`.
    private static func number(_ revision: RevisionID) throws -> Int {
        guard revision.generation == 0, let number = Int(revision.hashText), (0..<revisionMax).contains(number) else {
            throw HTTPFailure.badRequest("Invalid rev format")
        }
        return number
    }

    /// Writes the document, or removes it.
    ///
    /// - Returns: The new revision; `0-0` for a removed document.
    func write(in transaction: WriteTransaction) throws -> String {
        guard isDeleted else { return "0-\(try transaction.saveLocal(id: id, previous: previous, body: body))" }
        try transaction.removeLocal(id: id)
        return "0-0"
    }
}
