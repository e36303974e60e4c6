//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitPlaces
import GodwitStore
import HTTPTypes
import Logging

/// The routes of geospatial queries and of information about their indexes, with Cloudant's API.
struct GeoRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.get, "/{db}/_design/{design}/_geo/{index}", access: .database(.read), handler: server.timed(query))
                .loggingIn { GeoParameters.wantsPage($0.target) ? MapModule.page(ofIndexAt: $0) : nil },
            Route(.get, "/{db}/_design/{design}/_geo_info/{index}", access: .database(.read), handler: info),
            Route(.post, "/{db}/_geo_cleanup", access: .upkeep, handler: cleanUp),
        ]
    }

    @Sendable private func query(_ context: RequestContext) async throws -> Logger.Metadata? {
        let request = context.request
        let datastore = try await context.datastore()
        let wantsPage = GeoParameters.wantsPage(request.target)
        let acceptsStale = try wantsPage || GeoParameters.acceptsStale(request.target)
        let answer = try await mappingErrors {
            try await GeoIndexError.retryingOnceIfGone { () -> (GeoParameters, GeoRows<GeoRow>)? in
                let (index, definition) = try await datastore.geoIndex(name(request), acceptsStale: acceptsStale)
                guard !wantsPage else { return nil }
                let parameters = try GeoParameters(
                    request.target, accept: request.head.headerFields[.accept], indexSystem: definition.system)
                let includesRevisions = parameters.includesRevisions
                let page = try await datastore.geoRows(parameters.query, of: index) { hit, document -> GeoRow? in
                    guard includesRevisions else { return GeoRow(found: hit, id: document.id, revision: nil) }
                    return try document.row(detail: .leaves).map {
                        GeoRow(found: hit, id: document.id, revision: $0.winner.revision)
                    }
                }
                return (parameters, page)
            }
        }
        guard let (parameters, page) = answer else {
            try await MapModule.sendPage(to: context)
            return [:]
        }
        try await GeoResponseWriter(datastore: datastore, parameters: parameters, response: context.response).write(
            page)
        return [:]
    }

    private func name(_ request: ServerRequest) -> GeoIndexName {
        GeoIndexName(
            design: DocumentID.designPrefix + request.parameter("design"), name: request.parameter("index"))
    }

    @Sendable private func info(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        let name = name(context.request)
        let information = try await mappingErrors {
            try await GeoIndexError.retryingOnceIfGone { try await datastore.geoInformation(of: name) }
        }
        let answer: JSONValue = [
            "name": .string(
                "\(DocumentID.designPrefix)\(context.request.parameter("design"))/\(context.request.parameter("index"))"
            ),
            "geo_index": [
                "doc_count": .integer(Int64(information.documents)),
                "geometry_count": .integer(Int64(information.geometries)),
                "disk_size": .integer(Int64(information.bytes)), "data_size": .integer(Int64(information.bytes)),
                "skipped": .integer(Int64(information.skipped)),
            ],
            "skipped_documents": .array(
                information.skippedDocuments.map { skipped in
                    [
                        "id": .string(skipped.id), "count": .integer(Int64(skipped.count)),
                        "reasons": .array(skipped.reasons.map { .string($0) }),
                    ]
                }),
        ]
        try await context.response.sendJSON(body: answer.line)
    }

    @Sendable private func cleanUp(_ context: RequestContext) async throws {
        try await context.datastore().removeUnwantedIndexes(of: functionIndexKind)
        try await context.response.sendJSON(.accepted, body: okLine)
    }

    /// Runs `body`, and maps errors of a query to Cloudant's errors.
    private func mappingErrors<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch let error as GeoIndexError {
            throw HTTPFailure(error)
        } catch GeoQueryError.invalidBookmark(let text) {
            throw GeoParameterReader.invalid("bookmark", "bookmark", text)
        }
    }
}

extension HTTPFailure {
    fileprivate init(_ error: GeoIndexError) {
        switch error {
        case .missing, .ambiguous, .gone: self.init(.notFound, "not_found", error.reason)
        case .invalid: self.init(.notFound, "invalid_index", error.reason)
        case .invalidObject: self.init(.notFound, "invalid_index_object", error.reason)
        case .invalidSystem: self.init(.notFound, "invalid_index_srid", error.reason)
        case .unsupportedType: self.init(.badRequest, "unsupported_index_type", error.reason)
        case .unsupported: self.init(.notImplemented, "not_implemented", error.reason)
        case .notForOwners: self.init(.badRequest, "bad_request", error.reason)
        }
    }
}
