//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The deletion of many objects in one request.
struct S3DeleteRoutes {
    let directory: ObjectDirectory

    private static let keysMax = 1_000

    func deleteMany(_ request: S3Request, _ bucket: ObjectContainer) async throws {
        let document = try await request.readXML()
        let objects = document.all("Object")
        guard document.name == "Delete", 1...Self.keysMax ~= objects.count else { throw S3Failure.malformedXML }
        let isQuiet = document["Quiet"]?.text.lowercased() == "true"
        var writer = XMLWriter()
        writer.open("DeleteResult", XMLWriter.space)
        for object in objects {
            let key = object["Key"]?.text ?? ""
            let failure = await failure(ofDeleting: key, object, in: bucket)
            if let failure {
                writer.open("Error")
                writer.element("Key", key)
                writer.element("Code", failure.error)
                writer.element("Message", failure.reason)
                writer.close()
            } else if !isQuiet {
                writer.open("Deleted")
                writer.element("Key", key)
                writer.close()
            }
        }
        writer.close()
        try await request.send(writer)
    }

    /// Deletes an object.
    ///
    /// - Returns: The reason why the object could not be deleted; `nil` if the object was deleted or did not exist.
    private func failure(
        ofDeleting key: String, _ object: XMLElement, in bucket: ObjectContainer
    ) async -> HTTPFailure? {
        do {
            try S3Request.check(key: key)
            let condition = try Self.condition(object)
            _ = try await directory.run { try $0.deleteObject(named: key, in: bucket, condition: condition) }
            return nil
        } catch let error as ObjectError {
            return S3Failure.failure(of: error)
        } catch {
            return (error as? HTTPFailure) ?? HTTPFailure(.internalServerError, "InternalError", "The request failed.")
        }
    }

    /// Reads the conditions of one object: its tag, its time and its size.
    private static func condition(_ object: XMLElement) throws(HTTPFailure) -> WriteCondition {
        if let version = object["VersionId"]?.text, version != "null" {
            throw S3Failure.notImplemented("The deletion of versions")
        }
        var condition = WriteCondition(tags: object["ETag"].map { EntityTags($0.text).tags })
        if let time = object["LastModifiedTime"]?.text {
            guard let seconds = ObjectTime.seconds(ofDate: time) else {
                throw S3Failure.invalid("LastModifiedTime must be a date of HTTP.")
            }
            condition.modified = seconds
        }
        if let size = object["Size"]?.text {
            guard let byteCount = Int(size) else { throw S3Failure.invalid("Size must be a number.") }
            condition.byteCount = byteCount
        }
        return condition
    }
}
