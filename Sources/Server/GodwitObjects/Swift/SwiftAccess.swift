//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The rights of a request in an account.
struct SwiftAccess: Sendable {
    /// An operation that requires a right.
    enum Use: Sendable {
        /// Reading or changing the account, copying objects, and creating, changing or deleting containers.
        case manage
        /// Listing the objects of a container.
        case list(ObjectContainer)
        /// Reading an object of a container.
        case read(ObjectContainer)
        /// Writing or deleting an object of a container.
        case write(ObjectContainer)
    }

    /// The account in the path.
    let account: ObjectAccount
    /// The name of the account to which the request's token belongs; `nil` if the request has no token.
    private let tokenAccount: String?
    private let isAdministrator: Bool
    private let referer: String?

    /// Finds the account of a request, and the rights of its client in it.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 if a token is not valid. If the account does not exist, an
    ///   administrator of the server gets ``ObjectError`` with code ``ObjectError/Code/accountNotFound``. Other clients
    ///   must not learn whether an account exists. Therefore they get the same error as for an account of another
    ///   client: ``HTTPFailure`` with status 403 if they have a token, and 401 if they have no token.
    init(_ request: SwiftRequest, _ directory: ObjectDirectory) async throws {
        let text = request.head.header("X-Auth-Token") ?? request.head.header("X-Storage-Token")
        let name = request.account
        let (account, token) = try await directory.run { directory in
            (try directory.account(named: name), try text.flatMap { try KeystoneToken($0, in: directory) })
        }
        if text != nil, token == nil { throw SwiftAccess.unauthorized }
        // The cookie of CouchDB's sessions alone does not prove that an administrator wants this request, because pages
        // of other sites can make browsers send the cookie.
        let isOwnRequest = request.head.cookie("AuthSession") == nil || request.head.header("X-Godwit-CSRF") != nil
        isAdministrator = request.context.principal.isAdministrator && isOwnRequest
        tokenAccount = token?.account.name
        referer = request.head.header("Referer")
        guard let account else {
            if isAdministrator { throw ObjectError(.accountNotFound, "There is no account \(name).") }
            throw token == nil ? SwiftAccess.unauthorized : SwiftAccess.forbidden
        }
        self.account = account
    }

    static let unauthorized = HTTPFailure(
        .unauthorized, "Unauthorized",
        "This server could not verify that you are authorized to access the document you requested.")
    static let forbidden = HTTPFailure(.forbidden, "Forbidden", "Access was denied to this resource.")

    /// Whether the client owns the account or administers the server.
    var isOwner: Bool { isAdministrator || tokenAccount?.isIdenticalText(to: account.name) ?? false }

    /// Whether the client neither has a token nor administers the server.
    var isAnonymous: Bool { tokenAccount == nil && !isAdministrator }

    /// Throws an error if the client does not have the right for an operation.
    func check(_ use: Use) throws(HTTPFailure) {
        guard !permits(use) else { return }
        throw tokenAccount == nil ? SwiftAccess.unauthorized : SwiftAccess.forbidden
    }

    /// Whether the client has the right for an operation.
    func permits(_ use: Use) -> Bool { isOwner || isGranted(use) }

    private func isGranted(_ use: Use) -> Bool {
        switch use {
        case .manage: false
        case .list(let container):
            rules(container, ObjectContainer.readersHeader).contains { $0 == ".rlistings" }
                && isGranted(.read(container)) || isNamed(in: rules(container, ObjectContainer.readersHeader))
        case .read(let container):
            isPublic(rules(container, ObjectContainer.readersHeader))
                || isNamed(in: rules(container, ObjectContainer.readersHeader))
        case .write(let container): isNamed(in: rules(container, ObjectContainer.writersHeader))
        }
    }

    private func rules(_ container: ObjectContainer, _ header: String) -> [String] {
        (container.headers[header] ?? "").commaSeparatedItems
    }

    /// Whether the rules permit a client without a token to read. `.r:*` permits all clients. `.r:HOST` permits
    /// requests from pages of this host. `.r:-HOST` excludes requests from pages of this host.
    private func isPublic(_ rules: [String]) -> Bool {
        guard let host = refererHost else { return rules.contains(ObjectContainer.everyone) }
        let isNamed = { (prefix: String) in
            rules.contains { rule in
                guard rule.utf8.starts(with: prefix.utf8) else { return false }
                let pattern = Array(rule.lowercasedASCII.utf8.dropFirst(prefix.utf8.count))
                return pattern == host
                    || pattern.first == UInt8(ascii: ".") && host.suffix(pattern.count) == pattern[...]
            }
        }
        return !isNamed(".r:-") && (rules.contains(ObjectContainer.everyone) || isNamed(".r:"))
    }

    /// The host of the page that refers to the object; `nil` if the request names no such page.
    private var refererHost: [UInt8]? {
        let authority = referer?.lowercasedASCII.utf8.split(separator: UInt8(ascii: "/")).dropFirst().first
        return authority.map { authority in
            Array((authority.split(separator: UInt8(ascii: "@")).last ?? authority).prefix { $0 != UInt8(ascii: ":") })
        }
    }

    /// Whether the rules contain the account of the token, or a user of this account.
    private func isNamed(in rules: [String]) -> Bool {
        guard let name = tokenAccount else { return false }
        let names = [name, "\(name):*", "\(name):\(name)", "*:\(name)"]
        return rules.contains { rule in names.contains { $0.isIdenticalText(to: rule) } }
    }
}

extension ObjectContainer {
    /// The header with the writers of a container.
    static let writersHeader = "x-container-write"
}
