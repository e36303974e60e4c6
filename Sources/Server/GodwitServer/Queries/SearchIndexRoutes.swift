//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitText
import HTTPTypes

/// The routes that return information about text indexes, remove unused text indexes, and run analyzers, with
/// Cloudant's API.
struct SearchIndexRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/{db}/_design/{design}/_search_info/{index}", access: .database(.read), handler: info),
            Route(
                .get, "/{db}/_design/{design}/_search_disk_size/{index}", access: .database(.read), handler: diskSize),
            Route(.post, "/{db}/_search_cleanup", access: .upkeep, handler: cleanUp),
            Route(.get, "/_search_analyze", access: .anyone, handler: analyzeQuery),
            Route(.post, "/_search_analyze", access: .anyone, handler: analyzeBody),
        ]
    }

    @Sendable private func info(_ context: RequestContext) async throws {
        let (name, information) = try await information(context)
        let answer: JSONValue = ["name": name, "search_index": information]
        try await context.response.sendJSON(body: answer.line)
    }

    @Sendable private func diskSize(_ context: RequestContext) async throws {
        let (name, information) = try await information(context)
        let answer: JSONValue = ["name": name, "search_index": ["disk_size": information["disk_size"] ?? 0]]
        try await context.response.sendJSON(body: answer.line)
    }

    private func information(_ context: RequestContext) async throws -> (name: JSONValue, information: JSONValue) {
        let datastore = try await context.datastore()
        let design = DocumentID.designPrefix + context.request.parameter("design")
        let index = context.request.parameter("index")
        let information = try await refusingAsCouchDB {
            try await datastore.searchInformation(of: index, design: design)
        }
        return (.string("\(design)/\(index)"), information)
    }

    @Sendable private func cleanUp(_ context: RequestContext) async throws {
        try await context.datastore().removeUnwantedIndexes(of: FieldIndex.kindName)
        try await context.response.sendJSON(.accepted, body: okLine)
    }

    // MARK: Analyzers

    @Sendable private func analyzeQuery(_ context: RequestContext) async throws {
        func value(_ name: String) -> JSONValue? {
            context.request.target.query.last { $0.name.isIdenticalText(to: name) }.map { .string($0.value) }
        }
        // The analyzer is a name or, if it has its own stop words, an object in JSON.
        let analyzer = value("analyzer").map { received in
            received.stringValue.flatMap { $0.begins(with: "{") ? try? JSONValue(parsing: $0) : nil } ?? received
        }
        try await analyze(value("text"), by: analyzer, context.response)
    }

    @Sendable private func analyzeBody(_ context: RequestContext) async throws {
        let body = try await context.request.collectValue(limits: server.limits, depthMax: JSONLimits.default.depthMax)
        try await analyze(body["text"], by: body["analyzer"], context.response)
    }

    private func analyze(_ text: JSONValue?, by analyzer: JSONValue?, _ response: ServerResponse) async throws {
        guard let analyzer else { throw HTTPFailure.badRequest("analyzer parameter is mandatory") }
        guard analyzer.stringValue != nil || analyzer.objectValue != nil else {
            throw HTTPFailure.badRequest("analyzer parameter must be a string or an object")
        }
        guard let text else { throw HTTPFailure.badRequest("text parameter is mandatory") }
        guard let text = text.stringValue else { throw HTTPFailure.badRequest("text parameter must be a string") }
        guard text.utf8.count <= ServerLimits.analyzedTextBytesMax else {
            throw HTTPFailure.tooLarge(ServerLimits.analyzedTextBytesMax)
        }
        let words = try TextAnalyzer(parsing: analyzer).words(of: text)
        let answer: JSONValue = ["tokens": .array(words.map { .string($0) })]
        try await response.sendJSON(body: answer.line)
    }
}
