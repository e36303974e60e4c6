//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// Documents that are never replicated.
struct LocalRoutes {
    let context: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/{db}/_local/{local...}", access: .database(.read), work: .light, handler: read),
            Route(.put, "/{db}/_local/{local...}", access: .database(.writeLocal), work: .light, handler: save),
            Route(.delete, "/{db}/_local/{local...}", access: .database(.writeLocal), work: .light, handler: delete),
        ]
    }

    @Sendable private func read(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let id = request.parameter("local")
        let found = try await context.datastore(request).read { try $0.local(id: id) }
        guard let found else { throw HTTPFailure.missing }
        let tag = "\"\(found.revisionText)\""
        if request.matches(tag) { return try await response.sendEmpty(.notModified, headers: [.eTag: tag]) }
        var text: [UInt8] = []
        LocalRoutes.append(found, to: &text)
        try await response.sendJSON(headers: [.eTag: tag], body: text + [UInt8(ascii: "\n")])
    }

    private static func append(_ document: LocalDocument, to text: inout [UInt8]) {
        text.append(raw: "{\"_id\":")
        JSONWriter.appendQuoted("_local/\(document.id)", to: &text)
        text.append(raw: ",\"_rev\":\"\(document.revisionText)\"")
        if document.body.count > 2 {
            text.append(UInt8(ascii: ","))
            text.append(contentsOf: document.body[1...])
        } else {
            text.append(UInt8(ascii: "}"))
        }
    }

    /// A row of `_local_docs`.
    static func row(_ document: LocalDocument, withDocument: Bool) -> [UInt8] {
        var text: [UInt8] = []
        text.append(raw: "{\"id\":")
        JSONWriter.appendQuoted("_local/\(document.id)", to: &text)
        text.append(raw: ",\"key\":")
        JSONWriter.appendQuoted("_local/\(document.id)", to: &text)
        text.append(raw: ",\"value\":{\"rev\":\"\(document.revisionText)\"}")
        if withDocument {
            text.append(raw: ",\"doc\":")
            append(document, to: &text)
        }
        text.append(UInt8(ascii: "}"))
        return text
    }

    @Sendable private func save(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let datastore = try await context.datastore(request)
        let id = request.parameter("local")
        let tape = try await request.collectJSON(limits: context.limits, depthMax: datastore.limits.depthMax)
        let previous = try LocalRoutes.revision(tape)
        let body = try LocalRoutes.body(tape, limits: datastore.limits)
        let revision = try await datastore.transact { try $0.saveLocal(id: id, previous: previous, body: body) }
        try await response.sendSaved(
            .created, id: "_local/\(id)", revision: "0-\(revision)", at: [datastore.name, "_local/\(id)"], to: request)
    }

    @Sendable private func delete(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let id = request.parameter("local")
        try await context.datastore(request).write { try $0.removeLocal(id: id) }
        try await response.sendSaved(.ok, id: "_local/\(id)", revision: "0-0", at: [], to: request)
    }

    /// No local document is changed so often.
    private static let revisionMax = 1 << 53

    /// The number in a local document's `_rev`, which is `0-N`.
    private static func revision(_ tape: JSONTape) throws(HTTPFailure) -> Int {
        guard tape.kind(0) == .object else { throw .badRequest("Document must be a JSON object") }
        guard let member = tape.member("_rev", of: 0) else { return 0 }
        guard tape.kind(member) == .string, tape.string(member).hasPrefix("0-"),
            let number = Int(tape.string(member).dropFirst(2)), (0..<LocalRoutes.revisionMax).contains(number)
        else { throw .badRequest("Invalid rev format") }
        return number
    }

    private static func body(_ tape: JSONTape, limits: StoreLimits) throws -> [UInt8] {
        var body: [UInt8] = []
        tape.appendCanonical(0, droppingUnderscoredMembers: true, to: &body)
        guard body.count <= limits.bodyBytesMax else {
            throw StoreError(.documentTooLarge, "the body is above \(limits.bodyBytesMax) bytes")
        }
        return body
    }
}
