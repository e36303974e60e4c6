//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A storage of objects: named bytes in containers, which S3 calls buckets.
///
/// Three implementations behave in the same way: the storage of a data directory, a service with OpenStack Swift's API
/// (``SwiftObjectStore``), and a service with S3's API (``S3ObjectStore``). An app that uses this protocol can switch
/// between them with a setting.
///
/// ```swift
/// let store: any ObjectStore = S3ObjectStore(
///     endpoint: "http://127.0.0.1:5984/_s3", accessKey: key, secretKey: secret, transport: URLSessionTransport())
/// try await store.createContainer("photos")
/// try await store.put(.file("fog.jpg"), as: "2026/fog.jpg", in: "photos", ObjectProperties(contentType: "image/jpeg"))
/// for try await piece in try await store.read("2026/fog.jpg", in: "photos").body { … }
/// ```
public protocol ObjectStore: Sendable {
    /// Creates a container. Does nothing if the account has a container with this name.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/invalidName`` if the service does not accept the name, or
    ///   ``ObjectError/Code/containerExists`` if it belongs to another account.
    func createContainer(_ name: String) async throws(ObjectError)

    /// Deletes an empty container.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/containerNotFound`` or
    ///   ``ObjectError/Code/containerNotEmpty``.
    func deleteContainer(_ name: String) async throws(ObjectError)

    /// Returns the names of the account's containers, in ascending bytewise order.
    func containers() async throws(ObjectError) -> [String]

    /// Allows or forbids everyone to read the objects of a container without credentials.
    func setPublicReading(_ isPublic: Bool, of container: String) async throws(ObjectError)

    /// Whether everyone may read the objects of a container without credentials.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/containerNotFound``.
    func allowsPublicReading(of container: String) async throws(ObjectError) -> Bool

    /// Stores an object. If the container has an object with this name, that object is replaced. When the call returns,
    /// the object is as durable as the service guarantees.
    ///
    /// - Parameters:
    ///   - source: The bytes.
    ///   - name: The name: UTF-8 of 1 to ``ObjectNames/objectBytesMax`` bytes, which may contain slashes.
    ///   - properties: The content type and the metadata.
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/containerNotFound``, ``ObjectError/Code/invalidName``,
    ///   ``ObjectError/Code/quotaExceeded`` or ``ObjectError/Code/diskFull``.
    @discardableResult
    func put(
        _ source: ObjectSource, as name: String, in container: String, _ properties: ObjectProperties
    ) async throws(ObjectError) -> ObjectInfo

    /// Returns the properties of an object.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/objectNotFound`` or
    ///   ``ObjectError/Code/containerNotFound``.
    func info(of name: String, in container: String) async throws(ObjectError) -> ObjectInfo

    /// Begins to read an object.
    ///
    /// - Parameter range: The range of the bytes to read; `nil` for all. A range that extends beyond the end of the
    ///   object is shortened.
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/objectNotFound``, ``ObjectError/Code/containerNotFound``,
    ///   ``ObjectError/Code/invalidRequest`` if the range begins before 0, or ``ObjectError/Code/rangeNotSatisfiable``
    ///   if the range begins at or after the end of the object.
    func read(
        _ name: String, in container: String, range: Range<Int>?
    ) async throws(ObjectError) -> ObjectReading

    /// Deletes an object. Does nothing if it does not exist.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/containerNotFound``.
    func delete(_ name: String, in container: String) async throws(ObjectError)

    /// Copies an object, with its properties, within the service. If an object with the new name exists, it is
    /// replaced.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/objectNotFound`` or
    ///   ``ObjectError/Code/containerNotFound``.
    @discardableResult
    func copy(
        _ name: String, in container: String, to newName: String, in newContainer: String
    ) async throws(ObjectError) -> ObjectInfo

    /// Returns a page of the objects of a container, in ascending bytewise order of their names.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/containerNotFound``.
    func objects(in container: String, _ page: ObjectPage) async throws(ObjectError) -> ObjectList

    /// Returns a URL with which anyone can read or write one object without credentials, for a limited time.
    ///
    /// - Parameters:
    ///   - use: The permitted use.
    ///   - secondsMax: The time in seconds for which the URL is valid.
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/unsupported`` if objects of the store cannot be reached
    ///   by a URL.
    func temporaryURL(
        for use: ObjectUse, of name: String, in container: String, secondsMax: Int
    ) async throws(ObjectError) -> String
}

extension ObjectStore {
    /// Stores an object without further properties.
    @discardableResult
    public func put(
        _ source: ObjectSource, as name: String, in container: String
    ) async throws(ObjectError) -> ObjectInfo {
        try await put(source, as: name, in: container, ObjectProperties())
    }

    /// Begins to read a complete object.
    public func read(_ name: String, in container: String) async throws(ObjectError) -> ObjectReading {
        try await read(name, in: container, range: nil)
    }

    /// Returns all objects of a container whose names begin with a prefix, page by page.
    public func allObjects(in container: String, prefix: String = "") -> ObjectSequence {
        ObjectSequence(store: self, container: container, prefix: prefix)
    }
}

/// The use that a temporary URL permits.
public enum ObjectUse: Sendable {
    /// Reading the object.
    case reading
    /// Writing the object.
    case writing
}
