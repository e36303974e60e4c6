//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The route `GET /info`, which returns the list of supported features. Clients of Swift read this list before they use
/// a feature. No credentials are required.
struct SwiftInfoRoutes {
    /// The version of OpenStack Swift whose behavior this server has. Some clients compare this version.
    private static let version = "2.30.0"

    var routes: [Route] { [Route(.get, "/info", access: .anyone, work: .light, handler: info)] }

    @Sendable private func info(_ context: RequestContext) async throws {
        let info: JSONValue = [
            "swift": [
                "version": .string(Self.version), "max_file_size": .integer(Int64(ObjectLimits.uploadBytesMax)),
                "max_object_name_length": .integer(Int64(ObjectNames.objectBytesMax)),
                "max_container_name_length": .integer(Int64(ObjectNames.containerBytesMax)),
                "container_listing_limit": .integer(Int64(ObjectLimits.pageCountMax)),
                "max_meta_overall_size": .integer(Int64(ObjectLimits.metadataBytesMax)),
            ],
            "slo": ["max_manifest_segments": .integer(Int64(StaticManifest.segmentsMax)), "min_segment_size": 1],
            "bulk_delete": [
                "max_deletes_per_request": .integer(Int64(SwiftBulkDelete.pathsMax)),
                "max_failed_deletes": .integer(Int64(SwiftBulkDelete.failuresMax)),
            ],
            "dlo": ["max_segments": .integer(Int64(SwiftObjectReading.segmentsMax))],
            "tempurl": [
                "methods": ["GET", "HEAD", "PUT", "POST", "DELETE"], "allowed_digests": ["sha1", "sha256", "sha512"],
            ],
            "staticweb": [:],
        ]
        try await context.response.sendJSON(body: info.jsonBytes())
    }
}
