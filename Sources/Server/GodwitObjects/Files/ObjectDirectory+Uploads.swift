//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitSQLite
import GodwitStore

/// An upload in parts that is not complete.
package struct PartialUpload: Sendable {
    /// The random id of the upload, as in S3's `UploadId`.
    package let id: String
    /// The ``ObjectAccount/id`` of the account.
    package let account: Int
    /// The ``ObjectContainer/id`` of the container.
    package let container: Int
    /// The name of the object that the upload creates.
    package let name: String
    /// The time at which the upload began, in seconds since 1970.
    package let created: Int
    /// The properties of the object that the upload creates.
    package let properties: StoredProperties
}

/// A part of an upload.
package struct UploadedPart: Sendable {
    /// The part's number, from 1 to ``ObjectLimits/partsMax``. The object consists of the parts in the order of their
    /// numbers.
    package let number: Int
    /// The length of the part in bytes.
    package let byteCount: Int
    /// The MD5 in hexadecimal digits.
    package let entityTag: String
    /// The time at which the part was stored, in milliseconds since 1970.
    package let modified: Int
    /// The checksums of the part.
    package let headers: [String: String]
    let blob: BlobID
}

extension ObjectDirectory {
    private static let uploadIDBytes = 24

    /// Begins an upload in parts.
    package func beginParts(
        of name: String, in container: ObjectContainer, _ properties: StoredProperties
    ) throws -> PartialUpload {
        try check(NewObject(name: name, properties: properties), in: container, length: nil)
        let upload = PartialUpload(
            id: Base64URL.encode(.random(count: ObjectDirectory.uploadIDBytes)), account: container.account,
            container: container.id, name: name, created: ObjectDirectory.now / 1_000, properties: properties)
        try catalogue.write { connection in
            let count = try connection.first(
                "SELECT count(*) FROM uploads WHERE account = ?1", { $0.bind(upload.account, at: 1) }
            ) { $0.int(0) }
            guard count ?? 0 < ObjectLimits.uploadsPerAccountMax else {
                throw ObjectError(
                    .quotaExceeded,
                    "An account has at most \(ObjectLimits.uploadsPerAccountMax) unfinished uploads. Abort some first.")
            }
            try connection.run("INSERT INTO uploads VALUES(?1, ?2, ?3, ?4, ?5, ?6)") {
                $0.bind(upload.id, at: 1)
                $0.bind(upload.account, at: 2)
                $0.bind(upload.container, at: 3)
                $0.bind(upload.name, at: 4)
                $0.bind(upload.created, at: 5)
                $0.bind(upload.properties.stored, at: 6)
            }
        }
        return upload
    }

    /// Returns an upload of an object.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/uploadNotFound``.
    package func upload(_ id: String, of name: String, in container: ObjectContainer) throws -> PartialUpload {
        let upload = try catalogue.read { try ObjectDirectory.upload(id, on: $0) }
        guard let upload, upload.name.isIdenticalText(to: name), upload.container == container.id else {
            throw ObjectDirectory.noUpload
        }
        return upload
    }

    private static var noUpload: ObjectError {
        ObjectError(.uploadNotFound, "The upload does not exist. It may have been completed or aborted.")
    }

    private static func upload(_ id: String, on connection: SQLiteConnection) throws -> PartialUpload? {
        try connection.first(
            "SELECT id, account, container, name, created, properties FROM uploads WHERE id = ?1",
            { $0.bind(id, at: 1) },
            PartialUpload.init)
    }

    /// Stores a part. If the upload has a part with this number, that part is replaced. The new part is durable when
    /// the function returns.
    package func storePart(
        _ number: Int, of upload: PartialUpload, _ bytes: FinishedUpload, headers: [String: String]
    ) throws -> UploadedPart {
        let piece = bytes.pieces.first ?? Piece(blob: BlobID(digest: []), byteCount: 0)
        let part = UploadedPart(
            number: number, byteCount: piece.byteCount, entityTag: bytes.md5, modified: ObjectDirectory.now,
            headers: headers, blob: piece.blob)
        return try place(bytes) { try ObjectDirectory.add(part, to: upload, on: $0) }
    }

    private static func add(
        _ part: UploadedPart, to upload: PartialUpload, on connection: SQLiteConnection
    ) throws -> UploadedPart {
        guard try ObjectDirectory.upload(upload.id, on: connection) != nil else { throw noUpload }
        try refer(to: part.piece, by: 1, on: connection)
        if let old = try self.part(part.number, of: upload.id, on: connection) {
            try remove(old, of: upload, on: connection)
        }
        try connection.run("INSERT INTO parts VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7)") {
            $0.bind(upload.id, at: 1)
            $0.bind(part.number, at: 2)
            $0.bind(part.byteCount, at: 3)
            $0.bind(part.entityTag, at: 4)
            $0.bind(part.modified, at: 5)
            $0.bind(part.blob.digest, at: 6)
            $0.bind(StringTable.bytes(part.headers), at: 7)
        }
        try count(ofAccount: upload.account, objects: 0, bytes: part.byteCount, on: connection)
        try checkQuota(of: upload.account, on: connection)
        return part
    }

    /// Stores a complete object as a part, without copying its bytes.
    ///
    /// - Parameters:
    ///   - source: An object that was uploaded in one piece.
    ///   - headers: The checksums of the object.
    /// - Returns: The part; `nil` if the bytes must be copied. This is the case if the object is empty, has several
    ///   pieces or a manifest, or was uploaded in parts.
    package func copyPart(
        _ number: Int, of upload: PartialUpload, from source: ObjectRecord, headers: [String: String] = [:]
    ) throws -> UploadedPart? {
        guard source.pieces.count == 1, let piece = source.pieces.first, source.manifest == nil,
            !source.entityTag.includes("-")
        else { return nil }
        pins.pin([piece.blob])
        defer { pins.unpin([piece.blob]) }
        let part = UploadedPart(
            number: number, byteCount: piece.byteCount, entityTag: source.entityTag, modified: ObjectDirectory.now,
            headers: headers, blob: piece.blob)
        return try catalogue.write { try ObjectDirectory.add(part, to: upload, on: $0) }
    }

    private static func part(
        _ number: Int, of upload: String, on connection: SQLiteConnection
    ) throws -> UploadedPart? {
        try connection.first(
            "SELECT number, bytes, tag, modified, digest, headers FROM parts WHERE upload = ?1 AND number = ?2",
            {
                $0.bind(upload, at: 1)
                $0.bind(number, at: 2)
            }, UploadedPart.init)
    }

    private static func remove(
        _ part: UploadedPart, of upload: PartialUpload, on connection: SQLiteConnection
    ) throws {
        try refer(to: part.piece, by: -1, on: connection)
        try count(ofAccount: upload.account, objects: 0, bytes: -part.byteCount, on: connection)
        try connection.run("DELETE FROM parts WHERE upload = ?1 AND number = ?2") {
            $0.bind(upload.id, at: 1)
            $0.bind(part.number, at: 2)
        }
        invariant(connection.changedRows == 1, "a part that is replaced was stored")
    }

    /// Returns the parts of an upload whose numbers are greater than a given number, in ascending order of their
    /// numbers.
    package func parts(of upload: PartialUpload, after number: Int = 0, countMax: Int) throws -> [UploadedPart] {
        try catalogue.read { try ObjectDirectory.parts(of: upload.id, after: number, countMax: countMax, on: $0) }
    }

    private static func parts(
        of upload: String, after number: Int, countMax: Int, on connection: SQLiteConnection
    ) throws -> [UploadedPart] {
        try connection.rows(
            """
            SELECT number, bytes, tag, modified, digest, headers FROM parts
            WHERE upload = ?1 AND number > ?2 ORDER BY number LIMIT ?3
            """,
            {
                $0.bind(upload, at: 1)
                $0.bind(number, at: 2)
                $0.bind(countMax, at: 3)
            }, UploadedPart.init)
    }

    /// Completes an upload. The new object consists of the given parts, in the given order.
    ///
    /// - Parameters:
    ///   - chosen: The numbers of the parts, in ascending order, with the tags that the client sent for them.
    ///   - condition: The condition on an existing object with the name.
    ///   - headers: A closure that gets the parts in their order, compares their checksums with those that the client
    ///     sent, and returns the stored headers of the object. It throws ``ObjectError`` to refuse the upload.
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/invalidPart`` if no part is given, or if a part is
    ///   missing or has another tag; ``ObjectError/Code/tooSmall`` if a part other than the last part has fewer than
    ///   ``ObjectLimits/partBytesMin`` bytes; ``ObjectError/Code/uploadNotFound`` if the upload was completed or
    ///   aborted; and the errors when the condition is not met or the quota is exceeded.
    package func complete(
        _ upload: PartialUpload, in container: ObjectContainer, parts chosen: [(number: Int, tag: String)],
        condition: WriteCondition,
        headers: @escaping @Sendable ([UploadedPart]) throws -> [String: String]
    ) throws -> ObjectRecord {
        let chosen = chosen.map { ChosenPart(number: $0.number, tag: $0.tag) }
        return try catalogue.write { connection in
            guard try ObjectDirectory.upload(upload.id, on: connection) != nil else { throw ObjectDirectory.noUpload }
            let all = try ObjectDirectory.parts(
                of: upload.id, after: 0, countMax: ObjectLimits.partsMax, on: connection)
            let stored = Dictionary(all.map { ($0.number, $0) }, uniquingKeysWith: { $1 })
            let parts = try ObjectDirectory.check(chosen, stored)
            var properties = upload.properties
            properties.headers = try headers(parts)
            let object = NewObject(name: upload.name, properties: properties, condition: condition)
            // The references of the object are added before the references of the parts are removed. Therefore the
            // number of references to the bytes never becomes 0.
            let partBytes = all.reduce(0) { $0.addingSaturated($1.byteCount) }
            try ObjectDirectory.count(ofAccount: upload.account, objects: 0, bytes: -partBytes, on: connection)
            let record = try ObjectDirectory.add(
                object, in: container, pieces: parts.filter { $0.byteCount > 0 }.map(\.piece),
                tag: ObjectDirectory.tag(of: parts), on: connection)
            for part in all { try ObjectDirectory.refer(to: part.piece, by: -1, on: connection) }
            try ObjectDirectory.forget(upload.id, on: connection)
            return record
        }
    }

    private struct ChosenPart: Sendable {
        let number: Int
        let tag: String
    }

    private static func check(_ chosen: [ChosenPart], _ stored: [Int: UploadedPart]) throws -> [UploadedPart] {
        let parts = try chosen.map { choice in
            guard let part = stored[choice.number], part.entityTag.isIdenticalText(to: choice.tag) else {
                throw ObjectError(
                    .invalidPart, "The part \(choice.number) was not uploaded, or has another entity tag.")
            }
            return part
        }
        guard !parts.isEmpty else { throw ObjectError(.invalidPart, "An upload needs at least one part.") }
        for part in parts.dropLast() where part.byteCount < ObjectLimits.partBytesMin {
            throw ObjectError(
                .tooSmall,
                "The part \(part.number) has \(part.byteCount) bytes. All parts but the last need at least "
                    + "\(ObjectLimits.partBytesMin).")
        }
        return parts
    }

    /// Returns the entity tag that S3 defines for an object in parts. It is the MD5 of the MD5s of all parts, followed
    /// by `-` and the number of parts.
    private static func tag(of parts: [UploadedPart]) -> String {
        let digests = parts.flatMap { [UInt8](hexadecimal: $0.entityTag.utf8) ?? [] }
        return "\(MessageDigest.Algorithm.md5.digest(of: digests).hexadecimal)-\(parts.count)"
    }

    /// Aborts an upload and removes its parts.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/uploadNotFound``.
    package func abort(_ upload: PartialUpload) throws {
        try release { connection in
            guard try ObjectDirectory.upload(upload.id, on: connection) != nil else { throw ObjectDirectory.noUpload }
            try ObjectDirectory.abort(upload.id, on: connection)
        }
    }

    static func abort(_ id: String, on connection: SQLiteConnection) throws {
        guard let upload = try upload(id, on: connection) else { return }
        let all = try parts(of: id, after: 0, countMax: ObjectLimits.partsMax, on: connection)
        for part in all {
            try refer(to: part.piece, by: -1, on: connection)
            try count(ofAccount: upload.account, objects: 0, bytes: -part.byteCount, on: connection)
        }
        try forget(id, on: connection)
    }

    private static func forget(_ upload: String, on connection: SQLiteConnection) throws {
        try connection.run("DELETE FROM parts WHERE upload = ?1") { $0.bind(upload, at: 1) }
        try connection.run("DELETE FROM uploads WHERE id = ?1") { $0.bind(upload, at: 1) }
        invariant(connection.changedRows == 1, "an upload that ends was begun")
    }
}

extension PartialUpload {
    init(_ row: SQLiteStatement) throws {
        self.init(
            id: row.string(0), account: row.int(1), container: row.int(2), name: row.string(3), created: row.int(4),
            properties: try StoredProperties(stored: row.bytes(5) ?? []))
    }
}

extension UploadedPart {
    var piece: Piece { Piece(blob: blob, byteCount: byteCount) }

    init(_ row: SQLiteStatement) throws {
        self.init(
            number: row.int(0), byteCount: max(row.int(1), 0), entityTag: row.string(2), modified: row.int(3),
            headers: try StringTable.table(stored: row.bytes(5)), blob: BlobID(digest: row.bytes(4) ?? []))
    }
}
