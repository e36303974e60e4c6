//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitServer

/// How a server offers S3, besides `/_s3`.
public struct S3Options: Sendable {
    /// The address with S3 at its root, and nothing else; `nil` for none. Some clients cannot use an endpoint with a
    /// path.
    public var address: GodwitServer.Address?
    /// The host name of ``address``, without a port. If a request names a host that ends with `.` and this name, the
    /// text before is the bucket, and the path is the key. `nil` if buckets are in paths only.
    public var host: String?
    /// Whether presigned URLs with signature version 2 are accepted. Default: `true`. They are weaker than those of
    /// version 4: they use SHA-1, and their host is not signed.
    public var acceptsVersion2 = true
    /// A closure that is called with the port of ``address`` when the server accepts requests on it.
    public var onListening: @Sendable (_ port: Int) -> Void = { _ in }

    /// Creates options: no address of its own, and presigned URLs of both versions.
    public init() {}

    private static let hostBytesMax = 253

    /// Whether a text can be a ``host``: at most 253 letters, digits, hyphens and dots, without empty parts.
    public static func isHost(_ text: String) -> Bool {
        1...hostBytesMax ~= text.utf8.count
            && text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                !label.isEmpty
                    && label.allSatisfy { byte in
                        switch byte {
                        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                            true
                        default: false
                        }
                    }
            }
    }
}
