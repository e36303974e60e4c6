//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
package import GodwitKeys

/// The key of the tests' files: `GODWIT_TEST_KEY`, if it is set, so that the same tests run with and without
/// encryption.
package let testKey = ProcessInfo.processInfo.environment["GODWIT_TEST_KEY"].map { text in
    guard let key = try? EncryptionKey(hexadecimal: text) else { preconditionFailure("GODWIT_TEST_KEY is no key") }
    return key
}
