//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitServer
import GodwitStore
import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file of Leaflet, as Debian's package `libjs-leaflet` installs it.
struct LeafletFile {
    private static let directory = "/usr/share/javascript/leaflet"

    private static let types = [
        "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "png": "image/png",
        "svg": "image/svg+xml",
    ]

    let contentType: String
    private let path: String

    /// Names a file by its path below Leaflet's folder.
    ///
    /// - Throws: ``HTTPFailure`` with status 404 for a path that leads anywhere else.
    init(_ path: String) throws(HTTPFailure) {
        let pieces = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !pieces.contains(where: { $0.isEmpty || $0.hasPrefix(".") }), pieces.count <= 2,
            let type = LeafletFile.types[String(path.split(separator: ".").last ?? "")]
        else { throw HTTPFailure(.notFound, "not_found", "Leaflet has no such file") }
        contentType = type
        self.path = "\(LeafletFile.directory)/\(path)"
    }

    func bytes() async throws -> [UInt8] {
        let path = path
        return try await BlockingPool.shared.run {
            guard let data = FileManager.default.contents(atPath: path) else {
                throw HTTPFailure(
                    .notFound, "not_found", "Leaflet is not installed: run `apt-get install libjs-leaflet` and reload.")
            }
            return [UInt8](data)
        }
    }
}
