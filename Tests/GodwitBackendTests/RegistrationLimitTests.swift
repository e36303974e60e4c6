//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitServer
import HTTPTypes
import Testing

@testable import GodwitBackend

@Suite("Registrations from one address")
struct RegistrationLimitTests {
    private let application: Application = {
        var application = Application(id: "app")
        application.registrationsPerMinute = 3
        return application
    }()

    @Test("Limits are separate for each address and each application")
    func count() throws {
        let limit = RegistrationLimit()
        for address in ["192.0.2.1", "192.0.2.2", "2001:db8:0:1::1"] {
            for _ in 0..<3 { try limit.count(in: application, from: address) }
            let error = #expect(throws: AccountError.self) { try limit.count(in: application, from: address) }
            #expect(error?.code == .tooManyRegistrations && error?.retrySeconds == 60)
        }
        try limit.count(in: Application(id: "other"), from: "192.0.2.1")
    }

    @Test("An IPv6 network of 64 bits is one client")
    func networks() throws {
        let limit = RegistrationLimit()
        for host in 1...3 { try limit.count(in: application, from: "2001:db8:0:1::\(host)") }
        #expect(throws: AccountError.self) { try limit.count(in: application, from: "2001:db8:0:1:ffff::9") }
        try limit.count(in: application, from: "2001:db8:0:2::1")
    }
}
