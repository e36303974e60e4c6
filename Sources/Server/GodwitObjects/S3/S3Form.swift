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
import NIOCore

/// Handles the upload of an object with a form of a web page. The form contains a signed policy, which permits the
/// upload.
struct S3Form {
    let directory: ObjectDirectory
    /// The path of the list of buckets, without a slash at its end.
    let base: String

    private static let fieldsBytesMax = 20 << 10
    /// The largest number of bytes that may precede the file. The headers of the fields are also counted.
    private static let earlyBytesMax = 64 << 10
    private static let tooMuchBeforeFile = HTTPFailure(
        .badRequest, "MaxPostPreDataLengthExceeded", "The fields before the file are too long.")
    private static let skewSecondsMax = 900

    /// Returns the boundary of a request with a form; `nil` for another request.
    static func boundary(_ request: ServerRequest) -> String? {
        guard let type = request.header(.contentType), type.lowercased().begins(with: "multipart/form-data") else {
            return nil
        }
        return type.pieces(at: ";").lazy.map { $0.drop { $0 == " " } }.first {
            $0.lowercased().begins(with: "boundary=")
        }
        .map { String($0.dropFirst(9).filter { $0 != "\"" }) }
    }

    /// A form whose policy was checked, and whose file is being received.
    private struct Upload {
        let account: ObjectAccount
        let bucket: ObjectContainer
        let object: NewObject
        let lengths: ClosedRange<Int>
        let incoming: IncomingObject
        /// The checksums in the fields, in Base64, with those of the received bytes.
        var checksums: [(checksum: Checksum, expected: String)]
    }

    /// The fields before the file, and the file.
    private struct State {
        var fields: S3FormFields = [:]
        var fieldsBytes = 0
        /// The name of the field that is being read. `nil` if no field is being read, or if the file has begun.
        var current: String?
        var text: [UInt8] = []
        var upload: Upload?
        var isOver = false
    }

    func receive(_ context: RequestContext, bucket: String, boundary: String) async throws {
        var reader = try MultipartReader(boundary: boundary)
        var state = State()
        var earlyCount = 0
        try await context.request.readBody(bytesMax: ObjectLimits.uploadBytesMax + Self.fieldsBytesMax) { buffer in
            reader.append([UInt8](buffer.readableBytesView))
            while let event = try reader.next() { try await handle(event, &state, bucket) }
            // The fields before the file are limited, because the client is unknown until the policy has been checked.
            guard state.upload == nil else { return }
            earlyCount += buffer.readableBytes
            guard earlyCount <= Self.earlyBytesMax else { throw Self.tooMuchBeforeFile }
        }
        try reader.finish()
        guard let upload = state.upload else {
            throw S3Failure.invalid("POST requires exactly one file upload per request.")
        }
        guard upload.lengths.contains(upload.incoming.byteCount) else {
            throw HTTPFailure(
                .badRequest, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size")
        }
        var properties = upload.object.properties
        for (checksum, expected) in upload.checksums {
            guard checksum.text.isIdenticalText(to: expected) else {
                throw ObjectError(
                    .badDigest, "The \(checksum.algorithm.rawValue) you specified did not match what we received.")
            }
            properties.headers[checksum.algorithm.header] = expected
        }
        let stored = NewObject(name: upload.object.name, properties: properties)
        let record = try await directory.run { directory in
            try directory.store(stored, in: upload.bucket, try upload.incoming.finish())
        }
        try await send(record, upload, state.fields, context)
    }

    // MARK: Reading the form

    private func handle(_ event: MultipartEvent, _ state: inout State, _ bucket: String) async throws {
        switch event {
        case .headers(let headers):
            let name = headers.disposition?.fieldName?.lowercasedASCII ?? ""
            // Fields after the file are ignored.
            guard state.upload == nil else {
                state.isOver = true
                return
            }
            if name == "file" {
                state.upload = try await begin(state.fields, fileName: headers.filename, bucket)
            } else {
                (state.current, state.text) = (name, [])
            }
        case .body(let bytes): try await add(bytes, to: &state)
        case .partEnd:
            if let name = state.current { state.fields[name] = String(decoding: state.text, as: UTF8.self) }
            state.current = nil
        case .end: break
        }
    }

    private func add(_ bytes: [UInt8], to state: inout State) async throws {
        if state.current != nil {
            state.text += bytes
            state.fieldsBytes += bytes.count
            guard state.fieldsBytes <= Self.fieldsBytesMax else {
                throw Self.tooMuchBeforeFile
            }
        } else if let upload = state.upload, !state.isOver {
            for index in upload.checksums.indices { state.upload?.checksums[index].checksum.update(bytes) }
            guard bytes.count <= upload.lengths.upperBound - upload.incoming.byteCount else {
                throw HTTPFailure(
                    .badRequest, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size")
            }
            try await upload.incoming.append(bytes)
        }
    }

    /// Checks the policy and begins to receive the file.
    private func begin(_ fields: S3FormFields, fileName: String?, _ bucketName: String) async throws -> Upload {
        let account = try await checkedAccount(fields)
        let policy = try S3Policy(fields["policy"] ?? "")
        var fields = fields
        fields["bucket"] = bucketName
        let key = (fields["key"] ?? "").replacingBytes("${filename}", with: fileName ?? "")
        try policy.check(fields)
        try S3ObjectHeaders.check(fields, of: account)
        guard !key.isEmpty else { throw S3Failure.invalid("Bucket POST must contain a field named 'key'.") }
        try S3Request.check(key: key)
        guard let bucket = try await directory.run({ try $0.container(bucketName, of: account.id) }) else {
            throw ObjectError.missing(container: bucketName)
        }
        var properties = StoredProperties(contentType: fields["content-type"] ?? "binary/octet-stream")
        for (name, value) in fields.all where name.text.begins(with: S3ObjectHeaders.metadataPrefix) {
            let name = Substring(name.utf8.dropFirst(S3ObjectHeaders.metadataPrefix.utf8.count))
            properties.metadata[String(name)] = value
        }
        for name in ["cache-control", "content-disposition", "content-encoding", "expires"] {
            properties.headers[name] = fields[name]
        }
        let object = NewObject(name: key, properties: properties)
        try await directory.run { try $0.check(object, in: bucket, length: nil) }
        return Upload(
            account: account, bucket: bucket, object: object, lengths: policy.lengths,
            incoming: try await directory.beginUpload(of: account.id), checksums: try Self.checksums(in: fields))
    }

    /// Returns the checksums in the fields of a form.
    private static func checksums(
        in fields: S3FormFields
    ) throws(HTTPFailure) -> [(checksum: Checksum, expected: String)] {
        var found: [(checksum: Checksum, expected: String)] = []
        for (name, value) in fields.all {
            if let algorithm = try Checksum.algorithm(ofHeader: name.text) {
                found.append((Checksum(algorithm), value))
            }
        }
        return found
    }

    /// Returns the account that signed the policy.
    private func checkedAccount(_ fields: S3FormFields) async throws -> ObjectAccount {
        guard let policy = fields["policy"] else { throw S3Failure.accessDenied }
        let scope = (fields["x-amz-credential"] ?? "").pieces(at: "/", omittingEmptySubsequences: false)
            .map(String.init)
        let timestamp = fields["x-amz-date"] ?? ""
        guard fields["x-amz-algorithm"] == SignatureV4.algorithm, scope.count == 5, scope[3] == "s3",
            let time = SignatureV4.seconds(ofTimestamp: timestamp), timestamp.begins(with: scope[1]),
            time <= ObjectTime.now + Self.skewSecondsMax
        else { throw S3Failure.accessDenied }
        let account = try await S3Authenticator(directory: directory).account(accessKey: scope[0])
        let signature = SignatureV4(secret: account.secretKey, timestamp: timestamp, region: scope[2])
        guard constantTimeEqual(signature.signature(ofText: policy), fields["x-amz-signature"] ?? "") else {
            throw S3Failure.signatureMismatch
        }
        return account
    }

    // MARK: Answering

    private func send(
        _ record: ObjectRecord, _ upload: Upload, _ fields: S3FormFields, _ context: RequestContext
    ) async throws {
        var headers: HTTPFields = [.eTag: "\"\(record.entityTag)\""]
        headers.set("x-amz-request-id", context.response.requestID)
        let location = "\(base)/\(upload.bucket.name.percentEncoded)/\(record.name.percentEncoded(keeping: "/"))"
        headers[.location] = location
        if let target = fields["success_action_redirect"],
            target.begins(with: "http://") || target.begins(with: "https://")
        {
            let query =
                "bucket=\(upload.bucket.name.percentEncoded)&key=\(record.name.percentEncoded)&etag=%22\(record.entityTag)%22"
            headers.set("Location", "\(target)\(target.includes("?") ? "&" : "?")\(query)")
            return try await context.response.sendEmpty(.seeOther, headers: headers)
        }
        switch fields["success_action_status"] {
        case "200": try await context.response.sendEmpty(.ok, headers: headers)
        case "201":
            var writer = XMLWriter()
            writer.open("PostResponse")
            writer.element("Location", location)
            writer.element("Bucket", upload.bucket.name)
            writer.element("Key", record.name)
            writer.element("ETag", "\"\(record.entityTag)\"")
            writer.close()
            try await context.response.send(
                .created, contentType: "application/xml", headers: headers, body: writer.bytes)
        default: try await context.response.sendEmpty(.noContent, headers: headers)
        }
    }
}

/// The fields of a form, keyed by name.
struct S3FormFields: ExpressibleByDictionaryLiteral {
    private(set) var all: [ExactText: String] = [:]

    init(dictionaryLiteral fields: (String, String)...) {
        for (name, value) in fields { self[name] = value }
    }

    subscript(name: String) -> String? {
        get { all[ExactText(name)] }
        set { all[ExactText(name)] = newValue }
    }
}

/// The policy of a form. It contains the time at which the form expires, and the conditions that the fields must meet.
struct S3Policy {
    private enum Condition {
        case equal(String, String)
        case startsWith(String, String)
    }

    /// The permitted lengths of the file.
    let lengths: ClosedRange<Int>
    private let conditions: [Condition]

    private static let conditionsMax = 100
    /// The fields that need no condition.
    private static let free: Set<String> = ["policy", "x-amz-signature", "file"]

    /// Reads a policy.
    ///
    /// - Throws: ``HTTPFailure`` if it is malformed or has expired.
    init(_ text: String) throws {
        guard let bytes = Base64.decode(text.utf8.filter { $0 > 32 }), let document = try? JSONValue(parsing: bytes),
            let expiration = document["expiration"]?.stringValue.flatMap(ObjectTime.seconds(ofISO:)),
            let items = document["conditions"]?.arrayValue, items.count <= S3Policy.conditionsMax
        else {
            throw HTTPFailure(.badRequest, "InvalidPolicyDocument", "Invalid Policy: it is not valid JSON in Base64.")
        }
        guard expiration > ObjectTime.now else { throw S3Policy.refused("Policy expired.") }
        var (conditions, lengths) = ([Condition](), 0...ObjectLimits.uploadBytesMax)
        for item in items {
            if let members = item.objectValue {
                for (name, value) in members {
                    conditions.append(.equal(name.lowercasedASCII, value.stringValue ?? ""))
                }
                continue
            }
            guard let parts = item.arrayValue, parts.count == 3, let kind = parts[0].stringValue else {
                throw S3Policy.malformed
            }
            if kind == "content-length-range" {
                guard let low = S3Policy.number(parts[1]), let high = S3Policy.number(parts[2]), 0 <= low, low <= high
                else {
                    throw S3Policy.malformed
                }
                lengths = low...high
                continue
            }
            guard let name = parts[1].stringValue, name.begins(with: "$"), let value = parts[2].stringValue else {
                throw S3Policy.malformed
            }
            let field = Substring(name.utf8.dropFirst()).lowercasedASCII
            switch kind {
            case "eq": conditions.append(.equal(field, value))
            case "starts-with": conditions.append(.startsWith(field, value))
            default: throw S3Policy.malformed
            }
        }
        (self.conditions, self.lengths) = (conditions, lengths)
    }

    private static func number(_ value: JSONValue) -> Int? {
        value.intValue ?? value.stringValue.flatMap { Int($0) }
    }

    private static var malformed: HTTPFailure {
        HTTPFailure(.badRequest, "InvalidPolicyDocument", "Invalid Policy: a condition is malformed.")
    }

    private static func refused(_ reason: String) -> HTTPFailure {
        HTTPFailure(.forbidden, "AccessDenied", "Invalid according to Policy: \(reason)")
    }

    /// Throws an error if a condition is not met, or if no condition exists for a field that needs one.
    func check(_ fields: S3FormFields) throws(HTTPFailure) {
        var named: Set<ExactText> = []
        for condition in conditions {
            switch condition {
            case .equal(let name, let value):
                named.insert(ExactText(name))
                guard let field = fields[name], field.isIdenticalText(to: value) else {
                    throw S3Policy.refused("Policy Condition failed: $\(name)")
                }
            case .startsWith(let name, let value):
                named.insert(ExactText(name))
                guard (fields[name] ?? "").begins(with: value) else {
                    throw S3Policy.refused("Policy Condition failed: $\(name)")
                }
            }
        }
        let extra = fields.all.keys.filter {
            !named.contains($0) && !S3Policy.free.contains($0.text) && !$0.text.begins(with: "x-ignore-")
        }.map(\.text)
        guard extra.isEmpty else {
            throw S3Policy.refused("Extra input fields: \(extra.sorted().joined(separator: ", "))")
        }
    }
}
