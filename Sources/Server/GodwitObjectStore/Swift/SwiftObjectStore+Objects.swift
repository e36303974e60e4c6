//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitTransport

extension SwiftObjectStore {
    /// See ``ObjectStore/put(_:as:in:_:)``.
    ///
    /// - Throws: The errors of ``ObjectStore/put(_:as:in:_:)``; ``ObjectError`` with code
    ///   ``ObjectError/Code/invalidRequest`` if a stream is longer or shorter than its length.
    @discardableResult
    public func put(
        _ source: ObjectSource, as name: String, in container: String, _ properties: ObjectProperties
    ) async throws(ObjectError) -> ObjectInfo {
        try ObjectNames.check(name, in: container)
        var request = ServiceRequest("PUT", container, name)
        request.headers = try SwiftObjectStore.headers(properties)
        let pieces = try await SourcePieces(source)
        guard pieces.length <= SwiftObjectStore.singleBytesMax else {
            return try await putSegments(of: pieces, request, properties)
        }
        if case .bytes(let bytes) = source {
            request.headers.append(SwiftObjectStore.entityTag(bytes))
            request.body = .bytes(bytes)
        } else {
            request.body = pieces.body
        }
        let answer = try await self.answer(storing: request)
        return ObjectHeaders.info(answer, of: name, byteCount: pieces.length, properties)
    }

    /// Sends a request that stores an object. A response with the status 404 means that the container does not exist.
    /// In this case, the error for a missing container is thrown.
    func answer(storing request: ServiceRequest) async throws(ObjectError) -> ServiceAnswer {
        do throws(ObjectError) {
            return try await answer(to: request)
        } catch {
            guard error.code == .objectNotFound, let container = request.container else { throw error }
            throw .missing(container: container)
        }
    }

    /// Returns the headers for the properties of an object.
    private static func headers(
        _ properties: ObjectProperties
    ) throws(ObjectError) -> [(name: String, value: String)] {
        try ObjectHeaders.headers(properties, prefix: metadataPrefix) + expiryHeaders(properties)
    }

    /// Returns the header with the time of removal, if there is one.
    static func expiryHeaders(_ properties: ObjectProperties) -> [(name: String, value: String)] {
        properties.expires.map { [(name: "X-Delete-At", value: "\($0)")] } ?? []
    }

    /// Returns the header with the MD5 of a body. With this header, the service refuses the body if the received bytes
    /// have another MD5.
    static func entityTag(_ bytes: [UInt8]) -> (name: String, value: String) {
        (name: "ETag", value: MessageDigest.Algorithm.md5.digest(of: bytes).hexadecimal)
    }

    /// See ``ObjectStore/info(of:in:)``.
    public func info(of name: String, in container: String) async throws(ObjectError) -> ObjectInfo {
        try ObjectHeaders.info(
            try await head(name, in: container).headers, of: name, prefix: SwiftObjectStore.metadataPrefix)
    }

    /// Returns the response with the headers of an object.
    private func head(_ name: String, in container: String) async throws(ObjectError) -> ServiceAnswer {
        try ObjectNames.check(name, in: container)
        var request = ServiceRequest("HEAD", container, name)
        request.headers = [(name: "Accept-Encoding", value: "identity")]
        return try await answer(toObject: request)
    }

    /// See ``ObjectStore/read(_:in:range:)``.
    public func read(
        _ name: String, in container: String, range: Range<Int>?
    ) async throws(ObjectError) -> ObjectReading {
        try ObjectNames.check(name, in: container)
        return try await read(name, in: container, range: range, prefix: SwiftObjectStore.metadataPrefix)
    }

    /// See ``ObjectStore/delete(_:in:)``. The segments of a static large object are deleted with it.
    public func delete(_ name: String, in container: String) async throws(ObjectError) {
        do throws(ObjectError) {
            var request = ServiceRequest("DELETE", container, name)
            let isLarge = try await head(name, in: container)["X-Static-Large-Object"]?.lowercased() == "true"
            if isLarge {
                request.query = [(name: "multipart-manifest", value: "delete")]
                request.headers = [(name: "Accept", value: "application/json")]
            }
            let answer = try await self.answer(toObject: request)
            if isLarge { try SwiftObjectStore.checkDeletion(answer, request) }
        } catch {
            guard error.code == .objectNotFound else { throw error }
        }
    }

    /// Throws an error if the service could not delete all segments. The body of the response must be read for this,
    /// because the status is 200 even then.
    private static func checkDeletion(_ answer: ServiceAnswer, _ request: ServiceRequest) throws(ObjectError) {
        let report = try? JSONValue(parsing: answer.body)
        guard let status = report?["Response Status"]?.stringValue.flatMap({ Int($0.prefix(3)) }) else { return }
        if 200..<300 ~= status || status == 404 { return }
        throw ObjectError(status: status, "not all segments could be deleted", request)
    }

    /// See ``ObjectStore/copy(_:in:to:in:)``. The copy of a large object has no segments. Therefore an object that is
    /// larger than the service's limit for one object cannot be copied.
    @discardableResult
    public func copy(
        _ name: String, in container: String, to newName: String, in newContainer: String
    ) async throws(ObjectError) -> ObjectInfo {
        try ObjectNames.check(name, in: container)
        try ObjectNames.check(newName, in: newContainer)
        var request = ServiceRequest("PUT", newContainer, newName)
        request.headers = [(name: "X-Copy-From", value: ServiceAddress.source(name, in: container))]
        do throws(ObjectError) {
            _ = try await answer(to: request)
        } catch {
            guard error.code == .objectNotFound else { throw error }
            throw await missing(name, in: container, or: newContainer)
        }
        return try await info(of: newName, in: newContainer)
    }

    /// Returns the error for a copy whose response has the status 404. Either the source or the new container does not
    /// exist.
    private func missing(_ name: String, in container: String, or newContainer: String) async -> ObjectError {
        for needed in [newContainer, container] {
            do throws(ObjectError) {
                _ = try await answer(to: ServiceRequest("HEAD", needed))
            } catch {
                return error.code == .containerNotFound ? .missing(container: needed) : error
            }
        }
        return .missing(name, in: container)
    }
}
