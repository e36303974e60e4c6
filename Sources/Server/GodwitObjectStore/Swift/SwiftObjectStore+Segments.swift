//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitTransport

extension SwiftObjectStore {
    /// A stored segment of a static large object.
    private struct Segment {
        let container: String
        let name: String
        let entityTag: String
        let byteCount: Int

        /// The entry in the manifest.
        var entry: JSONValue {
            [
                "path": .string("/\(container)/\(name)"), "etag": .string(entityTag),
                "size_bytes": .integer(Int64(byteCount)),
            ]
        }
    }

    /// Stores an object as a static large object. If this fails, the segments are removed.
    ///
    /// - Parameter object: The request for the object, without a body.
    func putSegments(
        of pieces: SourcePieces, _ object: ServiceRequest, _ properties: ObjectProperties
    ) async throws(ObjectError) -> ObjectInfo {
        guard let container = object.container, let name = object.name else {
            throw ObjectError(.invalidName, "A large object needs a container and a name.")
        }
        // This request is only a check: if the container does not exist, the upload fails before the segments are sent.
        _ = try await answer(to: ServiceRequest("HEAD", container))
        let segmentContainer = container + SwiftObjectStore.segmentsSuffix
        try await createContainer(segmentContainer)
        var segments: [Segment] = []
        do throws(ObjectError) {
            try await sendSegments(of: pieces, to: segmentContainer, properties, &segments)
            var manifest = object
            manifest.query = [(name: "multipart-manifest", value: "put")]
            manifest.body = .bytes(JSONValue.array(segments.map(\.entry)).jsonBytes())
            let answer = try await self.answer(storing: manifest)
            return ObjectHeaders.info(answer, of: name, byteCount: pieces.length, properties)
        } catch {
            await remove(segments)
            throw error
        }
    }

    /// Sends the segments one after the other.
    ///
    /// - Parameter segments: The list of segments that are or may be stored. If this method throws an error, the list
    ///   is also complete.
    private func sendSegments(
        of pieces: SourcePieces, to container: String, _ properties: ObjectProperties, _ segments: inout [Segment]
    ) async throws(ObjectError) {
        // The names of the segments do not contain the object's name, because the object's name may already have the
        // maximum length.
        let upload = [UInt8].random(count: 16).hexadecimal
        var parts = ObjectParts(
            pieces, partBytesMin: SwiftObjectStore.segmentBytesMin, countMax: SwiftObjectStore.segmentCountMax)
        while let part = try await parts.next() {
            let number = String(segments.count + 1)
            let name = "\(upload)/\(String(repeating: "0", count: max(0, 8 - number.utf8.count)))\(number)"
            let entityTag = SwiftObjectStore.entityTag(part)
            var request = ServiceRequest("PUT", container, name)
            request.headers = [entityTag] + SwiftObjectStore.expiryHeaders(properties)
            request.body = .bytes(part)
            // The segment is recorded before it is sent, because it may be stored even if the response is lost.
            segments.append(
                Segment(container: container, name: name, entityTag: entityTag.value, byteCount: part.count))
            _ = try await answer(storing: request)
        }
    }

    /// Removes the segments of an object that was not stored, even if the task was cancelled.
    private func remove(_ segments: [Segment]) async {
        let requests = segments.map { ServiceRequest("DELETE", $0.container, $0.name) }
        await Task {
            for request in requests { _ = try? await self.answer(to: request) }
        }.value
    }
}
