//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The errors of S3's API: XML with a code.
enum S3Failure {
    static let form = FailureForm { failure, path, requestID in
        var writer = XMLWriter()
        writer.open("Error")
        writer.element("Code", code(of: failure))
        writer.element("Message", failure.reason)
        writer.element("Resource", path)
        writer.element("RequestId", requestID)
        writer.close()
        var headers: HTTPFields = [:]
        headers.set("x-amz-request-id", requestID)
        // S3 uses the status 403 instead of 401.
        let status = failure.status == .unauthorized ? .forbidden : failure.status
        return FailureForm.Rendered(
            status: status, contentType: "application/xml", headers: headers, body: writer.bytes)
    }

    /// Returns S3's code for an error of the storage or of the server itself.
    private static func code(of failure: HTTPFailure) -> String {
        if let first = failure.error.unicodeScalars.first, first.properties.isUppercase, !failure.error.includes(" ") {
            return failure.error
        }
        return switch failure.status.code {
        case 401, 403: "AccessDenied"
        case 404: "NoSuchKey"
        case 405: "MethodNotAllowed"
        case 411: "MissingContentLength"
        case 412: "PreconditionFailed"
        case 413: "EntityTooLarge"
        case 416: "InvalidRange"
        case 501: "NotImplemented"
        case 503: "SlowDown"
        case 507: "InsufficientStorage"
        case 400..<500: "InvalidRequest"
        default: "InternalError"
        }
    }

    static let signatureMismatch = HTTPFailure(
        .forbidden, "SignatureDoesNotMatch",
        "The request signature we calculated does not match the signature you provided. Check your key and signing method."
    )
    static let accessDenied = HTTPFailure(.forbidden, "AccessDenied", "Access Denied.")
    static let malformedXML = HTTPFailure(
        .badRequest, "MalformedXML", "The XML you provided was not well-formed or did not validate.")

    static func notImplemented(_ feature: String) -> HTTPFailure {
        HTTPFailure(.notImplemented, "NotImplemented", "\(feature) is not implemented.")
    }

    static func invalid(_ reason: String) -> HTTPFailure { HTTPFailure(.badRequest, "InvalidArgument", reason) }

    static func failure(of error: ObjectError) -> HTTPFailure {
        switch error.code {
        case .containerNotFound:
            HTTPFailure(.notFound, "NoSuchBucket", "The specified bucket does not exist.")
        case .containerNotEmpty:
            HTTPFailure(.conflict, "BucketNotEmpty", "The bucket you tried to delete is not empty.")
        case .objectNotFound: HTTPFailure(.notFound, "NoSuchKey", "The specified key does not exist.")
        case .uploadNotFound: HTTPFailure(.notFound, "NoSuchUpload", error.message)
        case .invalidPart: HTTPFailure(.badRequest, "InvalidPart", error.message)
        case .tooSmall: HTTPFailure(.badRequest, "EntityTooSmall", error.message)
        case .invalidName: HTTPFailure(.badRequest, "InvalidArgument", error.message)
        case .invalidRequest: HTTPFailure(.badRequest, "MetadataTooLarge", error.message)
        case .quotaExceeded: HTTPFailure(.forbidden, "QuotaExceeded", error.message)
        case .tooLarge: HTTPFailure(.badRequest, "EntityTooLarge", error.message)
        case .badDigest: HTTPFailure(.badRequest, "BadDigest", error.message)
        case .preconditionFailed: HTTPFailure(.preconditionFailed, "PreconditionFailed", error.message)
        case .rangeNotSatisfiable: HTTPFailure(.rangeNotSatisfiable, "InvalidRange", error.message)
        case .accountNotFound: HTTPFailure(.forbidden, "InvalidAccessKeyId", error.message)
        case .diskFull:
            HTTPFailure(.init(code: 507, reasonPhrase: "Insufficient Storage"), "InsufficientStorage", error.message)
        case .closed, .overloaded: HTTPFailure(.serviceUnavailable, "SlowDown", error.message)
        case .corrupt: HTTPFailure(.internalServerError, "InternalError", error.message)
        default: HTTPFailure(.internalServerError, "InternalError", "The request failed; see the server's log.")
        }
    }
}
