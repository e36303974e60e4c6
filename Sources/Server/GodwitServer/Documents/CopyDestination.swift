//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore
import HTTPTypes

/// The target of a copy, from the header `Destination`: the id of a document or of a local document. If the copy replaces
/// an existing document, the header also contains the revision of the existing document.
struct CopyDestination: Sendable {
    /// The id of the copy, with `_local/` for a local document.
    let id: String
    private let revision: RevisionID?
    /// The id after `_local/`; `nil` for a document that is no local document.
    private let localID: String?

    /// - Throws: ``HTTPFailure`` with status 400 if the header is missing, a complete URL or malformed, or if the id is
    ///   invalid.
    init(_ request: ServerRequest, limits: StoreLimits) throws {
        guard let header = request.header(.destination), !header.isEmpty else {
            throw HTTPFailure.badRequest("Destination header is mandatory for COPY.")
        }
        guard header.firstBytes("://") == nil else {
            throw HTTPFailure.badRequest("Destination URL must be relative.")
        }
        let target = try RequestTarget("/db/" + Substring(header.utf8.drop { $0 == UInt8(ascii: "/") }))
        id = target.segments.dropFirst().joined(separator: "/")
        revision = try target.revision("rev")
        localID = LocalEdit.localID(of: id)
        if localID == nil { try DocumentID.check(id, limits: limits) }
    }

    /// Writes the copy.
    ///
    /// - Parameters:
    ///   - body: The JSON of the body, without reserved members.
    ///   - document: Returns the copy as a document. It is not called for a local document, which has no attachments.
    /// - Returns: The revision of the copy.
    func write(
        _ body: [UInt8], as document: () throws -> IncomingDocument, to database: OpenDatabase
    ) async throws -> String {
        guard let localID else {
            try database.checkWriting()
            var copy = try document()
            (copy.id, copy.revision) = (id, revision)
            return try await database.datastore.save(try await database.validated(copy)).description
        }
        try database.checkLocalWriting()
        let edit = try LocalEdit(id: localID, replacing: revision, body: body)
        return try await database.datastore.transact { try edit.write(in: $0) }
    }
}

extension HTTPField.Name {
    fileprivate static let destination = HTTPField.Name("Destination")!
}
