//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitStore
import HTTPTypes

/// Tells who makes a request, from its `Authorization` header.
final class Authenticator: Sendable {
    /// Credentials that were right once are remembered, under a key of this process, for so many callers.
    private static let rememberedMax = 1_000

    private let administrators: [String: PasswordHash]
    private let memoryKey = SymmetricKey(size: .bits256)
    private let remembered = Mutex<Set<[UInt8]>>([])

    init(administrators: [String: PasswordHash]) { self.administrators = administrators }

    /// The principal of a request.
    ///
    /// - Throws: ``HTTPFailure`` with status 401 when the credentials are wrong; the same for an unknown name and a
    ///   wrong password.
    func principal(authorization header: String?) async throws -> Principal {
        guard let header else { return .anonymous }
        guard let (name, password) = Authenticator.basic(header) else {
            throw HTTPFailure.unauthorized("Only basic authentication is part of this Godwit yet.")
        }
        // PBKDF2 is slow by intent: once a caller has proved the password, a fast keyed hash recognises it.
        let proof = Array(HMAC<SHA256>.authenticationCode(for: Array("\(name)\u{0}\(password)".utf8), using: memoryKey))
        if remembered.withLock({ $0.contains(proof) }) { return .administrator(name: name) }
        guard try await verify(name: name, password: password) else {
            throw HTTPFailure.unauthorized("Name or password is incorrect.")
        }
        remembered.withLock { remembered in
            if remembered.count >= Authenticator.rememberedMax { remembered.removeAll() }
            remembered.insert(proof)
        }
        return .administrator(name: name)
    }

    private func verify(name: String, password: String) async throws -> Bool {
        let known = administrators[name]
        // An unknown name costs the same time as a known one.
        let hash = known ?? Authenticator.nobody
        return try await BlockingPool.shared.run { hash.matches(password) } && known != nil
    }

    private static let nobody = PasswordHash(of: "")

    private static func basic(_ header: String) -> (name: String, password: String)? {
        let parts = header.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic", let bytes = Base64.decode(parts[1].utf8),
            let text = String(validating: bytes, as: UTF8.self), let colon = text.firstIndex(of: ":")
        else { return nil }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }
}

extension HTTPFailure {
    static func unauthorized(_ reason: String) -> HTTPFailure {
        var failure = HTTPFailure(.unauthorized, "unauthorized", reason)
        failure.headers[.wwwAuthenticate] = "Basic realm=\"Godwit\""
        return failure
    }
}
