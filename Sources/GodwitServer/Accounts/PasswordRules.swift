//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Logging

/// What a password must be that somebody chooses for themselves.
public struct PasswordRules: Sendable, Equatable {
    /// The fewest characters, unless it is said.
    public static let lengthMinDefault = 8

    /// The fewest characters.
    public var lengthMin: Int
    /// Passwords that are refused, in lower case.
    public var refused: Set<String>
    /// Whether the most common passwords are taken.
    public var allowsCommon: Bool

    /// Creates rules: at least eight characters, and none of the most common passwords unless it is said.
    ///
    /// - Parameter refused: Passwords that are refused, whatever the case of their letters.
    public init(lengthMin: Int = lengthMinDefault, refused: Set<String> = [], allowsCommon: Bool = false) {
        self.lengthMin = lengthMin
        self.refused = Set(refused.map { $0.lowercased() })
        self.allowsCommon = allowsCommon
    }

    /// What is wrong with a password, as the end of a sentence about it; `nil` when nothing is.
    public func weakness(of password: String) -> String? {
        guard password.count >= lengthMin else { return "has fewer than \(lengthMin) characters" }
        let plain = password.lowercased()
        guard allowsCommon || !CommonPasswords.all.contains(plain) else { return "is one of the most common" }
        return refused.contains(plain) ? "is one of those that are refused here" : nil
    }
}

extension Logger {
    /// Warns of a password that an administrator of the server chose and that is weak.
    ///
    /// - Parameter whose: The kind of account.
    func warnOfWeakness(of password: String, whose kind: String, name: String) {
        guard let weakness = PasswordRules().weakness(of: password) else { return }
        warn(of: weakness, whose: kind, name: name)
    }

    func warn(of weakness: String, whose kind: String, name: String) {
        warning("a password \(weakness): choose a stronger one", metadata: ["\(kind)": "\(name)"])
    }
}
