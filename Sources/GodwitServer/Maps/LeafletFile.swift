//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitThreads
import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A file of Leaflet or of its marker clusters, as Debian's packages `libjs-leaflet` and `libjs-leaflet.markercluster`
/// install it.
public struct LeafletFile {
    private static let directory = "/usr/share/javascript/leaflet"

    private static let types = [
        "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "png": "image/png",
        "svg": "image/svg+xml",
    ]

    private let contentType: String
    private let path: String

    /// Creates a reference to a file by its path in Leaflet's directory.
    ///
    /// - Throws: ``HTTPFailure`` with status 404 for another file type, and for a path outside of the directory or more
    ///   than one directory deep.
    public init(_ path: String) throws(HTTPFailure) {
        let pieces = path.split(separator: "/", omittingEmptySubsequences: false)
        guard !pieces.contains(where: { $0.isEmpty || $0.hasPrefix(".") }), pieces.count <= 2,
            let type = LeafletFile.types[String(path.split(separator: ".").last ?? "")]
        else { throw HTTPFailure(.notFound, "not_found", "Leaflet has no such file") }
        contentType = type
        self.path = "\(LeafletFile.directory)/\(path)"
    }

    /// Sends the file.
    ///
    /// - Throws: ``HTTPFailure`` with status 404 and the name of the package when the file does not exist.
    public func send(to response: ServerResponse) async throws {
        let path = path
        let bytes = try await BlockingPool.shared.run { () throws -> [UInt8] in
            guard let data = FileManager.default.contents(atPath: path) else {
                let package = path.contains("luster") ? "libjs-leaflet.markercluster" : "libjs-leaflet"
                throw HTTPFailure(
                    .notFound, "not_found", "Leaflet is not installed: run `apt-get install \(package)` and reload.")
            }
            return [UInt8](data)
        }
        try await response.send(contentType: contentType, body: bytes)
    }
}
