//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitObjectStore
import GodwitSQLite
import GodwitStore

/// An object to add to the catalogue.
package struct NewObject: Sendable {
    /// The name of the object in its container.
    package let name: String
    /// The media type, the metadata and the headers to store with the object.
    package let properties: StoredProperties
    /// The time at which the object is to be removed, in seconds since 1970; `nil` if it is not to be removed.
    package let expires: Int?
    /// The condition that the existing object with this name must meet. By default, there is no condition.
    package var condition = WriteCondition()
    /// The list of segments of a static large object; `nil` for other objects.
    package var manifest: [UInt8]?

    /// Creates a description of an object. Its bytes are stored separately.
    ///
    /// - Parameters:
    ///   - name: The name of the object in its container.
    ///   - properties: The media type, the metadata and the headers.
    ///   - expires: The time at which the object is to be removed, in seconds since 1970; `nil` if it is not to be
    ///     removed.
    ///   - condition: The condition on the existing object with the name.
    ///   - manifest: The list of segments of a static large object; `nil` for other objects.
    package init(
        name: String, properties: StoredProperties, expires: Int? = nil, condition: WriteCondition = .init(),
        manifest: [UInt8]? = nil
    ) {
        self.name = name
        self.properties = properties
        self.expires = expires
        self.condition = condition
        self.manifest = manifest
    }
}

extension ObjectDirectory {
    // MARK: Writing

    /// Checks a new object before its bytes are received.
    ///
    /// - Parameter length: The announced number of bytes; `nil` if it is unknown.
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/invalidName``, ``ObjectError/Code/invalidRequest``,
    ///   ``ObjectError/Code/tooLarge``, ``ObjectError/Code/quotaExceeded``, ``ObjectError/Code/preconditionFailed``,
    ///   ``ObjectError/Code/objectNotFound`` if the condition needs an existing object, or
    ///   ``ObjectError/Code/diskFull``.
    package func check(_ object: NewObject, in container: ObjectContainer, length: Int?) throws {
        try ObjectNames.checkObject(object.name)
        try object.properties.check()
        try checkLength(length ?? 0, of: container.account)
        try object.condition.check(try self.object(named: object.name, in: container))
        try manager?.checkFreeSpace()
    }

    /// Throws an error if an upload is too large, or if the account would exceed its quota.
    private func checkLength(_ length: Int, of account: Int) throws {
        guard length <= ObjectLimits.uploadBytesMax else {
            throw ObjectError(
                .tooLarge, "An upload has at most \(ObjectLimits.uploadBytesMax) bytes. Upload larger objects in parts."
            )
        }
        let usage = try catalogue.read { connection in
            try connection.first("SELECT quota, bytes FROM accounts WHERE id = ?1", { $0.bind(account, at: 1) }) {
                (quota: $0.optionalInt(0), bytes: $0.int(1))
            }
        }
        guard let usage else { throw ObjectError(.accountNotFound, "The account was removed.") }
        guard let quota = usage.quota else { return }
        let bytes = usage.bytes.addingSaturated(length).addingSaturated(incoming.withLock { $0[account] ?? 0 })
        guard bytes <= quota else { throw ObjectDirectory.quotaExceeded(quota) }
    }

    private static func quotaExceeded(_ quota: Int) -> ObjectError {
        ObjectError(.quotaExceeded, "The account's quota of \(quota) bytes would be exceeded. Delete objects first.")
    }

    /// Begins to receive the bytes of an object or of a part.
    package func beginUpload(of account: Int) async throws(ObjectError) -> IncomingObject {
        try await run { directory in
            IncomingObject(try BlobWriter(directory.files, form: directory.form), of: account, in: directory)
        }
    }

    /// Counts the received bytes of all uploads that an account has in progress. Without this count, several concurrent
    /// uploads could exceed the quota together.
    func count(_ bytes: Int, of account: Int) {
        incoming.withLock { incoming in
            incoming[account, default: 0] += bytes
            invariant(incoming[account, default: 0] >= 0, "an account receives no fewer than zero bytes")
        }
    }

    /// Throws an error if all uploads that an account has in progress would together exceed its quota.
    func checkIncoming(of account: Int) throws { try checkLength(0, of: account) }

    /// Adds an object whose bytes were received. If the container has an object with this name, that object is
    /// replaced. The new object is durable when the function returns.
    package func store(
        _ object: NewObject, in container: ObjectContainer, _ upload: FinishedUpload
    ) throws -> ObjectRecord {
        try place(upload) { connection in
            try ObjectDirectory.add(
                object, in: container, pieces: upload.pieces, tag: upload.md5, on: connection)
        }
    }

    /// Gives a received file its final name, and adds its row in one transaction with the rows that refer to it.
    func place<Result: Sendable>(
        _ upload: FinishedUpload, _ body: @escaping @Sendable (SQLiteConnection) throws -> Result
    ) throws -> Result {
        invariant(upload.pieces.count <= 1, "the bytes of an upload are one file")
        guard let piece = upload.pieces.first else { return try catalogue.write(body) }
        pins.pin([piece.blob])
        defer { pins.unpin([piece.blob]) }
        let (name, number) = (BlobFiles.name(of: piece.blob, upload.form), key?.number)
        try files.publish(upload.writer.temporaryPath, as: files.path(named: name))
        upload.writer.markMoved()
        do {
            let (result, oldName) = try catalogue.write { connection in
                let oldName = try ObjectDirectory.register(piece, file: name, key: number, on: connection)
                return (try body(connection), oldName)
            }
            if let oldName, !oldName.utf8.elementsEqual(name.utf8) {
                try DatabaseFiles.removeFile(files.path(named: oldName))
            }
            return result
        } catch {
            // The file is not removed here, because another upload of the same bytes may already use it. Instead, a row
            // without references is added for the file. The collection removes the file when no upload has pinned it.
            try? release { _ = try ObjectDirectory.register(piece, file: name, key: number, on: $0) }
            throw error
        }
    }

    /// Adds the row of a file without references. If the bytes already have a row with another key, the new file
    /// replaces the file of that row.
    ///
    /// - Returns: The name of the file that the row had; `nil` for a new row.
    static func register(
        _ piece: Piece, file name: String, key: Int?, on connection: SQLiteConnection
    ) throws -> String? {
        let oldName = try connection.first(
            "SELECT file FROM blobs WHERE digest = ?1", { $0.bind(piece.blob.digest, at: 1) }
        ) { $0.string(0) }
        try connection.run(
            """
            INSERT INTO blobs VALUES(?1, ?2, ?3, ?4, 0)
            ON CONFLICT(digest) DO UPDATE SET key = excluded.key, file = excluded.file
            """
        ) {
            $0.bind(piece.blob.digest, at: 1)
            $0.bind(piece.byteCount, at: 2)
            $0.bind(key, at: 3)
            $0.bind(name, at: 4)
        }
        return oldName
    }

    /// Adds an object that consists of the bytes of other objects, in their order.
    ///
    /// - Parameter tag: The entity tag.
    package func store(
        _ object: NewObject, in container: ObjectContainer, objects: [ObjectRecord], tag: String
    ) throws -> ObjectRecord {
        let pieces = objects.flatMap(\.pieces)
        let blobs = pieces.map(\.blob)
        pins.pin(blobs)
        defer { pins.unpin(blobs) }
        return try catalogue.write { connection in
            try ObjectDirectory.add(object, in: container, pieces: pieces, tag: tag, on: connection)
        }
    }

    /// Adds an object in a transaction.
    static func add(
        _ object: NewObject, in container: ObjectContainer, pieces: [Piece], tag: String,
        on connection: SQLiteConnection
    ) throws -> ObjectRecord {
        let existing = try record(object.name, in: container.id, on: connection)
        try object.condition.check(existing.flatMap { $0.isExpired ? nil : $0 })
        guard pieces.count <= ObjectLimits.partsMax else { throw tooManyPieces }
        let isPresent = try connection.first(
            "SELECT 1 FROM containers WHERE id = ?1", { $0.bind(container.id, at: 1) }
        ) { _ in true }
        guard isPresent != nil else { throw ObjectError.missing(container: container.name) }
        for piece in pieces { try refer(to: piece, by: 1, on: connection) }
        if existing != nil { try remove(object.name, in: container.id, on: connection) }
        let byteCount = pieces.reduce(0) { $0 + $1.byteCount }
        invariant(pieces.allSatisfy { $0.byteCount >= 0 }, "a piece has no fewer than zero bytes")
        let modified = now
        try connection.run("INSERT INTO objects VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)") {
            $0.bind(container.id, at: 1)
            $0.bind(object.name, at: 2)
            $0.bind(byteCount, at: 3)
            $0.bind(tag, at: 4)
            $0.bind(modified, at: 5)
            $0.bind(object.expires, at: 6)
            $0.bind(object.properties.stored, at: 7)
            $0.bind(Piece.encode(pieces), at: 8)
            $0.bind(object.manifest, at: 9)
        }
        try count(container, objects: 1, bytes: byteCount, on: connection)
        try checkQuota(of: container.account, on: connection)
        return ObjectRecord(
            name: object.name, byteCount: byteCount, entityTag: tag, modified: modified, expires: object.expires,
            properties: object.properties, pieces: pieces, manifest: object.manifest)
    }

    private static var tooManyPieces: ObjectError {
        ObjectError(
            .tooLarge, "An object consists of at most \(ObjectLimits.partsMax) parts, also those of its segments.")
    }

    /// Throws an error if the objects together have more pieces than a single object may have.
    package static func checkPieces(of records: [ObjectRecord]) throws(ObjectError) {
        guard records.reduce(0, { $0 + $1.pieces.count }) <= ObjectLimits.partsMax else { throw tooManyPieces }
    }

    /// Changes the counts of bytes and objects of a container and of its account.
    private static func count(
        _ container: ObjectContainer, objects: Int, bytes: Int, on connection: SQLiteConnection
    ) throws {
        try connection.run("UPDATE containers SET objects = objects + ?2, bytes = bytes + ?3 WHERE id = ?1") {
            $0.bind(container.id, at: 1)
            $0.bind(objects, at: 2)
            $0.bind(bytes, at: 3)
        }
        invariant(connection.changedRows == 1, "an object is counted in its container")
        try count(ofAccount: container.account, objects: objects, bytes: bytes, on: connection)
    }

    static func count(
        ofAccount account: Int, objects: Int, bytes: Int, on connection: SQLiteConnection
    ) throws {
        invariant((-1...1).contains(objects), "at most one object is counted at a time")
        try connection.run("UPDATE accounts SET objects = objects + ?2, bytes = bytes + ?3 WHERE id = ?1") {
            $0.bind(account, at: 1)
            $0.bind(objects, at: 2)
            $0.bind(bytes, at: 3)
        }
        invariant(connection.changedRows == 1, "bytes are counted in their account")
    }

    /// Throws if an account has more bytes than its quota, so that the transaction is rolled back.
    static func checkQuota(of account: Int, on connection: SQLiteConnection) throws {
        let usage = try connection.first(
            "SELECT quota, bytes, objects FROM accounts WHERE id = ?1 AND quota IS NOT NULL",
            { $0.bind(account, at: 1) }
        ) { (quota: $0.int(0), bytes: $0.int(1), objects: $0.int(2)) }
        guard let usage else { return }
        if usage.bytes > usage.quota { throw quotaExceeded(usage.quota) }
        // The number of objects is also limited, because even empty objects need space for their names and metadata.
        let objectsMax = ObjectLimits.quotaObjectsMin.addingSaturated(usage.quota / ObjectLimits.quotaBytesPerObject)
        guard usage.objects <= objectsMax else {
            throw ObjectError(
                .quotaExceeded, "An account with this quota has at most \(objectsMax) objects. Delete some first.")
        }
    }

    /// Changes the number of references to stored bytes by `count`.
    static func refer(to piece: Piece, by count: Int, on connection: SQLiteConnection) throws {
        invariant(count == 1 || count == -1, "one reference is added or removed")
        guard piece.byteCount > 0 else { return }
        let isKnown = try connection.first(
            "UPDATE blobs SET refs = refs + ?2 WHERE digest = ?1 RETURNING 1",
            {
                $0.bind(piece.blob.digest, at: 1)
                $0.bind(count, at: 2)
            }
        ) { _ in true }
        guard isKnown != nil || count < 0 else {
            throw ObjectError(.objectNotFound, "The object was deleted meanwhile.")
        }
    }

    /// Changes the properties of an object.
    ///
    /// - Parameter change: A closure that gets the current object and returns the new properties and the new time of
    ///   removal.
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/objectNotFound``.
    package func changeProperties(
        ofObject name: String, in container: ObjectContainer,
        _ change: @escaping @Sendable (ObjectRecord) throws -> (properties: StoredProperties, expires: Int?)
    ) throws {
        try catalogue.write { connection in
            guard let record = try ObjectDirectory.record(name, in: container.id, on: connection), !record.isExpired
            else { throw ObjectError.missing(name, in: container.name) }
            let (properties, expires) = try change(record)
            try properties.check()
            try connection.run(
                "UPDATE objects SET properties = ?3, expires = ?4, modified = ?5 WHERE container = ?1 AND name = ?2"
            ) {
                $0.bind(container.id, at: 1)
                $0.bind(name, at: 2)
                $0.bind(properties.stored, at: 3)
                $0.bind(expires, at: 4)
                $0.bind(ObjectDirectory.now, at: 5)
            }
            invariant(connection.changedRows == 1, "an object that is changed was stored")
        }
    }

    /// Deletes an object, if it meets a condition.
    ///
    /// - Returns: Whether the object existed.
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/preconditionFailed``, or
    ///   ``ObjectError/Code/objectNotFound`` if the condition needs an object.
    package func deleteObject(
        named name: String, in container: ObjectContainer, condition: WriteCondition = WriteCondition()
    ) throws -> Bool {
        try release { connection in
            let existing = try ObjectDirectory.record(name, in: container.id, on: connection)
            try condition.check(existing.flatMap { $0.isExpired ? nil : $0 })
            guard let record = existing else { return false }
            try ObjectDirectory.remove(name, in: container.id, on: connection)
            return !record.isExpired
        }
    }

    /// Deletes objects in one transaction. Names without an object are skipped.
    ///
    /// - Returns: The number of deleted objects, and the number of names from the beginning of the list that were
    ///   handled. It is at least 1, unless the list is empty. Fewer names than given are handled if the objects have
    ///   many pieces, because other requests cannot write in the meantime.
    package func deleteObjects(
        named names: ArraySlice<String>, in container: ObjectContainer
    ) throws -> (deleted: Int, handled: Int) {
        try release { connection in
            var (deleted, handled, pieces) = (0, 0, 0)
            for name in names.prefix(ObjectLimits.deletedMax) where pieces < ObjectLimits.deletedPiecesMax {
                handled += 1
                guard let record = try ObjectDirectory.record(name, in: container.id, on: connection) else { continue }
                try ObjectDirectory.remove(name, in: container.id, on: connection)
                pieces += record.pieceCount
                if !record.isExpired { deleted += 1 }
            }
            invariant(deleted <= handled && handled <= names.count, "an object is deleted once for its name")
            return (deleted, handled)
        }
    }

    /// Removes the row of an object and its references. The object must exist.
    static func remove(_ name: String, in container: Int, on connection: SQLiteConnection) throws {
        guard let record = try record(name, in: container, on: connection) else { return }
        for piece in record.pieces { try refer(to: piece, by: -1, on: connection) }
        try connection.run("DELETE FROM objects WHERE container = ?1 AND name = ?2") {
            $0.bind(container, at: 1)
            $0.bind(name, at: 2)
        }
        invariant(connection.changedRows == 1, "an object that is removed was stored")
        let account = try connection.first(
            "SELECT account FROM containers WHERE id = ?1", { $0.bind(container, at: 1) }
        ) { $0.int(0) }
        try connection.run("UPDATE containers SET objects = objects - 1, bytes = bytes - ?2 WHERE id = ?1") {
            $0.bind(container, at: 1)
            $0.bind(record.byteCount, at: 2)
        }
        if let account { try count(ofAccount: account, objects: -1, bytes: -record.byteCount, on: connection) }
    }

    /// Copies an object without copying its bytes: the object and the copy use the same stored files.
    package func copy(
        _ source: ObjectRecord, as object: NewObject, in container: ObjectContainer
    ) throws -> ObjectRecord {
        try ObjectNames.checkObject(object.name)
        try object.properties.check()
        try manager?.checkFreeSpace()
        return try store(object, in: container, objects: [source], tag: source.entityTag)
    }

    // MARK: Reading

    /// Returns an object; `nil` if the container has no object with this name, or it has expired.
    package func object(named name: String, in container: ObjectContainer) throws -> ObjectRecord? {
        let record = try catalogue.read { try ObjectDirectory.record(name, in: container.id, on: $0) }
        return record.flatMap { $0.isExpired ? nil : $0 }
    }

    /// Returns an object, or throws ``ObjectError`` with code ``ObjectError/Code/objectNotFound``.
    package func existingObject(named name: String, in container: ObjectContainer) throws -> ObjectRecord {
        guard let record = try object(named: name, in: container) else {
            throw ObjectError.missing(name, in: container.name)
        }
        return record
    }

    private static func record(
        _ name: String, in container: Int, on connection: SQLiteConnection
    ) throws -> ObjectRecord? {
        try connection.first(
            """
            SELECT name, bytes, tag, modified, expires, properties, pieces, manifest FROM objects
            WHERE container = ?1 AND name = ?2
            """,
            {
                $0.bind(container, at: 1)
                $0.bind(name, at: 2)
            }, ObjectRecord.init)
    }

    /// Returns an object whose files are not removed while the result exists; `nil` if the container has no such
    /// object.
    package func open(_ name: String, in container: ObjectContainer) throws -> PinnedObject? {
        while let record = try object(named: name, in: container) {
            if let pinned = try pin(record, of: [record], in: container) { return pinned }
        }
        return nil
    }

    /// Returns an object whose files are not removed while the result exists. The object consists of other objects. The
    /// result is `nil` if one of these was changed or deleted after the caller read it.
    ///
    /// - Parameter objects: The objects of the container whose files are pinned.
    package func pin(
        _ record: ObjectRecord, of objects: [ObjectRecord], in container: ObjectContainer
    ) throws -> PinnedObject? {
        let pinned = PinnedObject(record, in: self)
        // The objects are read again after their files were pinned. If they have not changed, the files had references
        // until then, and were not removed.
        for object in objects {
            guard try self.object(named: object.name, in: container)?.pieces == object.pieces else { return nil }
        }
        return pinned
    }
}

extension ObjectRecord {
    /// Whether the time at which the object is to be removed has passed.
    var isExpired: Bool { expires.map { $0 <= ObjectDirectory.now / 1_000 } ?? false }

    init(_ row: SQLiteStatement) throws {
        self.init(
            name: row.string(0), byteCount: max(row.int(1), 0), entityTag: row.string(2),
            modified: max(row.int(3), 0),
            expires: row.optionalInt(4), properties: try StoredProperties(stored: row.bytes(5) ?? []),
            pieces: Piece.decode(row.bytes(6) ?? []), manifest: row.bytes(7))
    }
}
