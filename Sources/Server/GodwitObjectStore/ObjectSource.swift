//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The bytes of an object to store.
public enum ObjectSource: Sendable {
    /// Bytes in memory.
    case bytes([UInt8])
    /// A file, which is read piece by piece. The file must not change while it is read.
    case file(String)
    /// A sequence of pieces whose total length is known. The pieces are read while the object is being stored.
    case stream(any AsyncSequence<[UInt8], any Error> & Sendable, length: Int)
}

/// The properties that a client gives to an object.
public struct ObjectProperties: Equatable, Sendable {
    /// The media type; `nil` for `application/octet-stream`.
    public var contentType: String?
    /// Names and values that the service stores and returns. Names are lower-case letters, digits and hyphens; values
    /// are printable ASCII.
    public var metadata: [String: String]
    /// The headers that the service returns with the object, keyed by the names in ``headerNames``; other headers are
    /// ignored. Values are printable ASCII.
    public var headers: [String: String]
    /// The names of ``headers``.
    public static let headerNames: Set<String> = [
        "cache-control", "content-disposition", "content-encoding", "content-language",
    ]
    /// The time at which the service removes the object, in seconds since 1970; `nil` if the object is not removed. S3
    /// does not support such a time for single objects.
    public var expires: Int?

    /// Creates properties.
    public init(
        contentType: String? = nil, metadata: [String: String] = [:], headers: [String: String] = [:],
        expires: Int? = nil
    ) {
        self.headers = headers
        self.contentType = contentType
        self.metadata = metadata
        self.expires = expires
    }
}

/// The stored properties of an object.
public struct ObjectInfo: Equatable, Sendable {
    /// The name within the container.
    public let name: String
    /// The length in bytes.
    public let byteCount: Int
    /// The entity tag without quotation marks: the MD5 of the bytes in hexadecimal digits. The entity tag of an object
    /// that was stored in parts is not the MD5 of its bytes.
    public let entityTag: String
    /// The time of the last change, in seconds since 1970.
    public let modified: Double
    /// The properties. The properties of an object in a list are empty or contain only the content type.
    public let properties: ObjectProperties

    /// Creates the information about an object.
    public init(
        name: String, byteCount: Int, entityTag: String, modified: Double, properties: ObjectProperties = .init()
    ) {
        self.name = name
        self.byteCount = byteCount
        self.entityTag = entityTag
        self.modified = modified
        self.properties = properties
    }
}

/// An object that is being read.
public struct ObjectReading: Sendable {
    /// The properties of the object.
    public let info: ObjectInfo
    /// The range of bytes that ``body`` contains.
    public let range: Range<Int>
    /// The bytes in pieces. If you stop the iteration early, the rest is not read.
    public let body: any AsyncSequence<[UInt8], any Error> & Sendable

    /// Creates a reading.
    public init(info: ObjectInfo, range: Range<Int>, body: any AsyncSequence<[UInt8], any Error> & Sendable) {
        self.info = info
        self.range = range
        self.body = body
    }

    /// Reads all bytes into memory.
    ///
    /// - Parameter bytesMax: The largest accepted number of bytes.
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/tooLarge`` if there are more than `bytesMax` bytes, or
    ///   ``ObjectError/Code/network`` if the bytes cannot be read or their number is not that of ``range``.
    public func bytes(bytesMax: Int) async throws(ObjectError) -> [UInt8] {
        guard range.count <= bytesMax else {
            throw ObjectError(.tooLarge, "\(info.name) has \(range.count) bytes, which is more than \(bytesMax).")
        }
        var bytes: [UInt8] = []
        do {
            for try await piece in body {
                bytes += piece
                guard bytes.count <= range.count else { break }
            }
        } catch {
            throw ObjectError(reading: error, info.name)
        }
        guard bytes.count == range.count else {
            throw ObjectError(.network, "\(info.name) ended after \(bytes.count) of \(range.count) bytes.")
        }
        return bytes
    }
}
