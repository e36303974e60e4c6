//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitTransport

extension S3ObjectStore {
    /// See ``ObjectStore/put(_:as:in:_:)``. The time of the last change comes from the service's response.
    ///
    /// - Throws: The errors of ``ObjectStore/put(_:as:in:_:)``; ``ObjectError`` with code
    ///   ``ObjectError/Code/unsupported`` if the object has a time of removal, or with code
    ///   ``ObjectError/Code/invalidRequest`` if a stream is longer or shorter than its length.
    @discardableResult
    public func put(
        _ source: ObjectSource, as name: String, in container: String, _ properties: ObjectProperties
    ) async throws(ObjectError) -> ObjectInfo {
        try ObjectNames.check(name, in: container)
        var request = ServiceRequest("PUT", container, name)
        request.headers = try headers(properties)
        let pieces = try await SourcePieces(source)
        guard pieces.length <= S3ObjectStore.singleBytesMax else {
            return try await putParts(of: pieces, as: name, in: container, properties)
        }
        if case .bytes(let bytes) = source {
            request.headers.append(ObjectHeaders.contentMD5(bytes))
            request.body = .bytes(bytes)
        } else {
            request.body = pieces.body
        }
        let answer = try await self.answer(to: request)
        return ObjectHeaders.info(answer, of: name, byteCount: pieces.length, properties)
    }

    /// Returns the headers for the properties of an object.
    func headers(_ properties: ObjectProperties) throws(ObjectError) -> [(name: String, value: String)] {
        guard properties.expires == nil else {
            throw ObjectError(
                .unsupported, "S3 cannot remove single objects at a time. Leave out the time, or use OpenStack Swift.")
        }
        return try ObjectHeaders.headers(properties, prefix: S3ObjectStore.metadataPrefix)
    }

    /// See ``ObjectStore/info(of:in:)``.
    public func info(of name: String, in container: String) async throws(ObjectError) -> ObjectInfo {
        try ObjectNames.check(name, in: container)
        var request = ServiceRequest("HEAD", container, name)
        request.headers = [(name: "Accept-Encoding", value: "identity")]
        let answer = try await self.answer(toObject: request)
        return try ObjectHeaders.info(answer.headers, of: name, prefix: S3ObjectStore.metadataPrefix)
    }

    /// See ``ObjectStore/read(_:in:range:)``.
    public func read(
        _ name: String, in container: String, range: Range<Int>?
    ) async throws(ObjectError) -> ObjectReading {
        try ObjectNames.check(name, in: container)
        return try await read(name, in: container, range: range, prefix: S3ObjectStore.metadataPrefix)
    }

    /// See ``ObjectStore/delete(_:in:)``.
    public func delete(_ name: String, in container: String) async throws(ObjectError) {
        try ObjectNames.check(name, in: container)
        do throws(ObjectError) {
            _ = try await answer(toObject: ServiceRequest("DELETE", container, name))
        } catch {
            guard error.code == .objectNotFound else { throw error }
        }
    }

    /// See ``ObjectStore/copy(_:in:to:in:)``.
    @discardableResult
    public func copy(
        _ name: String, in container: String, to newName: String, in newContainer: String
    ) async throws(ObjectError) -> ObjectInfo {
        try ObjectNames.check(name, in: container)
        try ObjectNames.check(newName, in: newContainer)
        var request = ServiceRequest("PUT", newContainer, newName)
        request.headers = [(name: "x-amz-copy-source", value: ServiceAddress.source(name, in: container))]
        do throws(ObjectError) {
            _ = try element(try await answer(to: request), request)
        } catch {
            guard error.code == .objectNotFound else { throw error }
            throw .missing(name, in: container)
        }
        return try await info(of: newName, in: newContainer)
    }
}
