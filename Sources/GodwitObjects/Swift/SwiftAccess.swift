//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitObjectFiles
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The rights of a request in an account.
struct SwiftAccess: Sendable {
    /// The use for which a right is needed.
    enum Use: Sendable {
        /// The account itself, and the creation and change of containers.
        case manage
        /// The list of a container's objects.
        case list(ObjectContainer)
        /// Reading an object of a container.
        case read(ObjectContainer)
        /// Writing or deleting an object of a container.
        case write(ObjectContainer)
    }

    /// The account in the path.
    let account: ObjectAccount
    /// The name of the account of the request's token; `nil` without one.
    private let tokenAccount: String?
    private let isAdministrator: Bool
    private let referer: String?

    /// Finds the account of a request, and the rights of its client in it.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 if a token is not valid, or the account does not exist for a client that
    ///   must not know that; 403 for another account's token; 404 for an administrator of the server.
    init(_ request: SwiftRequest, _ directory: ObjectDirectory) async throws {
        let text = request.head.header("X-Auth-Token") ?? request.head.header("X-Storage-Token")
        let name = request.account
        let (account, token) = try await directory.run { directory in
            (try directory.account(named: name), try text.flatMap { try KeystoneToken($0, in: directory) })
        }
        if text != nil, token == nil { throw SwiftAccess.unauthorized }
        // The cookie of CouchDB's sessions alone is not accepted: pages of other sites can make browsers send it.
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
    var isOwner: Bool { isAdministrator || tokenAccount == account.name }

    /// Throws if the client has no right for a use.
    func check(_ use: Use) throws(HTTPFailure) {
        guard !isOwner, !isGranted(use) else { return }
        throw tokenAccount == nil ? SwiftAccess.unauthorized : SwiftAccess.forbidden
    }

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
        (container.headers[header] ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
    }

    /// Whether everyone may read, except pages of the hosts that `.r:-HOST` excludes.
    private func isPublic(_ rules: [String]) -> Bool {
        let host = referer.flatMap { $0.split(separator: "/").dropFirst().first }.map(String.init)
        if let host, rules.contains(".r:-\(host)") { return false }
        return rules.contains(ObjectContainer.everyone) || host.map { rules.contains(".r:\($0)") } ?? false
    }

    /// Whether the token's account is named, alone or with users.
    private func isNamed(in rules: [String]) -> Bool {
        guard let name = tokenAccount else { return false }
        return rules.contains { [name, "\(name):*", "\(name):\(name)", "*:\(name)"].contains($0) }
    }
}

extension ObjectContainer {
    /// The header with the writers of a container.
    static let writersHeader = "x-container-write"
}
