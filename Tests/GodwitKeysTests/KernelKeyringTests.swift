//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CBase
import Foundation
import Testing

@testable import GodwitKeys

private let isAllowed =
    godwit_keyctl(KEYCTL_GET_KEYRING_ID, UInt(bitPattern: Int(KEY_SPEC_USER_KEYRING)), 1, 0, 0) > 0

@Suite("The kernel's keyrings")
struct KernelKeyringTests {
    private static func provider(_ ring: KernelKeyringProvider.Ring) -> KernelKeyringProvider {
        KernelKeyringProvider(keyName: "test \(UUID().uuidString)", ring: ring)
    }

    @Test(
        "A key is added, read and removed",
        .enabled(if: isAllowed, "the kernel or the container forbids its rings of keys"),
        arguments: [KernelKeyringProvider.Ring.user, .session])
    func ring(_ ring: KernelKeyringProvider.Ring) async throws {
        let provider = Self.provider(ring)
        await expect(.noKey) { try await provider.key() }
        await expect(.noKey) { try await provider.remove() }
        let key = EncryptionKey.random()
        try await provider.put(key)
        #expect(try await provider.key() == key)
        try await provider.put(key)
        await expect(.keyExists) { try await provider.put(.random()) }
        #expect(try await provider.key() == key)
        try await provider.remove()
        await expect(.noKey) { try await provider.key() }
    }

    @Test(
        "Another process gets the keys of the user's keyring and the session's",
        .enabled(if: isAllowed, "the kernel or the container forbids its rings of keys"))
    func processes() async throws {
        let (user, session) = (Self.provider(.user), Self.provider(.session))
        let (first, second) = (EncryptionKey.random(), EncryptionKey.random())
        try await user.put(first)
        try await session.put(second)
        await #expect(processExitsWith: .success) {
            [
                user = user.keyName as String, session = session.keyName as String,
                first = first.hexadecimal as String, second = second.hexadecimal as String
            ] in
            let ofSession = KernelKeyringProvider(keyName: session, ring: .session)
            let keys = try await [KernelKeyringProvider(keyName: user).key(), ofSession.key()]
            #expect(keys.map(\.hexadecimal) == [first, second])
        }
        try await user.remove()
        try await session.remove()
    }

    @Test(
        "Errors of the kernel are reported as unavailable, and invalid keys are refused",
        .enabled(if: isAllowed, "the kernel or the container forbids its rings of keys"))
    func refused() async throws {
        let provider = Self.provider(.session)
        let ring = UInt(bitPattern: Int(KEY_SPEC_SESSION_KEYRING))
        let number = godwit_keyctl(KEYCTL_GET_KEYRING_ID, ring, 0, 0, 0)
        let short = godwit_add_key("godwit:\(provider.keyName)", "short", 5, Int32(number))
        #expect(short > 0)
        await expect(.invalidKey) { try await provider.key() }
        #expect(godwit_keyctl(KEYCTL_SETPERM, UInt(short), 0, 0, 0) == 0)
        await expect(.unavailable) { try await provider.key() }
        #expect(godwit_keyctl(KEYCTL_UNLINK, UInt(short), UInt(number), 0, 0) == 0)
    }

    @Test(
        "A kernel without keyrings is distinguished from a missing key",
        .enabled(if: !isAllowed, "the kernel allows its rings")
    )
    func forbidden() async {
        await expect(.unavailable) { try await Self.provider(.user).key() }
        await expect(.unavailable) { try await Self.provider(.user).put(.random()) }
    }

    @Test("Names are short and printable")
    func names() async {
        for name in ["", "a\u{0}b", String(repeating: "n", count: 129)] {
            await expect(.invalidLabel) { try await KernelKeyringProvider(keyName: name).key() }
        }
    }
}
