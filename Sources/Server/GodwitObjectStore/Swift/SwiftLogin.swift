//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitTransport

/// Logs a user in at an identity service.
struct SwiftLogin: Sendable {
    /// The assumed lifetime of a token if the service does not report its expiry, in seconds.
    private static let tokenSecondsDefault = 3_600.0
    /// If the URL of the identity service ends with this path, the service uses the simple authentication. Its logins
    /// consist only of headers.
    private static let simplePath = "/auth/v1.0"

    /// The URL of the identity service.
    let authURL: String
    /// The name of the user.
    let user: String
    /// The password, or the key of the simple authentication.
    let password: String
    /// The name of the project; `nil` for the default project of the user.
    let project: String?
    /// The name of the domain of the user and the project.
    let domain: String
    /// The region of the object storage; `nil` for any.
    let region: String?
    /// Sends the requests.
    let transport: any Transport

    /// Logs in.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/accessDenied`` if the credentials are wrong,
    ///   ``ObjectError/Code/badResponse`` if the service names no object storage, ``ObjectError/Code/invalidRequest``
    ///   if the URL is invalid, ``ObjectError/Code/overloaded`` if the service fails, or ``ObjectError/Code/network``.
    func session() async throws(ObjectError) -> SwiftSession {
        let address = try ServiceAddress(authURL)
        return try await address.path.ends(with: SwiftLogin.simplePath)
            ? simpleSession(address) : keystoneSession(address)
    }

    /// Logs in with the headers of the simple authentication, version 1.
    private func simpleSession(_ address: ServiceAddress) async throws(ObjectError) -> SwiftSession {
        var request = TransportRequest(
            method: "GET", url: address.url, secondsMax: ServiceLimits.requestSecondsMax)
        request.headers = [
            (name: "X-Auth-User", value: project.map { "\($0):\(user)" } ?? user),
            (name: "X-Auth-Key", value: password),
        ]
        let answer = try await self.answer(to: request)
        guard let token = answer["X-Auth-Token"], let storage = answer["X-Storage-Url"] else {
            throw badResponse("sent no token")
        }
        let seconds = answer["X-Auth-Token-Expires"].flatMap { Double($0) } ?? SwiftLogin.tokenSecondsDefault
        return SwiftSession(
            token: token, address: try ServiceAddress(storage), end: Double(ServiceTime.now) + seconds)
    }

    /// Logs in with Keystone, version 3.
    private func keystoneSession(_ address: ServiceAddress) async throws(ObjectError) -> SwiftSession {
        var request = TransportRequest(
            method: "POST", url: "\(address.url)/auth/tokens", secondsMax: ServiceLimits.requestSecondsMax)
        request.headers = [
            (name: "Content-Type", value: "application/json"), (name: "Accept", value: "application/json"),
        ]
        request.body = .bytes(credentials.jsonBytes())
        let answer = try await self.answer(to: request)
        guard let token = answer["X-Subject-Token"],
            let description = (try? JSONValue(parsing: answer.body))?["token"]
        else { throw badResponse("sent no token") }
        guard let storage = storageURL(description) else {
            throw badResponse("names no object storage\(region.map { " in the region \($0)" } ?? "")")
        }
        let end = description["expires_at"]?.stringValue.flatMap { ServiceTime.seconds(iso: $0) }
        return SwiftSession(
            token: token, address: try ServiceAddress(storage),
            end: end ?? Double(ServiceTime.now) + SwiftLogin.tokenSecondsDefault)
    }

    /// The body of a login: the user and the project.
    private var credentials: JSONValue {
        let domain: JSONValue = ["name": .string(domain)]
        let user: JSONValue = ["name": .string(user), "domain": domain, "password": .string(password)]
        var credentials: JSONValue = ["identity": ["methods": ["password"], "password": ["user": user]]]
        if let project { credentials["scope"] = ["project": ["name": .string(project), "domain": domain]] }
        return ["auth": credentials]
    }

    /// Returns the public URL of the object storage in a token's catalog.
    private func storageURL(_ description: JSONValue) -> String? {
        let services = description["catalog"]?.arrayValue?.filter { $0["type"]?.stringValue == "object-store" } ?? []
        let endpoints = services.flatMap { $0["endpoints"]?.arrayValue ?? [] }
        return endpoints.first { endpoint in
            let regions = [endpoint["region"]?.stringValue, endpoint["region_id"]?.stringValue]
            return endpoint["interface"]?.stringValue == "public" && (region == nil || regions.contains(region))
        }?["url"]?.stringValue
    }

    /// Sends a request of a login and returns the successful response.
    private func answer(to request: TransportRequest) async throws(ObjectError) -> ServiceAnswer {
        let answer = try await ServiceAnswer(collecting: try await transport.response(to: request))
        guard answer.status != 401, answer.status != 403 else {
            throw ObjectError(.accessDenied, "Wrong name or password for \(authURL).")
        }
        guard answer.isSuccess else {
            let code: ObjectError.Code = answer.status >= 500 ? .overloaded : .badResponse
            throw ObjectError(code, "\(authURL) refuses the login with the status \(answer.status). Check the address.")
        }
        return answer
    }

    private func badResponse(_ detail: String) -> ObjectError {
        ObjectError(.badResponse, "\(authURL) \(detail). Check the address, the project and the region.")
    }
}
