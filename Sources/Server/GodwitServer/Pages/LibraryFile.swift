//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitStore
import HTTPTypes

/// A file of a JavaScript library, as Debian's package of the library installs it.
public struct LibraryFile {
    /// A library that the server's pages use.
    public enum Library: String, Sendable {
        /// Leaflet and its marker clusters.
        case leaflet
        /// CodeMirror 5.
        case codeMirror = "codemirror"
        /// Chart.js 3.
        case chartJS = "chart.js"

        fileprivate var name: String {
            switch self {
            case .leaflet: "Leaflet"
            case .codeMirror: "CodeMirror"
            case .chartJS: "Chart.js"
            }
        }

        fileprivate func package(of path: String) -> String {
            self == .leaflet && path.includes("luster") ? "libjs-leaflet.markercluster" : "libjs-\(rawValue)"
        }
    }

    private static let directory = "/usr/share/javascript"
    /// The maximum number of levels of directories below the library's directory.
    private static let depthMax = 3

    private static let types = [
        "js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "png": "image/png",
        "svg": "image/svg+xml",
    ]

    private let library: Library
    /// The media type.
    public let contentType: String
    private let path: String

    /// Creates a reference to a file by its path in the library's directory.
    ///
    /// - Throws: ``HTTPFailure`` with status 404 for another file type, and for a path outside of the directory or too
    ///   deep in it.
    public init(_ path: String, of library: Library) throws(HTTPFailure) {
        let pieces = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard pieces.allSatisfy({ $0.first != nil && $0.first != UInt8(ascii: ".") }),
            pieces.count <= LibraryFile.depthMax, !path.utf8.contains(0),
            let ending = path.utf8.split(separator: UInt8(ascii: ".")).last,
            let type = LibraryFile.types[String(decoding: ending, as: UTF8.self)]
        else { throw HTTPFailure(.notFound, "not_found", "\(library.name) has no such file") }
        self.library = library
        contentType = type
        self.path = path
    }

    /// Sends the file.
    ///
    /// - Throws: ``HTTPFailure`` with status 404 and the name of the package when the file does not exist.
    public func send(to response: ServerResponse) async throws {
        try await response.send(contentType: contentType, body: try await bytes())
    }

    /// Reads the file.
    ///
    /// - Throws: ``HTTPFailure`` with status 404 and the name of the package when the file does not exist.
    public func bytes() async throws -> [UInt8] {
        let (library, path) = (library, path)
        return try await BlockingPool.shared.run { () throws -> [UInt8] in
            let file = "\(LibraryFile.directory)/\(library.rawValue)/\(path)"
            guard let data = FileManager.default.contents(atPath: file) else {
                throw HTTPFailure(
                    .notFound, "not_found",
                    "\(library.name) is not installed: run `apt-get install \(library.package(of: path))` and reload.")
            }
            return [UInt8](data)
        }
    }
}
