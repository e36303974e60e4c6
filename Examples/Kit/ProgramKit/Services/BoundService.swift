//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// A database service that a cloud platform bound to the program: CouchDB or Cloudant. ``BoundStorage`` is an object
/// storage.
public struct BoundService: Equatable, Sendable {
    /// The URL of the service, with its credentials, without a slash at its end.
    public let url: String

    /// Reads the variable `VCAP_SERVICES` of Cloud Foundry.
    ///
    /// - Returns: The first service, sorted by kind, that satisfies two conditions. First, its kind, label or tags
    ///   contain `cloudant` or `couchdb`. Second, its credentials contain either a URL, or a host, a name and a
    ///   password. `nil` if there is no such service, or if the value is not a JSON object.
    public init?(vcapServices text: String) {
        let services = BoundServices(vcapServices: text).named(["cloudant", "couchdb"])
        guard let url = services.lazy.compactMap(BoundService.url).first else { return nil }
        self.url = url
    }

    /// Returns the URL of credentials. It is the member `url`. If this member is missing, the URL is composed of host,
    /// port, name and password. The port is optional. `nil` if the host, the name or the password is missing.
    private static func url(_ credentials: JSONValue) -> String? {
        if let url = credentials["url"]?.stringValue { return url.hasSuffix("/") ? String(url.dropLast()) : url }
        guard let host = credentials["host"]?.stringValue, let name = credentials["username"]?.stringValue,
            let password = credentials["password"]?.stringValue
        else { return nil }
        let port = credentials["port"]?.intValue.map { ":\($0)" } ?? ""
        return "https://\(name.percentEncoded):\(password.percentEncoded)@\(host)\(port)"
    }
}
