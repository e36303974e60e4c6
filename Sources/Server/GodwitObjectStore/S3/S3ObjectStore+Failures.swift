//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension S3ObjectStore {
    /// Returns the error in a response of S3. The status may report the failure, or the body of a response with a
    /// successful status.
    func failure(_ answer: ServiceAnswer, _ request: ServiceRequest) -> ObjectError {
        let error = (try? XMLReader.read(answer.body)).flatMap { $0.name == "Error" ? $0 : nil }
        let code = error?["Code"]?.text ?? ""
        if let region = otherRegion(answer, error) {
            return ObjectError(
                .invalidRequest,
                "\(request.description): the bucket is in the region \(region), and this store is for \(self.region). "
                    + "Create the store with the region \(region).")
        }
        let message = error?["Message"]?.text ?? ""
        let reason = [code, message].filter { !$0.isEmpty }.joined(separator: ": ")
        return ObjectError(
            status: answer.status, reason, request, code: S3ObjectStore.codes[code],
            cause: code.isEmpty ? nil : S3Fault(code: code))
    }

    /// The kinds of errors for S3's codes. For any other code, the status determines the kind.
    private static let codes: [String: ObjectError.Code] = [
        "AccessDenied": .accessDenied, "BadDigest": .badDigest, "BucketAlreadyExists": .containerExists,
        "BucketAlreadyOwnedByYou": .containerExists, "BucketNotEmpty": .containerNotEmpty,
        "EntityTooLarge": .tooLarge, "EntityTooSmall": .invalidPart, "InternalError": .storage,
        "InvalidBucketName": .invalidName, "InvalidDigest": .badDigest, "InvalidObjectName": .invalidName,
        "InvalidPart": .invalidPart, "InvalidPartOrder": .invalidPart, "InvalidRange": .rangeNotSatisfiable,
        "KeyTooLongError": .invalidName, "MetadataTooLarge": .tooLarge, "NoSuchBucket": .containerNotFound,
        "NoSuchKey": .objectNotFound, "NoSuchUpload": .uploadNotFound,
        "NotImplemented": .unsupported, "PreconditionFailed": .preconditionFailed, "QuotaExceeded": .quotaExceeded,
        "RequestTimeout": .network, "ServiceUnavailable": .overloaded, "SlowDown": .overloaded,
        "XAmzContentSHA256Mismatch": .badDigest,
    ]

    /// Whether the error reports that the account already has the bucket.
    static func isOwned(_ error: ObjectError) -> Bool {
        (error.cause as? S3Fault)?.code == "BucketAlreadyOwnedByYou"
    }

    /// Returns the region of the bucket, if the request was sent to another region.
    private func otherRegion(_ answer: ServiceAnswer, _ error: XMLElement?) -> String? {
        let isElsewhere =
            [301, 307].contains(answer.status)
            || answer.status == 400 && (error == nil || error?["Code"]?.text == "AuthorizationHeaderMalformed")
        guard isElsewhere, let region = answer["x-amz-bucket-region"] ?? error?["Region"]?.text else { return nil }
        return region.isIdenticalText(to: self.region) ? nil : region
    }

    /// Returns the root element of a successful response.
    ///
    /// The response may contain an error although its status is 200, because S3 begins some responses before the work
    /// is done.
    func element(_ answer: ServiceAnswer, _ request: ServiceRequest) throws(ObjectError) -> XMLElement {
        let root: XMLElement
        do throws(XMLError) {
            root = try XMLReader.read(answer.body)
        } catch {
            throw ObjectError(
                .badResponse, "\(request.description): \(error) Check the address of the service.", cause: error)
        }
        guard root.name != "Error" else { throw failure(answer, request) }
        return root
    }
}

/// An error as S3 reported it.
struct S3Fault: Error {
    /// The code, such as `NoSuchKey`.
    let code: String
}
