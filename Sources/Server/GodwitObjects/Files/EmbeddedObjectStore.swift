//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitObjectStore

/// An ``ObjectStore`` that contains the objects of one account in a data directory.
package struct EmbeddedObjectStore: ObjectStore {
    private let directory: ObjectDirectory
    private let accountName: String

    /// Creates a store for an account. The account need not exist yet, but must exist when a method of the store is
    /// called.
    package init(_ directory: ObjectDirectory, account: String) {
        self.directory = directory
        accountName = account
    }

    private static func container(
        _ name: String, of account: String, in directory: ObjectDirectory
    ) throws -> ObjectContainer {
        let account = try directory.existingAccount(named: account)
        guard let container = try directory.container(name, of: account.id) else {
            throw ObjectError.missing(container: name)
        }
        return container
    }

    private func withContainer<Result: Sendable>(
        _ name: String, _ body: @escaping @Sendable (ObjectDirectory, ObjectContainer) throws -> Result
    ) async throws(ObjectError) -> Result {
        try await directory.run { [accountName] directory in
            try body(directory, try EmbeddedObjectStore.container(name, of: accountName, in: directory))
        }
    }

    /// Creates a container.
    package func createContainer(_ name: String) async throws(ObjectError) {
        try await directory.run { [accountName] directory in
            _ = try directory.createContainer(name, of: try directory.existingAccount(named: accountName))
        }
    }

    /// Deletes an empty container.
    package func deleteContainer(_ name: String) async throws(ObjectError) {
        try await withContainer(name) { try $0.delete($1) }
    }

    /// Returns the names of the account's containers.
    package func containers() async throws(ObjectError) -> [String] {
        try await directory.run { [accountName] directory in
            let account = try directory.existingAccount(named: accountName)
            return try directory.containers(of: account.id, countMax: ObjectLimits.containersPerAccountMax).map(\.name)
        }
    }

    /// Allows or forbids everyone to read the objects of a container. In both cases, all readers that were permitted
    /// individually lose their permission.
    package func setPublicReading(_ isPublic: Bool, of container: String) async throws(ObjectError) {
        try await withContainer(container) { directory, container in
            try directory.changeHeaders(of: container) { stored in
                var headers = stored
                headers[ObjectContainer.readersHeader] = isPublic ? ObjectContainer.everyone : nil
                return headers
            }
        }
    }

    /// Whether everyone may read the objects of a container.
    package func allowsPublicReading(of container: String) async throws(ObjectError) -> Bool {
        try await withContainer(container) { $1.headers[ObjectContainer.readersHeader] == ObjectContainer.everyone }
    }

    /// Stores an object.
    package func put(
        _ source: ObjectSource, as name: String, in container: String, _ properties: ObjectProperties
    ) async throws(ObjectError) -> ObjectInfo {
        let object = NewObject(
            name: name,
            properties: StoredProperties(
                contentType: properties.contentType ?? StoredProperties.contentTypeDefault,
                metadata: properties.metadata,
                headers: properties.headers.filter { ObjectProperties.headerNames.contains($0.key) }),
            expires: properties.expires)
        let found = try await withContainer(container) { directory, container in
            try directory.check(object, in: container, length: nil)
            return container
        }
        let upload = try await directory.beginUpload(of: found.account)
        do {
            for try await bytes in try await SourcePieces(source) { try await upload.append(bytes) }
        } catch {
            throw ObjectError(reading: error, name)
        }
        return try await directory.run { try $0.store(object, in: found, try upload.finish()) }.info
    }

    /// Returns the properties of an object.
    package func info(of name: String, in container: String) async throws(ObjectError) -> ObjectInfo {
        try await withContainer(container) { try $0.existingObject(named: name, in: $1).info }
    }

    /// Begins to read an object.
    package func read(
        _ name: String, in container: String, range: Range<Int>?
    ) async throws(ObjectError) -> ObjectReading {
        try await withContainer(container) { directory, container in
            guard let object = try directory.open(name, in: container) else {
                throw ObjectError.missing(name, in: container.name)
            }
            let record = object.record
            let wanted = range ?? 0..<record.byteCount
            guard wanted.lowerBound < record.byteCount || range == nil else {
                throw ObjectError(.rangeNotSatisfiable, "\(name) has only \(record.byteCount) bytes.")
            }
            let served = wanted.clamped(to: 0..<record.byteCount)
            return ObjectReading(
                info: record.info, range: served, body: AnyPieces(object.read(served)))
        }
    }

    /// Deletes an object.
    package func delete(_ name: String, in container: String) async throws(ObjectError) {
        try await withContainer(container) { _ = try $0.deleteObject(named: name, in: $1) }
    }

    /// Copies an object.
    package func copy(
        _ name: String, in container: String, to newName: String, in newContainer: String
    ) async throws(ObjectError) -> ObjectInfo {
        try await withContainer(container) { [accountName] directory, container in
            let source = try directory.existingObject(named: name, in: container)
            let target = try EmbeddedObjectStore.container(newContainer, of: accountName, in: directory)
            let object = NewObject(name: newName, properties: source.properties, expires: source.expires)
            return try directory.copy(source, as: object, in: target).info
        }
    }

    /// Returns a page of the objects of a container.
    package func objects(in container: String, _ page: ObjectPage) async throws(ObjectError) -> ObjectList {
        try await withContainer(container) { directory, container in
            var request = ListingRequest()
            request.prefix = page.prefix
            request.delimiter = page.delimiter ?? ""
            request.after = page.after ?? ""
            request.countMax = min(page.countMax, ObjectLimits.pageCountMax)
            let (entries, hasMore) = try directory.list(container, request)
            var (objects, prefixes) = ([ObjectInfo](), [String]())
            for entry in entries {
                switch entry {
                case .object(let record): objects.append(record.info)
                case .prefix(let prefix): prefixes.append(prefix)
                }
            }
            return ObjectList(objects: objects, prefixes: prefixes, next: hasMore ? entries.last?.name : nil)
        }
    }

    /// Always throws an error. Temporary URLs require the routes of a server, and this store has no routes.
    package func temporaryURL(
        for use: ObjectUse, of name: String, in container: String, secondsMax: Int
    ) async throws(ObjectError) -> String {
        throw ObjectError(.unsupported, "A storage in a directory has no URLs. Use the URL of its server.")
    }
}

/// The pieces of a stored object, with errors of any type.
private struct AnyPieces: AsyncSequence, Sendable {
    let reading: StoredObjectReading

    init(_ reading: StoredObjectReading) { self.reading = reading }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: reading.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: StoredObjectReading.Iterator

        mutating func next() async throws -> [UInt8]? { try await pieces.next() }
    }
}

extension ObjectContainer {
    /// The header with the readers of a container.
    package static let readersHeader = "x-container-read"
    /// The readers of a container that everyone can read.
    package static let everyone = ".r:*"
}
