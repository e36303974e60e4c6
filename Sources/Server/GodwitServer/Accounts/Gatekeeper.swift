//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitTransport
import HTTPTypes

/// The result of authorizing a request for its route.
struct Admission: Sendable {
    /// The request's principal.
    let principal: Principal
    /// The principal's rights in the database that the path names as `{db}`. An administrator of the server has all
    /// rights. Any other principal has no rights if the route's ``RouteAccess`` concerns no database. A request with
    /// the access ``RouteAccess/loopback`` never has rights.
    let rights: DatabaseRights
    /// Headers to add to the response, such as a session's new cookie.
    let headers: HTTPFields
}

/// Authorizes requests: identifies the principal and finds its rights in the database that the path names.
struct Gatekeeper: Sendable {
    let authenticator: Authenticator
    let settings: ServerSettings
    let securities: SecurityObjects

    /// Checks that a request has the access that its route requires.
    ///
    /// - Parameter onIdentified: A closure that is called with the principal before its rights are checked. It is not
    ///   called for a route with ``RouteAccess/loopback``, which identifies no principal.
    /// - Throws: ``HTTPFailure`` with status 401 or 403 when the principal may not use the route; errors of
    ///   ``Authenticator/identify(_:isLogin:)``.
    func authorize(
        _ request: ServerRequest, for access: RouteAccess, onIdentified: (Principal) -> Void = { _ in }
    ) async throws -> Admission {
        if case .loopback = access {
            try checkLoopback(request)
            return Admission(principal: .anonymous, rights: [], headers: [:])
        }
        let isLogin = if case .login = access { true } else { false }
        let (principal, headers) = try await authenticator.identify(request, isLogin: isLogin)
        onIdentified(principal)
        if principal.name == nil, needsLogin(request, for: access) {
            throw HTTPFailure.unauthorized("Authentication required.")
        }
        return Admission(
            principal: principal, rights: try await rights(of: principal, for: access, request), headers: headers)
    }

    /// Whether the settings require a login for a request.
    private func needsLogin(_ request: ServerRequest, for access: RouteAccess) -> Bool {
        let options = settings.options
        switch access {
        case .login: return false
        case .anyone where options.requiresValidUserExceptForUp && request.target.segments.elementsEqual(["_up"]):
            return false
        default: return options.requiresValidUser || options.requiresValidUserExceptForUp
        }
    }

    /// Returns a principal's rights in the database that a request's path names.
    ///
    /// - Returns: The rights as in ``Admission/rights``.
    /// - Throws: ``HTTPFailure`` with status 401 or 403 when the access requires other rights.
    func rights(
        of principal: Principal, for access: RouteAccess, _ request: ServerRequest
    ) async throws -> DatabaseRights {
        guard !principal.isAdministrator else { return .all }
        let name = request.parameter("db")
        let requiredRights: DatabaseRights
        switch access {
        case .anyone, .login, .loopback: return []
        case .administrator: throw HTTPFailure.unauthorized("You are not a server admin.")
        case .database where name.utf8.first == UInt8(ascii: "_"):
            throw HTTPFailure.unauthorized("You are not a server admin.")
        case .database(let rights): requiredRights = rights
        case .document(let rights): requiredRights = rights
        case .upkeep: requiredRights = .administrate
        }
        guard name.utf8.first != UInt8(ascii: "_") || DatabaseName.systemNames.contains(name) else {
            throw HTTPFailure.unauthorized("You are not a server admin.")
        }
        // If the database does not exist, the rights are empty. The error is then the same as for an existing database
        // that the principal may not use, so that it does not reveal which databases exist.
        let rights = try await rights(of: principal, in: name)
        guard !rights.isSuperset(of: requiredRights) else { return rights }
        if case .upkeep = access, !rights.isEmpty {
            throw HTTPFailure.unauthorized("You are not a server or db admin.")
        }
        throw HTTPFailure.refusal(of: principal, with: rights, wanted: requiredRights)
    }

    /// Returns a principal's rights in a database. If the database does not exist, an administrator of the server has
    /// all rights, and other principals have none.
    func rights(of principal: Principal, in name: String) async throws -> DatabaseRights {
        if principal.isAdministrator { return .all }
        return try await securities.object(of: name)?.rights(of: principal) ?? []
    }

    /// Checks that a request which may change something was not sent by a page of another site.
    ///
    /// A browser adds cookies, and passwords that it remembers, also to the requests that such pages send. The content
    /// type `application/json` proves that the cross-origin rules permit the page. For other types, and for requests
    /// without a body, the browser's own headers are checked.
    ///
    /// As in CouchDB, if the database does not exist, this error is reported instead of a wrong content type.
    ///
    /// - Throws: ``HTTPFailure`` with status 403 for a page of another site, 415 for a wrong content type of a POST, or
    ///   404 when the database does not exist.
    func checkSender(of request: ServerRequest, by principal: Principal, for route: Route) async throws {
        guard request.hasType(for: route) else {
            let name = request.parameter("db")
            if !name.isEmpty, try await securities.object(of: name) == nil { throw HTTPFailure.databaseMissing }
            throw HTTPFailure.notJSON
        }
        if principal.hasAmbientCredentials, !request.isSafe, request.isOfForeignPage,
            CrossOrigin(rules: settings.options.cors).headers(for: request.head).isEmpty
        {
            throw HTTPFailure.forbidden(
                "A page of another site sent this request. Allow its origin in the section cors.")
        }
    }

    private func checkLoopback(_ request: ServerRequest) throws(HTTPFailure) {
        // Requests through a proxy are refused. If a proxy on this machine uses a loopback name for the server, the
        // checks below would accept every request that the proxy forwards, including requests of other machines.
        guard !Gatekeeper.proxyHeaders.contains(where: { request.header($0) != nil }) else {
            throw HTTPFailure(
                .forbidden, "forbidden",
                "This page is served only to the server's machine, and a proxy sent the request. Start the server with "
                    + "--console to serve the console through a proxy.")
        }
        // The address is not sufficient: the owner of a web page can let the host name of the page resolve to this
        // address. Therefore the host name is also checked.
        guard request.isFromLoopback, Gatekeeper.isLoopbackName(request.head.authority) else {
            throw HTTPFailure(
                .forbidden, "forbidden", "This page is served only to the server's machine: open it at 127.0.0.1.")
        }
    }

    private static let proxyHeaders = ["Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via"].map {
        // Bounded: the names are literals.
        HTTPField.Name($0)!
    }

    private static func isLoopbackName(_ authority: String?) -> Bool {
        guard let authority else { return false }
        let isIPv6 = authority.utf8.first == UInt8(ascii: "[")
        let end = authority.utf8.firstIndex(of: isIPv6 ? UInt8(ascii: "]") : UInt8(ascii: ":")) ?? authority.endIndex
        return HostAddress.isThisMachine(String(authority[..<end]) + (isIPv6 ? "]" : ""))
    }
}

extension HTTPFailure {
    /// Returns CouchDB's error for a principal that may not use a database: status 401 for an anonymous principal,
    /// otherwise 403.
    ///
    /// - Parameter rights: The principal's rights in the database.
    static func refusal(of principal: Principal, with rights: DatabaseRights, wanted: DatabaseRights) -> HTTPFailure {
        if wanted.contains(.administrate), !rights.isEmpty {
            let reason = "You are not a db or server admin."
            return principal.name == nil ? .unauthorized(reason) : .forbidden(reason)
        }
        return principal.name == nil
            ? .unauthorized("You are not authorized to access this db.")
            : .forbidden("You are not allowed to access this db.")
    }
}
