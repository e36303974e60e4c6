//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The rules for the names of containers and objects. A service may accept fewer names: S3 has stricter rules for the
/// names of buckets.
public enum ObjectNames {
    /// The largest length of a container's name in bytes of UTF-8.
    public static let containerBytesMax = 256
    /// The largest length of an object's name in bytes of UTF-8.
    public static let objectBytesMax = 1_024

    /// Whether a name is valid for a container. It must not contain slashes or NUL, and must not be `.` or `..`.
    public static func isContainer(_ name: String) -> Bool {
        1...containerBytesMax ~= name.utf8.count && name != "." && name != ".."
            && !name.utf8.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
    }

    /// Whether a name is valid for an object. It must not contain NUL. It must not have `.` or `..` as a part between
    /// slashes, because clients and proxies remove such parts from URLs.
    public static func isObject(_ name: String) -> Bool {
        1...objectBytesMax ~= name.utf8.count && !name.utf8.contains(0)
            && !name.utf8.split(separator: UInt8(ascii: "/")).contains { part in
                part.elementsEqual(".".utf8) || part.elementsEqual("..".utf8)
            }
    }

    /// Throws an error if a name is not valid for a container.
    package static func checkContainer(_ name: String) throws(ObjectError) {
        guard isContainer(name) else {
            throw ObjectError(
                .invalidName,
                "The name of a container must have 1 to \(containerBytesMax) bytes without slashes, and must not be . or .."
            )
        }
    }

    /// Throws an error if a name is not valid for an object.
    package static func checkObject(_ name: String) throws(ObjectError) {
        guard isObject(name) else {
            throw ObjectError(
                .invalidName,
                "The name of an object must have 1 to \(objectBytesMax) bytes, and no part . or .. between slashes.")
        }
    }
}
