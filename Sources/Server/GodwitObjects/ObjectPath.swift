//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitServer
import HTTPTypes

/// The parts of a path. The path is not normalized, because the name of an object may contain slashes anywhere, even
/// several in a row.
struct ObjectPath: Sendable {
    /// The raw path. It is part of the text that clients sign.
    let raw: String
    /// The decoded parts after the segments that belong to the module. Only the last part can contain slashes.
    private let parts: [String]

    /// Parses a path.
    ///
    /// - Parameters:
    ///   - prefixCount: The number of segments at the beginning of the path that belong to the module.
    ///   - count: The largest number of parts.
    /// - Throws: ``InvalidPath`` if a percent escape or its UTF-8 is malformed.
    init(_ request: ServerRequest, skipping prefixCount: Int, parts count: Int) throws {
        let path = (request.head.path ?? "/").utf8.prefix { $0 != UInt8(ascii: "?") }
        raw = String(decoding: path, as: UTF8.self)
        // The path is split by bytes, as the server does when it finds the route.
        let pieces = path.dropFirst().split(
            separator: UInt8(ascii: "/"), maxSplits: prefixCount + count - 1, omittingEmptySubsequences: false
        ).dropFirst(prefixCount)
        parts = try pieces.map { piece in
            guard let bytes = [UInt8](percentEncoded: piece), let text = String(validating: bytes, as: UTF8.self)
            else { throw InvalidPath() }
            return text
        }
    }

    /// The part at an index. `nil` if the path has fewer parts, or if the part is the last one and is empty.
    subscript(index: Int) -> String? {
        guard index < parts.count else { return nil }
        return parts[index].isEmpty && index == parts.count - 1 ? nil : parts[index]
    }
}

/// The error of a path with a malformed percent escape or UTF-8.
struct InvalidPath: Error {}
