//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitViews
import HTTPTypes

/// The route that tries a function before its design document is saved. It runs the function on stored documents and
/// writes nothing. CouchDB has no such route.
struct TrialRoutes {
    let server: ServerContext

    /// The kinds of functions that can be tried.
    private static let kinds: Set<String> = ["map", "filter", "validate", "index", "geometry"]

    var routes: [Route] {
        [Route(.post, "/{db}/_godwit/trial", access: .database(.administrate), handler: tryFunction)]
    }

    @Sendable private func tryFunction(_ context: RequestContext) async throws {
        let database = try await context.database()
        let trial = try Trial(
            try await context.request.collectValue(limits: server.limits, depthMax: JSONLimits.valueDepthMax))
        let documents = try database.datastore.read { table in try trial.documents(from: table) }
        let security = try await server.securities.object(of: database.datastore.name) ?? .administratorsOnly
        let program = ScriptProgram(
            design: trial.design["_id"]?.stringValue ?? "_design/trial",
            source: JSONValue.object(trial.design).jsonBytes(), in: IndexedDatabase(database.datastore))
        let call = ScriptCall(
            program, "trial",
            [
                Array(trial.kind.utf8), Array(trial.name.utf8), DesignFunctions.list(documents.map(\.text)),
                trial.context(database: database.datastore.name, security: security).jsonBytes(),
            ])
        let answer: ScriptAnswer
        do {
            answer = try await database.datastore.scripts().answer(to: call)
        } catch {
            // The function is a part of the request. Therefore these errors of the function are errors in the request.
            guard [.thrown, .timeout, .memory, .invalidAnswer].contains(error.code) else { throw error }
            throw HTTPFailure(.badRequest, error.error, error.reason)
        }
        var value = try answer.tape.value(answer.index).objectValue ?? [:]
        let outcomes = value["documents"]?.arrayValue ?? []
        value["documents"] = .array(
            zip(documents, outcomes).map { document, outcome in
                var object: JSONObject = ["id": .string(document.id)]
                for (name, member) in outcome.objectValue ?? [:] { object[name] = member }
                return .object(object)
            })
        try await context.response.sendJSON(body: JSONValue.object(value).line)
    }

    /// A request to try a function.
    private struct Trial {
        let design: JSONObject
        let kind: String
        /// The name of the view, filter or index that the function belongs to; empty for a `validate_doc_update`
        /// function.
        let name: String
        private let members: JSONObject
        private let ids: [String]?
        private let limit: Int

        init(_ body: JSONValue) throws(HTTPFailure) {
            guard let members = body.objectValue, let design = members["design"]?.objectValue else {
                throw .badRequest("The body needs the member design, a design document.")
            }
            guard let kind = members["kind"]?.stringValue, TrialRoutes.kinds.contains(kind) else {
                throw .badRequest("The member kind must be one of \(kinds.sorted().joined(separator: ", ")).")
            }
            guard (design["language"]?.stringValue ?? "javascript") == "javascript" else {
                throw .badRequest("Only functions in JavaScript can be tried.")
            }
            let name = members["name"]?.stringValue ?? ""
            guard kind == "validate" || !name.isEmpty else {
                throw .badRequest("The body needs the member name, the name of the view, filter or index.")
            }
            ids = members["ids"]?.arrayValue?.compactMap(\.stringValue)
            limit = members["limit"]?.intValue ?? ServerLimits.trialDocumentsDefault
            guard 1...ServerLimits.trialDocumentsMax ~= limit, (ids?.count ?? 0) <= ServerLimits.trialDocumentsMax
            else {
                throw .badRequest("A trial is limited to \(ServerLimits.trialDocumentsMax) documents.")
            }
            (self.design, self.kind, self.name, self.members) = (design, kind, name, members)
        }

        /// Reads the documents of the trial. They are the documents with the given ids. If no ids are given, they are
        /// the documents whose ids are equal to or greater than `startkey`, except design documents.
        func documents(from table: DocumentTable) throws -> [(id: String, text: [UInt8])] {
            var documents: [(id: String, text: [UInt8])] = []
            var byteCount = 0
            func add(_ id: String) throws {
                guard byteCount < ServerLimits.trialBytesMax, let shown = try table.shownText(id: id) else { return }
                documents.append((id, shown.text))
                byteCount += shown.text.count
            }
            if let ids {
                for id in ids { try add(id) }
                return documents
            }
            var range = IDRange(lower: members["startkey"]?.stringValue)
            while documents.count < limit, byteCount < ServerLimits.trialBytesMax {
                let slice = try table.documents(
                    in: range, descending: false, detail: .leaves, rowsMax: ServerLimits.trialDocumentsMax,
                    bytesMax: ServerLimits.trialBytesMax)
                for row in slice.rows where !row.id.begins(with: DocumentID.designPrefix) && documents.count < limit {
                    try add(row.id)
                }
                guard slice.hasMore, let last = slice.rows.last else { break }
                range.goOn(after: last.id, descending: false)
            }
            return documents
        }

        /// The arguments of the function in addition to the document. For a `validate_doc_update` function, they are
        /// the user and the security object. For a filter function, it is the request.
        func context(database: String, security: SecurityObject) -> JSONValue {
            let user = members["user"]?.objectValue ?? [:]
            let userContext: JSONValue = [
                "db": .string(database), "name": user["name"] ?? .null, "roles": user["roles"] ?? .array([]),
            ]
            return [
                "user": userContext, "security": .object(security.value),
                "isNew": members["isNew"] ?? .bool(false),
                "request": [
                    "method": "GET", "query": members["query"] ?? .object([:]), "userCtx": userContext,
                    "secObj": .object(security.value),
                ],
            ]
        }
    }
}
