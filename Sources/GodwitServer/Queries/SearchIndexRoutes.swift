//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitText
import HTTPTypes

/// What there is to know and to do about indexes of texts, as Cloudant has it.
struct SearchIndexRoutes {
    let context: ServerContext

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

    @Sendable private func info(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let (name, information) = try await information(request)
        let answer: JSONValue = ["name": name, "search_index": information]
        try await response.sendJSON(body: answer.line)
    }

    @Sendable private func diskSize(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        let (name, information) = try await information(request)
        let answer: JSONValue = ["name": name, "search_index": ["disk_size": information["disk_size"] ?? 0]]
        try await response.sendJSON(body: answer.line)
    }

    private func information(_ request: ServerRequest) async throws -> (name: JSONValue, information: JSONValue) {
        let datastore = try await context.datastore(request)
        let design = DocumentID.designPrefix + request.parameter("design")
        let index = request.parameter("index")
        let information = try await refusingAsCouchDB {
            try await datastore.searchInformation(of: index, design: design)
        }
        return (.string("\(design)/\(index)"), information)
    }

    @Sendable private func cleanUp(_ request: ServerRequest, _: Principal, _ response: ServerResponse) async throws {
        try await context.datastore(request).removeUnwantedIndexes(of: FieldIndex.kindName)
        try await response.sendJSON(.accepted, body: okLine)
    }

    // MARK: Analyzers

    @Sendable private func analyzeQuery(
        _ request: ServerRequest, _: Principal, _ response: ServerResponse
    ) async throws {
        func value(_ name: String) -> JSONValue? {
            request.target.query.last { $0.name == name }.map { .string($0.value) }
        }
        // An analyzer with stop words is written as JSON.
        let analyzer = value("analyzer").map { written in
            written.stringValue.flatMap { $0.hasPrefix("{") ? try? JSONValue(parsing: $0) : nil } ?? written
        }
        try await analyze(value("text"), by: analyzer, response)
    }

    @Sendable private func analyzeBody(
        _ request: ServerRequest, _: Principal, _ response: ServerResponse
    ) async throws {
        let body = try await request.collectValue(limits: context.limits, depthMax: JSONLimits.default.depthMax)
        try await analyze(body["text"], by: body["analyzer"], response)
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
