//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import GodwitTransport
import HTTPTypes

/// The headers of objects in S3's API.
enum S3ObjectHeaders {
    static let metadataPrefix = "x-amz-meta-"
    private static let kept = ["cache-control", "content-disposition", "content-language", "expires"]

    /// The headers of features that are not supported. Each request with such a header is refused, and each form with a
    /// field of this name. If it were ignored, the client would rely on a feature that does not work: bytes would be
    /// replaced instead of appended, or stored without the client's key.
    private static let absentPrefixes = [
        "x-amz-server-side-encryption", "x-amz-copy-source-server-side-encryption", "x-amz-object-lock-",
        "x-amz-bucket-object-lock-enabled", "x-amz-tagging", "x-amz-website-redirect-location", "x-amz-grant-",
        "x-amz-write-offset-bytes", "x-amz-mfa", "x-amz-if-match-", "x-amz-rename-source", "content-range",
    ]

    /// The fields of forms that have another name than the header with their meaning.
    private static let headersOfFields = ["acl": "x-amz-acl", "tagging": "x-amz-tagging"]

    /// Throws ``HTTPFailure`` with the code `NotImplemented` for a header of a feature that is not supported.
    static func checkFeatures(_ request: ServerRequest) throws(HTTPFailure) {
        for field in request.head.headerFields {
            try checkFeature(field.name.canonicalName, field.value)
        }
    }

    private static func checkFeature(_ name: String, _ value: String) throws(HTTPFailure) {
        guard let prefix = absentPrefixes.first(where: { name.begins(with: $0) }), name != "x-amz-tagging-directive",
            name != "x-amz-bucket-object-lock-enabled" || value.lowercasedASCII != "false"
        else { return }
        throw S3Failure.notImplemented("The header \(prefix)")
    }

    /// Checks the fields of a form like the headers with the same meaning.
    ///
    /// - Throws: ``HTTPFailure`` with the code `NotImplemented`, `InvalidStorageClass`, `AccessControlListNotSupported`
    ///   or `AccessDenied`.
    static func check(_ fields: S3FormFields, of account: ObjectAccount) throws(HTTPFailure) {
        for (name, value) in fields.all { try checkFeature(headersOfFields[name.text] ?? name.text, value) }
        try checkStorage(class: fields["x-amz-storage-class"], access: fields["acl"] ?? fields["x-amz-acl"])
        try checkOwner(account) { fields[$0] }
    }

    /// Throws ``HTTPFailure`` with the code `AccessDenied` if a request says that its bucket belongs to another account.
    ///
    /// - Parameter value: Returns the value of a header.
    static func checkOwner(_ account: ObjectAccount, value: (String) -> String?) throws(HTTPFailure) {
        for header in ["x-amz-expected-bucket-owner", "x-amz-source-expected-bucket-owner"] {
            guard let owner = value(header), !owner.isIdenticalText(to: account.name) else { continue }
            throw HTTPFailure(.forbidden, "AccessDenied", "The bucket belongs to another owner than \(header) says.")
        }
    }

    private static func checkStorage(class kind: String?, access: String?) throws(HTTPFailure) {
        if let kind, kind != "STANDARD" {
            throw HTTPFailure(.badRequest, "InvalidStorageClass", "The storage class you specified is not valid.")
        }
        if let access, access != "private", access != "bucket-owner-full-control" {
            throw HTTPFailure(
                .badRequest, "AccessControlListNotSupported",
                "Objects have no access lists: make the bucket public-read instead.")
        }
    }

    /// Returns the properties that a request gives to an object.
    ///
    /// - Throws: ``HTTPFailure`` with the code `InvalidStorageClass` or `AccessControlListNotSupported`.
    static func properties(_ request: ServerRequest) throws -> StoredProperties {
        try checkStorage(class: request.header("x-amz-storage-class"), access: request.header("x-amz-acl"))
        var properties = StoredProperties(
            contentType: request.header(.contentType).flatMap { $0.isEmpty ? nil : $0 } ?? "binary/octet-stream")
        properties.metadata = request.head.headerFields.withPrefix(metadataPrefix)
        for name in kept { properties.headers[name] = request.header(name) }
        // `aws-chunked` is removed, because it is an encoding of the request's body and not of the object.
        let encodings = (request.header(.contentEncoding) ?? "").pieces(at: ",").map { $0.filter { $0 != " " } }
            .filter { $0 != "aws-chunked" && !$0.isEmpty }
        if !encodings.isEmpty { properties.headers["content-encoding"] = encodings.joined(separator: ",") }
        return properties
    }

    /// Returns the headers of a response with an object.
    static func fields(of record: ObjectRecord, _ request: S3Request) -> HTTPFields {
        var headers = request.headers()
        headers[.contentType] = record.properties.contentType
        for (name, value) in record.properties.headers where !name.begins(with: "x-") { headers.set(name, value) }
        for (name, value) in record.properties.metadata { headers.set(metadataPrefix + name, value) }
        if request.head.header("x-amz-checksum-mode")?.uppercased() == "ENABLED", request.head.header(.range) == nil {
            for (name, value) in record.properties.headers where name.begins(with: Checksum.headerPrefix) {
                headers.set(name, value)
                let coverage: UploadChecksum.Coverage = StoredChecksum.isComposite(value) ? .composite : .fullObject
                headers.set(UploadChecksum.coverageHeader, coverage.rawValue)
            }
        }
        if let expires = record.expires { headers.set("x-amz-expiration", "expiry-date=\"\(HTTPDate.text(expires))\"") }
        for name in [
            "content-type", "content-language", "expires", "cache-control", "content-disposition", "content-encoding",
        ] {
            if let value = request.head.query("response-\(name)") { headers.set(name, value) }
        }
        return headers
    }
}
