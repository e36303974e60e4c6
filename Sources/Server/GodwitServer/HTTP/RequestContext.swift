//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
public import GodwitStore
public import HTTPTypes

/// A request with the objects that its handler needs: the principal, the database in the path, and the response to
/// write.
///
/// ```swift
/// Route(.get, "/count/{db}", access: .database(.read)) { context in
///     let datastore = try await context.datastore()
///     let count = try datastore.info().documentCount
///     try await context.response.sendJSON(body: Array("{\"count\":\(count)}".utf8))
/// }
/// ```
public struct RequestContext {
    /// The request's head, the parameters of its path, and its body.
    public let request: ServerRequest
    /// The principal that makes the request.
    public var principal: Principal { admission.principal }
    /// Writes the response.
    public let response: ServerResponse
    private let admission: Admission
    private let databases: DatabaseOpener

    init(
        _ request: ServerRequest, _ admission: Admission, _ response: ServerResponse, _ databases: DatabaseOpener
    ) {
        self.request = request
        self.admission = admission
        self.response = response
        self.databases = databases
    }

    /// The headers of a response with content that users stored (``StoredContent``).
    public func headers(ofStored type: String) -> HTTPFields { StoredContent.headers(type: type, for: principal) }

    /// Opens the database that the path names as `{db}`.
    ///
    /// The server has already checked the rights that the route's ``RouteAccess`` requires. This method checks no
    /// further rights.
    ///
    /// - Throws: ``HTTPFailure`` with status 404 when the name is invalid. `StoreError` when the database does not
    ///   exist or cannot be opened. If the database does not exist and the handler does not catch the error, the
    ///   response has status 404.
    public func datastore() async throws -> Datastore {
        try await databases.datastore(named: request.parameter("db"))
    }

    /// Opens the database that the path names as `{db}`. The result checks the rights of the request's principal.
    ///
    /// - Throws: The errors of ``datastore()``.
    func database() async throws -> OpenDatabase {
        var database = try await databases.database(
            named: request.parameter("db"), for: admission.principal, with: admission.rights)
        if database.datastore.name.isIdenticalText(to: UsersDatabase.name) {
            database.clientAddress = request.peerAddress
        }
        return database
    }
}
