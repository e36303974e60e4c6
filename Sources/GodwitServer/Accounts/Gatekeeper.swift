//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitClient
import GodwitStore
import HTTPTypes

/// Lets a request in, or not: who asks, and what the route's database lets them do.
struct Gatekeeper: Sendable {
    let authenticator: Authenticator
    let settings: ServerSettings
    let securities: SecurityObjects

    /// Tells who asks and refuses who may not.
    ///
    /// - Returns: The principal, and the headers that the answer gets.
    func admit(_ request: ServerRequest, to access: Access) async throws -> (Principal, HTTPFields) {
        if case .loopback = access {
            try checkLoopback(request)
            return (.anonymous, [:])
        }
        let (principal, headers) = try await authenticator.identify(request)
        let options = settings.options
        switch access {
        case .login: return (principal, headers)
        case .anyone where options.requiresValidUserExceptForUp && request.target.segments == ["_up"]:
            return (principal, headers)
        default: break
        }
        if principal.name == nil, options.requiresValidUser || options.requiresValidUserExceptForUp {
            throw HTTPFailure.unauthorized("Authentication required.")
        }
        try await check(principal, for: access, request)
        return (principal, headers)
    }

    /// Refuses a principal that may not make a request.
    func check(_ principal: Principal, for access: Access, _ request: ServerRequest) async throws {
        guard !principal.isAdministrator else { return }
        let name = request.parameter("db")
        let wanted: DatabaseRights
        switch access {
        case .anyone, .login, .loopback: return
        case .administrator: throw HTTPFailure.unauthorized("You are not a server admin.")
        case .database where name.hasPrefix("_"): throw HTTPFailure.unauthorized("You are not a server admin.")
        case .database(let rights): wanted = rights
        case .document(let rights): wanted = rights
        case .upkeep: wanted = .administrate
        }
        guard !name.hasPrefix("_") || DatabaseName.systemNames.contains(name) else {
            throw HTTPFailure.unauthorized("You are not a server admin.")
        }
        // A database that is not there is refused like one that is.
        let rights = try await securities.object(of: name)?.rights(of: principal) ?? []
        guard !rights.isSuperset(of: wanted) else { return }
        if case .upkeep = access, !rights.isEmpty {
            throw HTTPFailure.unauthorized("You are not a server or db admin.")
        }
        throw HTTPFailure.refusal(of: principal, with: rights, wanted: wanted)
    }

    /// Refuses a POST with a type that the route does not take. A database that is not there comes first, as in CouchDB.
    ///
    /// - Throws: ``HTTPFailure`` with status 415.
    func checkType(of request: ServerRequest, for route: Route) async throws {
        guard !request.hasType(for: route) else { return }
        let name = request.parameter("db")
        if !name.isEmpty, try await securities.object(of: name) == nil { throw HTTPFailure.databaseMissing }
        throw HTTPFailure.notJSON
    }

    /// What a principal may do in a database.
    func rights(of principal: Principal, in name: String) async throws -> DatabaseRights {
        if principal.isAdministrator { return .all }
        return try await securities.object(of: name)?.rights(of: principal) ?? []
    }

    private func checkLoopback(_ request: ServerRequest) throws(HTTPFailure) {
        // The name is checked too: a page elsewhere could point a name of its own at this address.
        guard request.isFromLoopback, Gatekeeper.isLoopbackName(request.head.authority) else {
            throw HTTPFailure(.forbidden, "forbidden", "This page is for this machine alone: ask for 127.0.0.1.")
        }
    }

    private static func isLoopbackName(_ authority: String?) -> Bool {
        guard let authority else { return false }
        let host =
            authority.hasPrefix("[")
            ? String(authority.prefix { $0 != "]" }) + "]" : String(authority.prefix { $0 != ":" })
        return HostAddress.isThisMachine(host)
    }
}

extension HTTPFailure {
    /// CouchDB's words for who may not use a database: 401 for nobody in particular, 403 for somebody.
    ///
    /// - Parameter rights: What the principal may do there.
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
