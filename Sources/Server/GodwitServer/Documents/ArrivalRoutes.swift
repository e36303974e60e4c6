//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import HTTPTypes

/// The route for attachments that were received although their document has not been written. It reports how many bytes
/// of each attachment are stored. With this number, a client that repeats an interrupted push sends only the remaining
/// bytes. CouchDB has no such route.
struct ArrivalRoutes {
    let server: ServerContext

    var routes: [Route] {
        [Route(.post, "/{db}/_godwit/arrivals", access: .database(.write), handler: arrivals)]
    }

    /// Responds to a list of digests and lengths with the number of stored bytes of each attachment, and whether
    /// another request is uploading the attachment.
    ///
    /// Attachments of existing documents are not reported. If they were reported, a client that knows only a digest
    /// would learn that the database has the file. The client could then add the file to a document without having it.
    @Sendable private func arrivals(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        let body = try await context.request.collectValue(limits: server.limits, depthMax: datastore.limits.depthMax)
        guard let attachments = body.arrayValue, attachments.count <= StoreLimits.arrivalsAskedMax else {
            throw HTTPFailure.badRequest(
                "The body must be a list of at most \(StoreLimits.arrivalsAskedMax) attachments.")
        }
        let announced = try attachments.map { attachment in
            guard let digest = attachment["digest"]?.stringValue, let length = attachment["length"]?.intValue,
                let announced = AnnouncedBytes(length: length, md5Text: digest)
            else { throw HTTPFailure.badRequest("Each attachment needs a `digest`, an MD5, and a `length`.") }
            return announced
        }
        let arrived = try datastore.arrived(of: announced).map { arrival -> JSONValue in
            ["bytes": .integer(Int64(arrival.bytes)), "under_way": .bool(arrival.isActive)]
        }
        try await context.response.sendJSON(body: (["arrivals": .array(arrived)] as JSONValue).line)
    }
}
