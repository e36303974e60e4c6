//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Logging

/// The rules for passwords that users choose for themselves.
public struct PasswordRules: Sendable, Equatable {
    /// The default of ``lengthMin``.
    public static let lengthMinDefault = 8

    /// The minimum number of characters.
    public var lengthMin: Int
    /// Passwords that are refused, in lower case. A password of a user is converted to lower case before it is
    /// compared.
    public var refused: Set<String>
    /// Whether the most common passwords are accepted.
    public var allowsCommon: Bool

    /// Creates rules. By default, a password must have at least eight characters, and must not be one of the most
    /// common passwords.
    ///
    /// - Parameter refused: Passwords that are refused. Upper and lower case are not distinguished.
    public init(lengthMin: Int = lengthMinDefault, refused: Set<String> = [], allowsCommon: Bool = false) {
        self.lengthMin = lengthMin
        self.refused = Set(refused.map { $0.lowercased() })
        self.allowsCommon = allowsCommon
    }

    /// Returns the weakness of a password, such as "has fewer than 8 characters". The text is the end of a sentence
    /// that begins with "the password". Returns `nil` when the password follows the rules.
    public func weakness(of password: String) -> String? {
        guard password.count >= lengthMin else { return "has fewer than \(lengthMin) characters" }
        let plain = password.lowercased()
        // Exact: an equivalent spelling of a common password is as weak.
        guard allowsCommon || !CommonPasswords.all.contains(plain) else { return "is one of the most common passwords" }
        // Exact: as above.
        return refused.contains(plain) ? "is on the server's list of refused passwords" : nil
    }
}

extension Logger {
    /// Logs a warning if a password is weak by the default rules.
    ///
    /// - Parameter whose: The kind of account, for example `administrator`. The line in the log has a member whose key
    ///   is this kind and whose value is `name`.
    func warnOfWeakness(of password: String, whose kind: String, name: String) {
        guard let weakness = PasswordRules().weakness(of: password) else { return }
        warn(of: weakness, whose: kind, name: name)
    }

    func warn(of weakness: String, whose kind: String, name: String) {
        warning("a password \(weakness): choose a stronger one", metadata: ["\(kind)": "\(name)"])
    }
}
