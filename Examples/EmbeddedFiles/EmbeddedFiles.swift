//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The files of pages that are embedded in a program when it is built.
public struct EmbeddedFiles: Sendable {
    /// Returns the address of a file's bytes and writes the file's size to the second argument; `nil` for an unknown
    /// name. The bytes remain valid until the program ends.
    public typealias Find =
        @Sendable (_ name: UnsafePointer<CChar>?, _ size: UnsafeMutablePointer<Int>?) -> UnsafePointer<UInt8>?

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

    private let find: Find

    /// Creates access to the files that a C function returns.
    public init(_ find: @escaping Find) { self.find = find }

    /// Returns a file by its name; `nil` if it does not exist, or its extension is not html, css, js, svg or jpg.
    public func file(_ name: String) -> File? {
        var size = 0
        guard let type = EmbeddedFiles.types[String(name.split(separator: ".").last ?? "")],
            let start = find(name, &size)
        else { return nil }
        return File(contentType: type, bytes: Array(UnsafeBufferPointer(start: start, count: size)))
    }
}
