//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
package import GodwitObjectStore

/// An account of the storage: the owner of containers.
package struct ObjectAccount: Sendable {
    /// The account's number in the catalogue.
    package let id: Int
    /// The account's name: 1 to 64 letters, digits, `_` and `-`.
    package let name: String
    /// The public part of the credentials.
    package let accessKey: String
    /// The secret part of the credentials. It is stored in plain text and not as a hash, because the server must
    /// compute signatures with it.
    package let secretKey: String
    /// The largest number of bytes; `nil` for no limit.
    package let quota: Int?
    /// The number of bytes of all objects and of the parts of unfinished uploads.
    package let bytes: Int
    /// The number of objects in all its containers.
    package let objects: Int
    /// The number of its containers.
    package let containers: Int
    /// The time of its creation, in seconds since 1970.
    package let created: Int
    /// Headers that clients set, with lower-case names.
    package let headers: [String: String]
}

/// A container of an account.
package struct ObjectContainer: Sendable {
    /// The container's number in the catalogue.
    package let id: Int
    /// The ``ObjectAccount/id`` of its account.
    package let account: Int
    /// The container's name.
    package let name: String
    /// The time of its creation, in seconds since 1970.
    package let created: Int
    /// The number of bytes of all its objects.
    package let bytes: Int
    /// The number of its objects.
    package let objects: Int
    /// Headers and rules that clients set, with lower-case names.
    package let headers: [String: String]
}

/// A stored object.
package struct ObjectRecord: Sendable {
    /// The object's name in its container.
    package let name: String
    /// The length of the object in bytes.
    package let byteCount: Int
    /// The entity tag without quotes: the MD5 of the bytes in hexadecimal digits. For an object that consists of parts
    /// or segments, it is the MD5 of their entity tags. For an object that was uploaded in parts, `-` and the number of
    /// parts follow.
    package let entityTag: String
    /// The time of the last change, in milliseconds since 1970.
    package let modified: Int
    /// The time at which the object is to be removed, in seconds since 1970; `nil` if it is not to be removed.
    package let expires: Int?
    /// The media type, the metadata and the headers of the object.
    package let properties: StoredProperties
    /// The stored bytes, in order.
    package let pieces: [Piece]
    /// The list of segments of a static large object, as its client sent it; `nil` for other objects.
    package let manifest: [UInt8]?

    /// The number of ``pieces``.
    package var pieceCount: Int { pieces.count }

    /// Returns a copy of this object whose content is the bytes of other objects.
    ///
    /// - Parameter tag: The entity tag of the result.
    package func asWhole(of segments: [ObjectRecord], tag: String) -> ObjectRecord {
        ObjectRecord(
            name: name, byteCount: segments.reduce(0) { $0.addingSaturated($1.byteCount) }, entityTag: tag,
            modified: modified,
            expires: expires, properties: properties, pieces: segments.flatMap(\.pieces), manifest: manifest)
    }

    /// The description of the object for modules. It does not contain the bytes. It contains only the headers in
    /// ``ObjectProperties/headerNames``.
    package var info: ObjectInfo {
        ObjectInfo(
            name: name, byteCount: byteCount, entityTag: entityTag, modified: Double(modified) / 1_000,
            properties: ObjectProperties(
                contentType: properties.contentType, metadata: properties.metadata,
                headers: properties.headers.filter { ObjectProperties.headerNames.contains($0.key) }, expires: expires))
    }
}

/// The properties of an object in the catalogue.
package struct StoredProperties: Equatable, Sendable {
    /// The media type, for example `image/jpeg`.
    package var contentType: String
    /// The names and values that the client gave to the object. The names are in lower case and do not have the prefix
    /// of the protocol.
    package var metadata: [String: String]
    /// Further headers of responses, such as `content-encoding`, and checksums. The names are in lower case.
    package var headers: [String: String]

    /// The media type of an object without a given media type.
    package static let contentTypeDefault = "application/octet-stream"

    /// Creates properties. Names in `metadata` and `headers` must be in lower case.
    package init(
        contentType: String = contentTypeDefault, metadata: [String: String] = [:], headers: [String: String] = [:]
    ) {
        self.contentType = contentType
        self.metadata = metadata
        self.headers = headers
    }

    /// Reads the result of ``stored``.
    init(stored bytes: [UInt8]) throws {
        let value = try JSONValue(parsing: bytes)
        contentType = value["type"]?.stringValue ?? Self.contentTypeDefault
        metadata = StringTable.table(value["metadata"])
        headers = StringTable.table(value["headers"])
    }

    var stored: [UInt8] {
        JSONValue.object([
            "type": .string(contentType), "metadata": StringTable.value(metadata),
            "headers": StringTable.value(headers),
        ]).jsonBytes()
    }

    /// Throws if the metadata is larger than ``ObjectLimits/metadataBytesMax``.
    package func check() throws(ObjectError) {
        try StringTable.check(metadata.merging(headers) { $1 })
    }
}

/// Converts tables of headers to the form in the catalogue, and back.
enum StringTable {
    static func value(_ table: [String: String]) -> JSONValue {
        .object(JSONObject(table.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
    }

    static func table(_ value: JSONValue?) -> [String: String] {
        Dictionary(
            (value?.objectValue ?? [:]).compactMap { name, value in value.stringValue.map { (name, $0) } },
            uniquingKeysWith: { $1 })
    }

    static func bytes(_ table: [String: String]) -> [UInt8] { value(table).jsonBytes() }

    static func table(stored bytes: [UInt8]?) throws -> [String: String] {
        try table(JSONValue(parsing: bytes ?? Array("{}".utf8)))
    }

    static func check(_ table: [String: String]) throws(ObjectError) {
        let bytes = table.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        guard bytes <= ObjectLimits.metadataBytesMax else {
            throw ObjectError(
                .invalidRequest, "The metadata has \(bytes) bytes, which is more than \(ObjectLimits.metadataBytesMax)."
            )
        }
    }
}

/// The conditions of a request that writes an object.
package struct WriteCondition: Sendable {
    /// Whether the object must not exist.
    package var requiresAbsence = false
    /// The entity tags, one of which the object must have. `*` matches every tag. `nil` if the object may have any tag
    /// or be absent.
    package var tags: [String]?
    /// The entity tags, none of which the object may have.
    package var otherTags: [String] = []
    /// The time after which the object must not have changed, in seconds since 1970.
    package var unmodifiedSince: Int?
    /// The time when the object must have been changed, in seconds since 1970.
    package var modified: Int?
    /// The number of bytes that the object must have.
    package var byteCount: Int?

    /// Creates a condition. The default condition is always true.
    package init(requiresAbsence: Bool = false, tags: [String]? = nil) {
        self.requiresAbsence = requiresAbsence
        self.tags = tags
    }

    /// Throws ``ObjectError/Code/objectNotFound`` if the condition needs an object and it does not exist. Throws
    /// ``ObjectError/Code/preconditionFailed`` if the object exists although it must not, or does not have what the
    /// condition requires.
    ///
    /// - Parameter existing: The existing object; `nil` if it does not exist.
    package func check(_ existing: ObjectRecord?) throws(ObjectError) {
        guard let existing else {
            let needsObject = tags != nil || modified != nil || byteCount != nil
            if needsObject { throw ObjectError(.objectNotFound, "The object does not exist.") }
            return
        }
        if requiresAbsence { throw ObjectError(.preconditionFailed, "The object exists already.") }
        if let tags, !WriteCondition.have(tags, existing.entityTag) {
            throw ObjectError(.preconditionFailed, "The object has another entity tag.")
        }
        if WriteCondition.have(otherTags, existing.entityTag) {
            throw ObjectError(.preconditionFailed, "The object has an entity tag that the request excludes.")
        }
        let seconds = existing.modified / 1_000
        if let unmodifiedSince, seconds > unmodifiedSince {
            throw ObjectError(.preconditionFailed, "The object was changed after the time of the request.")
        }
        guard modified ?? seconds == seconds, byteCount ?? existing.byteCount == existing.byteCount else {
            throw ObjectError(.preconditionFailed, "The object has another time or size.")
        }
    }

    private static func have(_ tags: [String], _ tag: String) -> Bool {
        tags.contains { $0 == "*" || $0.utf8.elementsEqual(tag.utf8) }
    }
}
