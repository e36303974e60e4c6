//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitServer
import GodwitStore

/// An operation on an account that takes several steps. The operation is stored in the catalogue until its last step is
/// done.
struct AccountIntent: Equatable, Sendable {
    enum Kind: String, Sendable {
        /// A registration. If the process crashes before the user's document exists, the next start undoes the
        /// registration.
        case registration
        /// A removal. If the process crashes, the next start continues the removal.
        case removal
    }

    static let prefix = "account-intent/"

    let kind: Kind
    let application: String
    let user: String
    let database: String

    init(_ kind: Kind, of account: UserAccount, in application: Application) {
        self.kind = kind
        self.application = application.id
        (user, database) = (account.name, account.database)
    }

    /// Parses the value of a setting; `nil` when the value is not an intent.
    init?(_ bytes: [UInt8]) {
        guard let value = try? JSONValue(parsing: bytes),
            let kind = value["kind"]?.stringValue.flatMap({ Kind(rawValue: $0) }),
            let application = value["application"]?.stringValue, let user = value["user"]?.stringValue,
            let database = value["database"]?.stringValue
        else { return nil }
        (self.kind, self.application, self.user, self.database) = (kind, application, user, database)
    }

    /// The key of the setting that stores the intent. The key contains no kind, because an account has only one intent
    /// at a time.
    var key: String { "\(AccountIntent.prefix)\(application)/\(user)" }

    var bytes: [UInt8] {
        ([
            "kind": .string(kind.rawValue), "application": .string(application), "user": .string(user),
            "database": .string(database),
        ] as JSONValue).jsonBytes()
    }
}

extension Backend {
    /// Completes the operations that a crash interrupted. If the user's document does not exist, a registration is
    /// undone. A removal is continued. Operations of removed applications remain stored.
    func finishIntents() async throws {
        for (_, value) in try await manager.settings(beginningWith: AccountIntent.prefix) {
            guard let intent = AccountIntent(value), let application = directory.application(intent.application) else {
                continue
            }
            switch intent.kind {
            case .registration:
                if try await accounts(application).account(named: intent.user)?.database.isIdenticalText(
                    to: intent.database) == true
                {
                    try await manager.removeSetting(intent.key)
                } else {
                    try await undo(intent, in: application)
                }
            case .removal: try await remove(intent, in: application)
            }
        }
    }
}
