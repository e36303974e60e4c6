//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitStore
import HTTPTypes

/// The routes of the changes feed.
struct ChangesRoutes {
    let server: ServerContext

    var routes: [Route] {
        [HTTPRequest.Method.get, .post].map { method in
            Route(method, "/{db}/_changes", access: .database(.read), handler: changes)
        }
    }

    @Sendable private func changes(_ context: RequestContext) async throws {
        server.statistics.changesRequests.add(1)
        defer { server.statistics.changesRequests.add(-1) }
        let request = context.request
        let database = try await context.database()
        let datastore = database.datastore
        var bytes: [UInt8] = []
        var body: JSONValue?
        if request.head.method == .post {
            bytes = try await request.collectBody(bytesMax: server.limits.controlRequestBytesMax)
            if !bytes.isEmpty { body = try ServerRequest.value(parsing: bytes, depthMax: datastore.limits.depthMax) }
        }
        let filter = try await FeedFilter(request.target, body: body) { [bytes] name in
            if name == "_view" { return try ChangesRoutes.filter(view: request.target.value("view"), in: datastore) }
            let functionRequest = try await server.functionRequest(
                FunctionRequest(request: request, database: database, body: bytes.isEmpty ? nil : bytes))
            guard let function = ChangeFunction(name, .filter(request: functionRequest)) else {
                throw HTTPFailure.badRequest("filter parameter must be of the form `designname/filtername`")
            }
            return try ChangesRoutes.filter(function, in: datastore)
        }
        var query = try ChangesParameters(request, filter: filter, datastore: datastore, limits: server.limits)
        if case .selector = filter {
            query.fields = try FindRequest.fields(body?.objectValue?["fields"]).map { Projection($0) }
        }
        if query.feed.kind == .normal {
            let tag = ChangesRoutes.tag(request, bytes, context.principal, datastore)
            if request.matches(tag) { return try await context.response.sendEmpty(.notModified, headers: [.eTag: tag]) }
            query.feed.tag = tag
        }
        try await ChangesFeed(datastore: datastore, query: query, response: context.response).run()
    }
}

extension ChangesRoutes {
    /// Returns the filter `_view` for a view. The path of the view has the form `design/name`.
    private static func filter(view path: String?, in datastore: Datastore) throws -> any ChangeFilter {
        guard let path else { throw HTTPFailure.badRequest("`view` filter parameter is not provided.") }
        guard let function = ChangeFunction(path, .view) else {
            throw HTTPFailure.badRequest("`view` must be of the form `designname/viewname`")
        }
        return try filter(function, in: datastore)
    }

    private static func filter(_ function: ChangeFunction, in datastore: Datastore) throws -> any ChangeFilter {
        guard let filter = try datastore.changeFilters?.filter(function, in: datastore) else {
            throw HTTPFailure.missing
        }
        return filter
    }

    /// Returns the entity tag of a response. The tag changes when the database changes, and when the server is started
    /// again. It also depends on the parameters and the body of the request. It depends on the principal's name and
    /// roles too, because filter functions can read them.
    private static func tag(
        _ request: ServerRequest, _ body: [UInt8], _ principal: Principal, _ datastore: Datastore
    ) -> String {
        var hasher = Hasher()
        hasher.combine(datastore.updateSequence.description)
        for parameter in request.target.query {
            hasher.combine(ExactText(parameter.name))
            hasher.combine(ExactText(parameter.value))
        }
        hasher.combine(body)
        hasher.combine(principal.name.map { ExactText($0) })
        hasher.combine(principal.roles.map { ExactText($0) }.sorted())
        return "\"\(UInt(bitPattern: hasher.finalize()))\""
    }
}

/// The parameters of `_changes`.
struct ChangesParameters {
    var feed: FeedQuery
    /// The number in the sequence `since`. The feed contains only changes with greater numbers.
    var since: Int64
    var filter: FeedFilter
    /// The members that the feed contains of each document; `nil` if the feed contains complete documents.
    var fields: Projection?
    var isDescending: Bool
    var allLeaves: Bool
    var includesDocuments: Bool
    var conflicts: Bool
    var attachments: Bool
    /// The interval between rows that contain their sequence: with an interval of 10, every tenth row contains its
    /// sequence, beginning with the first row. In all other rows, the sequence is `null`, because this saves work.
    var sequenceInterval: Int

    init(_ request: ServerRequest, filter: FeedFilter, datastore: Datastore, limits: ServerLimits) throws {
        let target = request.target
        feed = try FeedQuery(request, limits: limits)
        since = try ChangesParameters.start(feed.since, in: datastore)
        self.filter = filter
        isDescending = target.flag("descending")
        switch target.value("style") {
        case nil, "main_only": allLeaves = false
        case "all_docs": allLeaves = true
        case let other?: throw HTTPFailure.badQuery("Invalid value for style: \(other)")
        }
        includesDocuments = target.flag("include_docs")
        conflicts = target.flag("conflicts")
        attachments = target.flag("attachments")
        sequenceInterval = try target.count("seq_interval") ?? 1
        guard sequenceInterval > 0 else { throw HTTPFailure.badRequest("seq_interval must be a positive integer") }
    }

    private static func start(_ text: String?, in datastore: Datastore) throws(HTTPFailure) -> Int64 {
        guard let text else { return 0 }
        if text == "now" { return datastore.updateSequence.number }
        guard let sequence = UpdateSequence(text) else {
            throw .badRequest("Malformed sequence supplied in 'since' parameter.")
        }
        let last = datastore.updateSequence
        guard sequence.epoch != nil || sequence.number <= last.number else {
            throw .badRequest(
                "The 'since' parameter is beyond the last change, which is \(last). Use a `last_seq` of this database, or 0."
            )
        }
        return datastore.start(of: sequence)
    }

    /// The parts of each row that must be read from the store for the feed.
    var detail: RowDetail { includesDocuments ? .bodies : .leaves }
}
