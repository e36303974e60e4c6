//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CExampleFiles

/// The files of an application's pages, which are embedded in its program when it is built.
public struct EmbeddedFiles: Sendable {
    /// A file.
    public struct File: Sendable {
        /// The media type.
        public let contentType: String
        /// The content.
        public let bytes: [UInt8]
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml", "jpg": "image/jpeg",
    ]

    private let application: String

    /// Creates access to the files of an application.
    ///
    /// - Parameter application: The name of the application's files in `Kit/C/CExampleFiles`.
    public init(_ application: String) { self.application = application }

    /// Returns a file of a page; `nil` if it does not exist, or its extension is not html, css, js, svg or jpg.
    ///
    /// A name that the folder does not have is the name of a file that all folders of the application share, or of one
    /// that all applications share.
    ///
    /// - Parameters:
    ///   - name: The file's name.
    ///   - folder: `device` for the screens of a device, `web` for the pages of the server.
    public func file(_ name: String, in folder: String) -> File? {
        guard let type = EmbeddedFiles.types[String(name.split(separator: ".").last ?? "")],
            let bytes = bytes("\(application)/\(folder)/\(name)") ?? bytes("\(application)/shared/\(name)")
                ?? bytes("kit/\(name)")
        else { return nil }
        return File(contentType: type, bytes: bytes)
    }

    /// Returns the content of a file of the application's data; `nil` if it does not exist.
    public func data(_ name: String) -> [UInt8]? { bytes("\(application)/data/\(name)") }

    private func bytes(_ path: String) -> [UInt8]? {
        var size = 0
        return example_file(path, &size).map { Array(UnsafeBufferPointer(start: $0, count: size)) }
    }
}
