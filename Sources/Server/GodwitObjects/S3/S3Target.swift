//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitServer
import HTTPTypes

/// Where the routes of S3 begin on a server.
struct S3Mount: Sendable {
    /// The path of the list of buckets, without a slash at its end: `/_s3`, or empty at the root of a port.
    let base: String
    /// The host name under which buckets are host names, in lower case; `nil` if buckets are in paths only.
    let host: String?

    static let path = S3Mount(base: "/_s3", host: nil)
}

/// The bucket and the key of a request.
struct S3Target: Sendable {
    let bucket: String?
    let key: String?
    /// The path as the client sent it, which is part of the text that it signs.
    let rawPath: String
    /// The path in the text that clients sign with version 2: the bucket and the key as in the path, also if the bucket
    /// is in the host name or the path begins with ``S3Mount/base``.
    let version2Path: String

    /// - Throws: ``InvalidPath``.
    init(_ request: ServerRequest, at mount: S3Mount) throws {
        let prefixCount = mount.base.isEmpty ? 0 : 1
        if let bucket = mount.host.flatMap({ S3Target.bucket(in: request.head.authority ?? "", of: $0) }) {
            let path = try ObjectPath(request, skipping: prefixCount, parts: 1)
            self.bucket = bucket
            key = path[0]
            (rawPath, version2Path) = (path.raw, "/\(bucket)\(path.raw)")
        } else {
            let path = try ObjectPath(request, skipping: prefixCount, parts: 2)
            (bucket, key) = (path[0], path[1])
            rawPath = path.raw
            let ownPath = path.raw.utf8.dropFirst(prefixCount).drop { prefixCount > 0 && $0 != UInt8(ascii: "/") }
            version2Path = String(decoding: ownPath, as: UTF8.self)
        }
    }

    /// Returns the bucket in `BUCKET.HOST` or `BUCKET.HOST:PORT`; `nil` for another authority.
    private static func bucket(in authority: String, of host: String) -> String? {
        let name = authority.lowercasedASCII
        let end = name.utf8.lastIndex(of: UInt8(ascii: ":")) ?? name.endIndex
        let suffix = ".\(host)"
        guard name[..<end].ends(with: suffix), name[..<end].utf8.count > suffix.utf8.count else { return nil }
        return String(decoding: name[..<end].utf8.dropLast(suffix.utf8.count), as: UTF8.self)
    }
}
