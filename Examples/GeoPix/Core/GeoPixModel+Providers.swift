//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
public import DeviceKit
import Foundation
import GodwitDatabase

/// A way to sign in.
public struct GeoPixLogin: Equatable, Sendable {
    /// The kind of a login.
    public enum Kind: String, Sendable {
        /// A name and a password.
        case password
        /// A realm: the server asks questions, and the user's answers decide whether the login succeeds.
        case custom
        /// A page of a provider, which the user opens in the browser.
        case browser
    }

    /// The name of the provider or realm; `password` for the login with a password.
    public var id: String
    /// The kind.
    public var kind: Kind
    /// The name that the user sees.
    public var title: String
}

extension GeoPixModel {
    private static let answerBytesMax = 64 << 10
    private static let requestSecondsMax = 30
    /// The maximum duration of a login in the browser.
    private static let loginSecondsMax = 600.0
    private static let pendingLoginsMax = 8

    /// A login in the browser that has begun.
    struct PendingLogin {
        let provider: String
        let verifier: String
        let expiry: Date
    }

    /// Reads the ways to sign in that the server has. If the server cannot be reached or reports an error, ``logins``
    /// is not changed.
    public func readLogins() async {
        var request = TransportRequest(
            method: "GET", url: "\(server)/_apps/\(GeoPixModel.application)/providers",
            secondsMax: GeoPixModel.requestSecondsMax)
        request.headers = [("Accept", "application/json")]
        guard let response = try? await configuration.transport.send(request), response.status == 200,
            let bytes = try? await response.collect(bytesMax: GeoPixModel.answerBytesMax),
            let providers = (try? JSONValue(parsing: bytes))?["providers"]?.arrayValue
        else { return }
        let found = providers.compactMap { provider -> GeoPixLogin? in
            guard let name = provider["name"]?.stringValue else { return nil }
            let isCustom = provider["kind"]?.stringValue == "custom"
            let title = provider["display_name"]?.stringValue ?? name
            return GeoPixLogin(id: name, kind: isCustom ? .custom : .browser, title: isCustom ? name : title)
        }
        logins = [.password] + found
        for login in found where login.kind == .custom { await access?.register(realmDelegate, for: login.id) }
    }

    /// Begins a login at a provider, which the user continues in the browser.
    ///
    /// - Parameters:
    ///   - provider: The name of the provider.
    ///   - address: The address on this device to which the browser returns.
    /// - Returns: The address for the browser. It is valid for ten minutes.
    /// - Throws: ``DeviceKit/DeviceError`` with code `locked` if the photos are locked or a user is signed in,
    ///   `input` if there is no such provider, or `refused` if too many logins have begun.
    public func beginLogin(at provider: String, returningTo address: String) throws(DeviceError) -> String {
        guard user == nil, library != nil else { throw DeviceError(.locked, "Unlock the photos, and sign out first.") }
        guard logins.contains(where: { $0.id == provider && $0.kind == .browser }) else {
            throw DeviceError(.input, "There is no login \(provider).")
        }
        let now = configuration.now()
        pendingLogins = pendingLogins.filter { $0.value.expiry > now }
        guard pendingLogins.count < GeoPixModel.pendingLoginsMax else {
            throw DeviceError(.refused, "Too many logins have begun. Wait some minutes.")
        }
        let (state, verifier) = (GeoPixModel.randomText(), GeoPixModel.randomText() + GeoPixModel.randomText())
        pendingLogins[state] = PendingLogin(
            provider: provider, verifier: verifier, expiry: now + GeoPixModel.loginSecondsMax)
        let digest = Data(SHA256.hash(data: Data(verifier.utf8))).base64EncodedString()
        let challenge = digest.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        var components = URLComponents()
        components.queryItems = [
            URLQueryItem(name: "redirect_uri", value: address), URLQueryItem(name: "state", value: state),
            URLQueryItem(name: "code_challenge", value: challenge),
            URLQueryItem(name: "code_challenge_method", value: "S256"),
        ]
        return "\(server)/_apps/\(GeoPixModel.application)/login/\(provider)?\(components.percentEncodedQuery ?? "")"
    }

    /// Ends a login in the browser, after the browser has returned to this device.
    ///
    /// - Parameters:
    ///   - state: The parameter `state` of the address that ``beginLogin(at:returningTo:)`` returned.
    ///   - code: The code that the server passed to this device through the browser; `nil` if the login failed.
    ///   - reason: The reason why the login failed.
    /// - Throws: ``DeviceKit/DeviceError`` with code `refused` if the login failed, has not begun on this device,
    ///   or took more than ten minutes; and the errors of a login.
    public func endLogin(state: String, code: String?, reason: String?) async throws(DeviceError) {
        guard let pending = pendingLogins.removeValue(forKey: state), pending.expiry > configuration.now() else {
            throw DeviceError(.refused, "This login has not begun here, or took too long. Sign in again.")
        }
        guard let code else { throw DeviceError(.refused, reason ?? "The login was cancelled.") }
        try await signIn { (access) throws(AccessError) in
            try await access.logIn(with: pending.provider, .code(code, verifier: pending.verifier))
        }
    }

    /// Returns a text of 32 hexadecimal digits.
    private static func randomText() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<2).map { _ in
            let digits = String(generator.next() as UInt64, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

extension GeoPixLogin {
    /// The login with a name and a password.
    static let password = GeoPixLogin(id: "password", kind: .password, title: "password")
}
