//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitServer

@Suite("Rules for passwords")
struct PasswordRulesTests {
    @Test(
        "Weak ones",
        arguments: ["", "1234567", "ééééééé", "password", "PASSWORD123", "12345678", "qwertyuiop", "iloveyou"])
    func weak(_ password: String) {
        #expect(PasswordRules().weakness(of: password) != nil)
    }

    @Test("Others", arguments: ["eight ch", "ännchen von tharau", "correct horse battery", "password of nobody"])
    func strong(_ password: String) {
        #expect(PasswordRules().weakness(of: password) == nil)
    }

    @Test("Custom rules")
    func rules() {
        let rules = PasswordRules(lengthMin: 3, refused: ["Dragon"], allowsCommon: true)
        #expect(rules.weakness(of: "password") == nil && rules.weakness(of: "abc") == nil)
        #expect(rules.weakness(of: "ab") != nil && rules.weakness(of: "dRAGON") != nil)
    }

    @Test("The list has the documented content: lower case, eight characters and more, some hundreds")
    func list() {
        #expect(CommonPasswords.all.count > 500)
        #expect(CommonPasswords.all.allSatisfy { $0.count >= 8 && $0 == $0.lowercased() })
    }
}
