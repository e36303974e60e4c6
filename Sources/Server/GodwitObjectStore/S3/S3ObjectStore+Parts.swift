//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitTransport

extension S3ObjectStore {
    /// An upload in parts.
    private struct Upload {
        let name: String
        let container: String
        let id: String
        let properties: ObjectProperties

        /// Returns a request for this upload.
        ///
        /// - Parameter part: The number of the part; `nil` for a request that concerns the complete upload.
        func request(_ method: String, part: Int? = nil) -> ServiceRequest {
            var request = ServiceRequest(method, container, name)
            if let part { request.query.append((name: "partNumber", value: "\(part)")) }
            request.query.append((name: "uploadId", value: id))
            return request
        }
    }

    /// Uploads an object in parts. If the upload fails, the parts are removed.
    func putParts(
        of pieces: SourcePieces, as name: String, in container: String, _ properties: ObjectProperties
    ) async throws(ObjectError) -> ObjectInfo {
        var request = ServiceRequest("POST", container, name)
        request.query = [(name: "uploads", value: "")]
        request.headers = try headers(properties)
        guard let id = try element(try await answer(to: request), request)["UploadId"]?.text, !id.isEmpty else {
            throw ObjectError(.badResponse, "\(request.description): the service did not begin the upload.")
        }
        let upload = Upload(name: name, container: container, id: id, properties: properties)
        do throws(ObjectError) {
            return try await complete(upload, try await sendParts(of: pieces, to: upload), byteCount: pieces.length)
        } catch {
            await abort(upload)
            throw error
        }
    }

    /// Sends the parts one after the other.
    ///
    /// - Returns: The entity tags of the parts, as the service sent them.
    private func sendParts(of pieces: SourcePieces, to upload: Upload) async throws(ObjectError) -> [String] {
        var parts = ObjectParts(
            pieces, partBytesMin: S3ObjectStore.partBytesMin, countMax: S3ObjectStore.partCountMax)
        var entityTags: [String] = []
        while let part = try await parts.next() {
            var request = upload.request("PUT", part: entityTags.count + 1)
            request.headers = [ObjectHeaders.contentMD5(part)]
            request.body = .bytes(part)
            guard let entityTag = try await answer(to: request)["ETag"] else {
                throw ObjectError(.badResponse, "\(request.description): the service sent no entity tag of the part.")
            }
            entityTags.append(entityTag)
        }
        return entityTags
    }

    private func complete(
        _ upload: Upload, _ entityTags: [String], byteCount: Int
    ) async throws(ObjectError) -> ObjectInfo {
        var xml = XMLWriter()
        xml.open("CompleteMultipartUpload", [(name: "xmlns", value: S3ObjectStore.namespace)])
        for (index, entityTag) in entityTags.enumerated() {
            xml.open("Part")
            xml.element("PartNumber", "\(index + 1)")
            xml.element("ETag", entityTag)
            xml.close()
        }
        xml.close()
        var request = upload.request("POST")
        request.headers = [(name: "Content-Type", value: "application/xml")]
        request.body = .bytes(xml.bytes)
        let answer = try await self.answer(to: request)
        let entityTag = try element(answer, request)["ETag"]?.text
        let headers = answer.headers.filter { $0.name.lowercased() != "etag" }
        let tagged = ServiceAnswer(
            status: answer.status, headers: headers + [(name: "ETag", value: entityTag ?? "")], body: [])
        return ObjectHeaders.info(tagged, of: upload.name, byteCount: byteCount, upload.properties)
    }

    /// Removes the parts of an upload, even if the task was cancelled. If the removal fails, the parts remain until the
    /// service removes unfinished uploads.
    private func abort(_ upload: Upload) async {
        let request = upload.request("DELETE")
        await Task { _ = try? await answer(to: request) }.value
    }
}
