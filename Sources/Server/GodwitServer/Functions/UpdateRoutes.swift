//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import GodwitViews
import HTTPTypes

/// The routes of update functions: functions of design documents that create or change a document from a request.
struct UpdateRoutes {
    let server: ServerContext

    var routes: [Route] {
        ["/{db}/_design/{design}/_update/{update}", "/{db}/_design/{design}/_update/{update}/{id...}"].flatMap { path in
            [
                Route(.get, path, access: .database(.read), handler: refuse),
                Route(
                    .post, path, access: .database([.read, .write]), condition: .ofWriting, posts: .any, handler: update
                ),
                Route(.put, path, access: .database([.read, .write]), condition: .ofWriting, handler: update),
                Route(.delete, path, access: .database([.read, .write]), condition: .ofWriting, handler: update),
                Route(.patch, path, access: .database([.read, .write]), condition: .ofWriting, handler: update),
                Route(.copy, path, access: .database([.read, .write]), condition: .ofWriting, handler: update),
            ]
        }
    }

    /// Refuses GET requests, because a GET request must not change anything.
    @Sendable private func refuse(_: RequestContext) async throws {
        throw HTTPFailure(.methodNotAllowed, "method_not_allowed", "Update functions do not allow GET")
    }

    @Sendable private func update(_ context: RequestContext) async throws {
        let (request, response) = (context.request, context.response)
        let database = try await context.database()
        let functions = try database.functions(request)
        let name = request.parameter("update")
        try functions.check("updates", name)
        let id = request.functionDocumentID
        let document = try id.map { id in try database.datastore.read { try $0.shownText(id: id) } } ?? nil
        let requestText = try await server.functionRequest(
            try await FunctionRequest(reading: request, database: database, documentID: id, limits: server.limits))
        let answer = try await functions.call(
            "update", [Array(name.utf8), document?.text ?? Array("null".utf8), requestText])
        guard let responseIndex = answer.tape.member("response", of: answer.index) else {
            throw HTTPFailure(.internalServerError, "render_error", "undefined response from update function")
        }
        let value = try answer.tape.value(responseIndex)
        guard let documentIndex = answer.tape.member("document", of: answer.index),
            answer.tape.kind(documentIndex) == .object
        else {
            return try await FunctionResponse(value).send(to: response)
        }
        let (savedID, revision) = try await UpdateRoutes.write(answer.tape, at: documentIndex, to: database)
        var functionResponse = try FunctionResponse(value, status: .created)
        functionResponse.headers[.updatedRevision] = revision.description
        functionResponse.headers[.updatedID] = savedID.percentEncoded
        try await functionResponse.send(to: response)
    }

    /// Writes the document that the function returned. The same rules apply as to any other write.
    private static func write(
        _ tape: JSONTape, at index: Int, to database: OpenDatabase
    ) async throws -> (id: String, revision: RevisionID) {
        let datastore = database.datastore
        let document = try IncomingDocument(tape, at: index, purpose: .edit, limits: datastore.limits)
        let id = document.id ?? ""
        try DocumentID.check(id, limits: datastore.limits)
        return (id, try await datastore.save(try await database.validated(document)))
    }
}

extension HTTPField.Name {
    fileprivate static let updatedRevision = HTTPField.Name("X-Couch-Update-NewRev")!
    fileprivate static let updatedID = HTTPField.Name("X-Couch-Id")!
}
