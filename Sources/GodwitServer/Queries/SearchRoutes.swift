//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitStore
import HTTPTypes

/// Searches of text indexes, as Cloudant has them.
struct SearchRoutes {
    let context: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/{db}/_design/{design}/_search/{index}", access: .database(.read), handler: search),
            Route(.post, "/{db}/_design/{design}/_search/{index}", access: .database(.read), handler: search),
            Route(
                .get, "/{db}/_partition/{partition}/_design/{design}/_search/{index}", access: .database(.read),
                handler: search),
            Route(
                .post, "/{db}/_partition/{partition}/_design/{design}/_search/{index}", access: .database(.read),
                handler: search),
        ]
    }

    private func parameters(_ request: ServerRequest, _ datastore: Datastore) async throws -> SearchParameters {
        let partition = request.parameters.contains { $0.name == "partition" } ? request.parameter("partition") : nil
        if let partition { try datastore.checkPartition(partition) }
        let design = DocumentID.designPrefix + request.parameter("design")
        let index = request.parameter("index")
        guard request.head.method == .post else {
            return try SearchParameters(request.target, design: design, index: index, partition: partition)
        }
        let body = try await request.collectValue(limits: context.limits, depthMax: datastore.limits.depthMax)
        guard let members = body.objectValue else { throw HTTPFailure.badRequest("Request body must be a JSON object") }
        return try SearchParameters(members, design: design, index: index, partition: partition)
    }

    @Sendable private func search(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let datastore = try await context.datastore(request)
        let (parameters, run) = try await refusingAsCouchDB {
            let parameters = try await self.parameters(request, datastore)
            return (parameters, try await SearchRun(parameters.request, in: datastore))
        }
        try await send(run, parameters, response)
    }

    private func send(_ run: SearchRun, _ parameters: SearchParameters, _ response: ServerResponse) async throws {
        var run = run
        var found = try run.next()
        try await response.begin(contentType: "application/json")
        var text = DocumentText(
            Array("{\"total_rows\":\(run.total),\"bookmark\":\"\(run.bookmark)\",\"rows\":[".utf8))
        var isFirst = true
        while !found.isEmpty {
            for hit in found {
                text.append(raw: isFirst ? "\n" : ",\n")
                isFirst = false
                append(hit, parameters, to: &text)
                if text.bytes.count >= response.sliceBytes {
                    try await response.write(text.bytes)
                    text = DocumentText()
                }
            }
            found = try run.next()
        }
        text.append(raw: "\n]")
        for (name, value) in run.facets?.json(parameters.request.facets) ?? [:] {
            text.append(raw: ",\n\"\(name)\":\(value.jsonText())")
        }
        text.append(raw: "}\n")
        try await response.write(text.bytes)
        try await response.finish()
    }

    private func append(_ hit: FoundHit, _ parameters: SearchParameters, to text: inout DocumentText) {
        var row: JSONObject = ["id": .string(hit.id), "order": .array(hit.order), "fields": .object(hit.fields)]
        if !parameters.highlightedFields.isEmpty {
            row["highlights"] = .object(
                JSONObject(
                    parameters.highlightedFields.map { field in
                        (field, .array((hit.highlights[field] ?? []).map { .string($0) }))
                    }))
        }
        let line = JSONValue.object(row).jsonBytes()
        guard parameters.includesDocuments else {
            text += line
            return
        }
        text += line.dropLast()
        text.append(raw: ",\"doc\":")
        if let document = hit.document {
            document.appendText(showsConflicts: false, to: &text)
        } else {
            text.append(raw: "null")
        }
        text.append(raw: "}")
    }
}

/// Runs `body`, and says in CouchDB's words what is wrong with a search.
private func refusingAsCouchDB<Result>(_ body: () async throws -> Result) async throws -> Result {
    do {
        return try await body()
    } catch let error as TextError {
        // What Mango calls by its name is a bad request to the search.
        throw error.error == "text_search_error" ? HTTPFailure.badRequest(error.reason) : HTTPFailure(error)
    } catch let error as SearchIndexError {
        throw HTTPFailure(error)
    }
}

extension HTTPFailure {
    fileprivate init(_ error: SearchIndexError) {
        switch error {
        case .needsFunctions: self.init(.notImplemented, "not_implemented", error.reason)
        case .undefined: self.init(.badRequest, "invalid_design_doc", error.reason)
        case .missing, .ambiguous, .gone: self.init(.notFound, "not_found", error.reason)
        }
    }
}

extension TextFacets.Result {
    /// As it is answered: the fields in the order of the request, the values by their number.
    fileprivate func json(_ asked: TextFacets?) -> JSONObject {
        var members = JSONObject()
        if let fields = asked?.counts, !fields.isEmpty { members["counts"] = Self.json(counts, fields) }
        if let fields = asked?.ranges.keys.sorted(), !fields.isEmpty { members["ranges"] = Self.json(ranges, fields) }
        return members
    }

    private static func json(_ counts: [String: [String: Int]], _ fields: [String]) -> JSONValue {
        .object(
            JSONObject(
                fields.map { field in
                    let values = (counts[field] ?? [:]).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                    return (field, .object(JSONObject(values.map { ($0.key, .integer(Int64($0.value))) })))
                }))
    }
}
