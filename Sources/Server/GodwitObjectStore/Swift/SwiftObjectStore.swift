//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitTransport

/// An object storage with OpenStack Swift's API: Godwit, OpenStack, Ceph and others.
///
/// ```swift
/// let store = SwiftObjectStore(
///     authURL: "http://127.0.0.1:5984/v3", user: "ana", password: secret, transport: URLSessionTransport())
/// try await store.createContainer("photos")
/// try await store.put(.file("fog.jpg"), as: "2026/fog.jpg", in: "photos")
/// ```
///
/// The client logs in at the first request. It logs in again before its token expires, and after the service has
/// refused the token. If the service fails temporarily, a request is sent up to three times. POST requests, and
/// requests whose body is not in memory, are sent only once.
///
/// Objects of more than ``singleBytesMax`` are stored as static large objects, which consist of segments. The segments
/// are in a separate container. The name of this container ends with ``segmentsSuffix``, and ``containers()`` lists
/// this container too. When the object is deleted, its segments are deleted too. However, when another object replaces
/// the object, the segments of the replaced object remain.
public final class SwiftObjectStore: ObjectStore, Sendable {
    /// The largest object that is stored without segments, in bytes.
    public static let singleBytesMax = 1 << 30
    /// The length of a segment in bytes. If an object would have more than ``segmentCountMax`` segments of this length,
    /// its segments are longer. Memory contains only one segment at a time.
    public static let segmentBytesMin = 32 << 20
    /// The largest number of segments of an object. It is the default limit of OpenStack.
    public static let segmentCountMax = 1_000
    /// The end of the name of the container with the segments of a container's objects.
    public static let segmentsSuffix = "_segments"

    /// The beginning of the names of metadata headers.
    static let metadataPrefix = "x-object-meta-"

    /// The session; `nil` before the first request, and after the service has refused the session.
    private let currentSession = Mutex<SwiftSession?>(nil)
    /// The lock under which a task logs in. Other tasks wait for this login, and then use the same session.
    private let loginLock = KeyedAsyncLock<Bool>()
    private let login: SwiftLogin
    private let transport: any Transport
    /// The key of temporary URLs; `nil` until it is known.
    let temporaryURLKey: Mutex<String?>

    /// Creates a client. This sends no requests.
    ///
    /// - Parameters:
    ///   - authURL: The URL of the identity service: `http://host/v3` for Keystone, or a URL that ends with
    ///     `/auth/v1.0`.
    ///   - user: The name of the user.
    ///   - password: The password, or the key for `/auth/v1.0`.
    ///   - project: The name of the project; `nil` for the default project of the user.
    ///   - domain: The name of the domain of the user and the project.
    ///   - region: The region of the service; `nil` for any.
    ///   - temporaryURLKey: The key of temporary URLs. If it is `nil`, the account's key is used. If the account has no
    ///     key, one is created.
    ///   - transport: The transport that sends the requests.
    public init(
        authURL: String, user: String, password: String, project: String? = nil, domain: String = "Default",
        region: String? = nil, temporaryURLKey: String? = nil, transport: any Transport
    ) {
        login = SwiftLogin(
            authURL: authURL, user: user, password: password, project: project, domain: domain, region: region,
            transport: transport)
        self.temporaryURLKey = Mutex(temporaryURLKey)
        self.transport = transport
    }

    /// Returns the valid session, from memory or after a login.
    ///
    /// - Parameter refusedToken: The token that the service refused; `nil` if none was refused.
    func session(after refusedToken: String? = nil) async throws(ObjectError) -> SwiftSession {
        if let session = validSession(after: refusedToken) { return session }
        return try await loginLock.withLock(true) { () async -> Result<SwiftSession, ObjectError> in
            if let session = validSession(after: refusedToken) { return .success(session) }
            do throws(ObjectError) {
                let newSession = try await login.session()
                currentSession.withLock { $0 = newSession }
                return .success(newSession)
            } catch {
                return .failure(error)
            }
        }.get()
    }

    private func validSession(after refusedToken: String?) -> SwiftSession? {
        currentSession.withLock { session in
            guard let current = session, !ExactText.areEqual(current.token, refusedToken), current.isValid else {
                return nil
            }
            return current
        }
    }
}

extension SwiftObjectStore: ServiceClient {
    /// See ``ServiceClient/respond(to:)``. If the service refuses the token, the client logs in and sends the request
    /// once more.
    func respond(to request: ServiceRequest) async throws(ObjectError) -> TransportResponse {
        let session = try await self.session(after: nil)
        let response = try await send(request, session)
        guard response.status == 401 else { return response }
        guard request.isRepeatable || request.method == "POST" else {
            // This request is not repeated, because a stream cannot be read twice. The session is removed, so that the
            // next request logs in.
            currentSession.withLock { $0 = nil }
            return response
        }
        return try await send(request, try await self.session(after: session.token))
    }

    private func send(
        _ request: ServiceRequest, _ session: SwiftSession
    ) async throws(ObjectError) -> TransportResponse {
        try await transport.response(
            to: request.outgoing(to: session.address, [(name: "X-Auth-Token", value: session.token)]))
    }

    /// Returns the error that the service reports with a status.
    func failure(_ answer: ServiceAnswer, _ request: ServiceRequest) -> ObjectError {
        let reason = SwiftObjectStore.reason(answer.body)
        // The status 413 has two meanings: the quota is exceeded, or the object is too large. The reason in the
        // response distinguishes them.
        let isQuota = answer.status == 413 && reason.lowercased().includes("quota")
        return ObjectError(status: answer.status, reason, request, code: isQuota ? .quotaExceeded : nil)
    }

    /// The largest length of a service's message, in bytes.
    private static let reasonBytesMax = 300

    /// Returns the message in the body of an error. If the body is an HTML page, this is its paragraph. If the body is
    /// a text, this is its first line.
    static func reason(_ body: [UInt8]) -> String {
        let text = String(decoding: body.prefix(4 * reasonBytesMax), as: UTF8.self)
        let paragraph = text.firstBytes("<p>").map { text[$0.upperBound...] } ?? text[...]
        let line = paragraph.prefix { $0 != "<" && !$0.isNewline }
        return String(decoding: line.utf8.prefix(reasonBytesMax), as: UTF8.self)
    }
}
