//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitObjectFiles
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The deletion of many objects in one request.
struct S3DeleteRoutes {
    let directory: ObjectDirectory

    private static let keysMax = 1_000

    func deleteMany(_ request: S3Request, _ bucket: ObjectContainer) async throws {
        let document = try await request.readXML()
        let keys = document.all("Object").map { $0["Key"]?.text ?? "" }
        guard document.name == "Delete", 1...Self.keysMax ~= keys.count else { throw S3Failure.malformedXML }
        let isQuiet = document["Quiet"]?.text.lowercased() == "true"
        var writer = XMLWriter()
        writer.open("DeleteResult", XMLWriter.space)
        for key in keys {
            let failure = await failure(ofDeleting: key, in: bucket)
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
    private func failure(ofDeleting key: String, in bucket: ObjectContainer) async -> HTTPFailure? {
        do {
            try S3Request.check(key: key)
            _ = try await directory.run { try $0.deleteObject(named: key, in: bucket) }
            return nil
        } catch let error as ObjectError {
            return S3Failure.failure(of: error)
        } catch {
            return (error as? HTTPFailure) ?? HTTPFailure(.internalServerError, "InternalError", "The request failed.")
        }
    }
}
