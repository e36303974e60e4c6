//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore
import GodwitText

/// The rules for users' names, and the names of the users' databases.
enum UserName {
    /// Checks the name of a user.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/invalidName``.
    static func check(_ name: String, in application: Application) throws(AccountError) {
        guard !name.isEmpty, name.utf8.count <= BackendLimits.userNameBytesMax else {
            throw .invalidName("must have 1 to \(BackendLimits.userNameBytesMax) bytes")
        }
        guard name.utf8.first != UInt8(ascii: "_") else { throw .invalidName("must not begin with an underscore") }
        guard !name.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F || $0 == ":" }) else {
            throw .invalidName("must not contain a colon or a control character")
        }
        // Canonically equivalent names look alike. Without this check, a user could register with a name that no other person can
        // distinguish from the name of another user.
        guard ComposedForm.holds(name) else { throw .invalidName("must be in Unicode's composed form (NFC)") }
        guard database(of: name, in: application).utf8.count <= DatabaseName.bytesMax else {
            throw .invalidName("is too long: each byte except a-z, 0-9, _, -, +, (, ) and / counts three times")
        }
    }

    /// Returns the name of a user's database: the application's prefix, followed by the user's name. The character `$`
    /// and each byte that CouchDB does not allow in names are written as `$` and two hexadecimal digits. Therefore two
    /// users of an application never have the same database.
    static func database(of name: String, in application: Application) -> String {
        var escaped: [UInt8] = []
        for byte in name.utf8 {
            if isPlain(byte) {
                escaped.append(byte)
            } else {
                escaped.append(UInt8(ascii: "$"))
                escaped += [byte].hexadecimal.utf8
            }
        }
        return application.databasePrefix + String(decoding: escaped, as: UTF8.self)
    }

    /// Returns the user name that a database's name contains; `nil` when the name does not have the form of a user's
    /// database. It is not checked whether the user exists.
    static func user(of database: String, in application: Application) -> String? {
        guard database.utf8.starts(with: application.databasePrefix.utf8) else { return nil }
        var bytes: [UInt8] = []
        var rest = Array(database.utf8.dropFirst(application.databasePrefix.utf8.count))[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "$") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = [UInt8](hexadecimal: rest.prefix(2)), escaped.count == 1 else { return nil }
            bytes += escaped
            rest = rest.dropFirst(2)
        }
        guard let name = String(validating: bytes, as: UTF8.self), !name.isEmpty,
            self.database(of: name, in: application).utf8.elementsEqual(database.utf8)
        else { return nil }
        return name
    }

    /// Returns possible names for the account of a provider's user, in the order in which they are tried. The first one
    /// consists of the provider and the identifier, if this is a valid name. Names with random digits follow.
    static func candidates(for subject: String, at provider: String, in application: Application) -> [String] {
        let plain = "\(provider)-\(subject)"
        let isValid = (try? check(plain, in: application)) != nil
        return (isValid ? [plain] : []) + (0..<3).map { _ in "\(provider)-\([UInt8].random(count: 12).hexadecimal)" }
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "_()+-/".utf8.contains(byte)
        }
    }
}

extension AccountError {
    fileprivate static func invalidName(_ rule: String) -> AccountError {
        AccountError(.invalidName, "A user name \(rule).")
    }
}
