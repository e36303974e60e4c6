//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitBackend

@Suite("Versions of an app")
struct AppVersionsTests {
    @Test(
        "Numbers are compared as numbers",
        arguments: [("1.10", true), ("1.9", true), ("1.8.9", false), ("2", true), ("1", false), ("x", false)])
    func first(_ version: String, _ isServed: Bool) {
        #expect(AppVersions(first: "1.9.0").matches(version) == isServed)
    }

    @Test("Versions can be blocked, and a minimum version required")
    func blocked() {
        let versions = AppVersions(blocked: ["1.2"], areRequired: true)
        #expect(!versions.matches("1.2.0") && versions.matches("1.2.1") && !versions.matches(nil))
        #expect(AppVersions().matches(nil))
    }

    @Test(
        "Versions can be served with a warning",
        arguments: [("1.4", true), ("1.5", false), ("2.0", true), (nil, false)] as [(String?, Bool)])
    func warned(_ version: String?, _ isWarned: Bool) throws {
        let versions = try AppVersions(
            [
                "warned_before": "1.5", "warned": ["2.0.0"],
                "warning": ["message": "Get 3.0.", "url": "https://example.org/app"],
            ])
        let warning = AppVersions.Notice("Get 3.0.", url: "https://example.org/app")
        #expect(versions.warning(for: version) == (isWarned ? warning : nil))
        #expect(try AppVersions(.object(versions.json)) == versions)
    }
}
