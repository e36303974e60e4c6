//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitViews
import HTTPTypes

/// The routes of show functions: functions of design documents that render a document, or a page without a document.
struct ShowRoutes {
    let server: ServerContext

    var routes: [Route] {
        ["/{db}/_design/{design}/_show/{show}", "/{db}/_design/{design}/_show/{show}/{id...}"].flatMap { path in
            [
                Route(.get, path, access: .database(.read), handler: show),
                Route(.post, path, access: .database(.read), posts: .any, handler: show),
                Route(.put, path, access: .database(.read), handler: show),
                Route(.delete, path, access: .database(.read), handler: show),
                Route(.patch, path, access: .database(.read), handler: show),
                Route(.copy, path, access: .database(.read), handler: show),
            ]
        }
            + [Route(.get, "/{db}/_design/{design}/_show", access: .database(.read), work: .light, handler: refuse)]
    }

    @Sendable private func refuse(_: RequestContext) async throws {
        throw HTTPFailure(.notFound, "show_error", "Invalid path.")
    }

    @Sendable private func show(_ context: RequestContext) async throws {
        let request = context.request
        let database = try await context.database()
        let functions = try database.functions(request)
        let name = request.parameter("show")
        try functions.check("shows", name)
        let id = request.functionDocumentID
        let document = try id.map { id in try database.datastore.read { try $0.shownText(id: id) } } ?? nil
        let tag = ShowRoutes.tag(request, context.principal, functions.revision, document?.revision)
        guard !request.matches(tag) else {
            return try await context.response.sendEmpty(.notModified, headers: [.eTag: tag])
        }
        let requestText = try await server.functionRequest(
            try await FunctionRequest(reading: request, database: database, documentID: id, limits: server.limits))
        let answer = try await ShowRoutes.call(
            functions, [Array(name.utf8), document?.text ?? Array("null".utf8), requestText],
            isMissing: id != nil && document == nil)
        var functionResponse = try FunctionResponse(try answer.tape.value(answer.index))
        // If the function has set these headers, the values of the server replace them. The reason is that the server
        // computes the tag without running the function: if the client already has the response, the function need not
        // run.
        functionResponse.headers[.eTag] = tag
        functionResponse.headers[.vary] = "Accept"
        try await functionResponse.send(to: context.response)
    }

    /// Calls the function.
    ///
    /// - Parameter isMissing: Whether the document does not exist. As in CouchDB, a function that throws then has nothing
    ///   to show.
    private static func call(
        _ functions: DesignFunctions, _ arguments: [[UInt8]], isMissing: Bool
    ) async throws -> ScriptAnswer {
        do throws(ScriptError) {
            return try await functions.call("show", arguments)
        } catch {
            if isMissing, error.code == .thrown {
                throw HTTPFailure(.notFound, "not_found", "document not found")
            }
            throw error
        }
    }

    /// Returns the entity tag. It is a hash of four values: the design document's revision, the document's revision,
    /// the header `Accept`, and the principal with its roles. A function can also read other values, such as cookies.
    /// As in CouchDB, these values do not affect the tag.
    private static func tag(
        _ request: ServerRequest, _ principal: Principal, _ design: RevisionID, _ document: RevisionID?
    ) -> String {
        let parts: [String] =
            [design.description, document?.description ?? "", request.header(.accept) ?? "", principal.name ?? ""]
            + principal.roles
        let text = JSONValue.array(parts.map { .string($0) }).jsonBytes()
        return "\"" + MessageDigest.Algorithm.sha256.digest(of: text).prefix(16).map { String($0, radix: 36) }.joined()
            + "\""
    }
}

extension OpenDatabase {
    /// Returns the functions of the design document in a request's path.
    ///
    /// - Throws: ``HTTPFailure`` with status 404 when the design document does not exist.
    func functions(_ request: ServerRequest) throws -> DesignFunctions {
        guard let functions = try datastore.functions(of: request.parameter("design")) else {
            throw HTTPFailure.missing
        }
        return functions
    }
}

extension ServerRequest {
    /// The id of the document in the path; `nil` if the path contains no document.
    var functionDocumentID: String? {
        let id = parameter("id")
        return id.isEmpty ? nil : id
    }
}
