//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitTransport

/// An object storage with S3's API: Godwit, AWS, MinIO, Ceph and others. Containers are S3's buckets.
///
/// ```swift
/// let store = S3ObjectStore(
///     endpoint: "http://127.0.0.1:5984/_s3", accessKey: key, secretKey: secret, transport: URLSessionTransport())
/// try await store.createContainer("photos")
/// try await store.put(.file("fog.jpg"), as: "2026/fog.jpg", in: "photos")
/// ```
///
/// The name of the bucket is in the path of each request, not in the host. Requests are signed with AWS Signature
/// Version 4. Objects above ``singleBytesMax`` are uploaded in parts, and only one part at a time is in memory. If the
/// service fails temporarily, a request is sent up to three times. POST requests, and requests whose body is not in
/// memory, are sent only once. Objects of more than 5 GiB cannot be copied.
public struct S3ObjectStore: ObjectStore, Sendable {
    /// The largest object that is uploaded in one request, in bytes.
    public static let singleBytesMax = 64 << 20
    /// The length of a part of a larger object, in bytes. If an object would have more than ``partCountMax`` parts of
    /// this length, its parts are longer.
    public static let partBytesMin = 16 << 20
    /// The largest number of parts of an object.
    public static let partCountMax = 10_000
    /// The longest time for which a temporary URL is valid, in seconds: seven days.
    public static let temporarySecondsMax = 604_800

    /// The beginning of the names of metadata headers.
    static let metadataPrefix = "x-amz-meta-"

    private let address: Result<ServiceAddress, ObjectError>
    /// The region for which requests are signed.
    let region: String
    private let accessKey: String
    private let secretKey: String
    private let transport: any Transport
    private let clock: @Sendable () -> Int

    /// Creates a client. This sends no requests.
    ///
    /// - Parameters:
    ///   - endpoint: The URL below which the buckets are, such as `http://127.0.0.1:5984/_s3`. If it is invalid, each
    ///     operation throws ``ObjectError/Code/invalidRequest``.
    ///   - region: The region of the buckets.
    ///   - accessKey: The access key of the account.
    ///   - secretKey: The secret key of the account.
    ///   - transport: The transport that sends the requests.
    public init(
        endpoint: String, region: String = "us-east-1", accessKey: String, secretKey: String,
        transport: any Transport
    ) {
        self.init(
            endpoint: endpoint, region: region, accessKey: accessKey, secretKey: secretKey, transport: transport,
            clock: { ServiceTime.now })
    }

    /// Creates a client with a clock.
    ///
    /// - Parameter clock: A closure that returns the current time in seconds since 1970.
    package init(
        endpoint: String, region: String = "us-east-1", accessKey: String, secretKey: String,
        transport: any Transport, clock: @escaping @Sendable () -> Int
    ) {
        address = Result { () throws(ObjectError) -> ServiceAddress in try ServiceAddress(endpoint) }
        self.region = region
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.transport = transport
        self.clock = clock
    }
}

extension S3ObjectStore: ServiceClient {
    /// See ``ServiceClient/respond(to:)``. Each attempt has a new signature, which contains the time of the attempt.
    func respond(to request: ServiceRequest) async throws(ObjectError) -> TransportResponse {
        let address = try self.address.get()
        return try await transport.response(
            to: request.outgoing(to: address, authorization(of: request, at: address)))
    }

    /// Returns the headers that authorize a request.
    private func authorization(
        of request: ServiceRequest, at address: ServiceAddress
    ) -> [(name: String, value: String)] {
        let signer = self.signer()
        let hash: String
        switch request.body {
        case .none: hash = SignatureV4.digest(of: [UInt8]())
        case .bytes(let bytes): hash = SignatureV4.digest(of: bytes)
        case .stream: hash = SignatureV4.unsignedPayload
        }
        let added = [(name: "x-amz-content-sha256", value: hash), (name: "x-amz-date", value: signer.timestamp)]
        // Only these headers are signed, because a proxy may change other headers.
        let named = request.headers.filter { header in
            let name = header.name.lowercased()
            return name.begins(with: "x-amz-") || name == "content-type" || name == "content-md5"
        }
        let signed = SignatureV4.Request(
            method: request.method, path: address.objectPath(request.container, request.name), query: request.query,
            headers: [(name: "host", value: address.host)] + added + named, payloadHash: hash)
        let value = [
            "\(SignatureV4.algorithm) Credential=\(accessKey)/\(signer.scope)",
            "SignedHeaders=\(signed.signedHeaders)", "Signature=\(signer.signature(of: signed))",
        ].joined(separator: ", ")
        return added + [(name: "Authorization", value: value)]
    }

    private func signer() -> SignatureV4 {
        SignatureV4(secret: secretKey, timestamp: SignatureV4.timestamp(clock()), region: region)
    }
}

// MARK: Temporary URLs

extension S3ObjectStore {
    /// See ``ObjectStore/temporaryURL(for:of:in:secondsMax:)``. The URL contains the access key and a signature. It may
    /// be valid for at most ``temporarySecondsMax`` seconds.
    public func temporaryURL(
        for use: ObjectUse, of name: String, in container: String, secondsMax: Int
    ) async throws(ObjectError) -> String {
        try ObjectNames.check(name, in: container)
        guard 1...S3ObjectStore.temporarySecondsMax ~= secondsMax else {
            throw ObjectError(
                .invalidRequest,
                "A temporary URL of S3 is valid for 1 to \(S3ObjectStore.temporarySecondsMax) seconds.")
        }
        let address = try self.address.get()
        let signer = self.signer()
        let query = [
            (name: "X-Amz-Algorithm", value: SignatureV4.algorithm),
            (name: "X-Amz-Credential", value: "\(accessKey)/\(signer.scope)"),
            (name: "X-Amz-Date", value: signer.timestamp),
            (name: "X-Amz-Expires", value: "\(secondsMax)"),
            (name: "X-Amz-SignedHeaders", value: "host"),
        ]
        let request = SignatureV4.Request(
            method: use.method, path: address.objectPath(container, name), query: query,
            headers: [(name: "host", value: address.host)], payloadHash: SignatureV4.unsignedPayload)
        let signature = (name: "X-Amz-Signature", value: signer.signature(of: request))
        return address.objectURL(container, name, query + [signature])
    }
}
