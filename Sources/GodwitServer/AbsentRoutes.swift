//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes

/// The routes of CouchDB's API that are not there yet: each answers 501 and names what is missing.
let absentRoutes: [Route] = [
    absent([.get, .post], "/{db}/_design/{design}/_geo/{rest...}", "geospatial queries")
].flatMap { $0 }

private func absent(_ methods: [HTTPRequest.Method], _ pattern: String, _ feature: String) -> [Route] {
    let access: Access = pattern.hasPrefix("/{db}") ? .database(.read) : .administrator
    return methods.map { method in
        Route(method, pattern, access: access) { _, _, _ in throw HTTPFailure.notImplemented(feature) }
    }
}
