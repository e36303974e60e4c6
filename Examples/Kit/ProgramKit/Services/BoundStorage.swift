//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
public import GodwitObjectStore
public import GodwitTransport

/// An object storage outside of the program: a service with the API of S3 or of OpenStack Swift.
public struct BoundStorage: Equatable, Sendable {
    private enum Kind: Equatable {
        case s3(endpoint: String, region: String, accessKey: String, secretKey: String)
        case swift(authURL: String, user: String, password: String, project: String?, domain: String)
    }

    private let kind: Kind

    /// Reads a URL with credentials: `s3+http://ACCESS:SECRET@HOST/PATH?region=REGION`, or
    /// `swift+http://USER:PASSWORD@HOST/v3?project=NAME&domain=NAME`. The schemes `s3+https` and `swift+https` are
    /// allowed too. The query is optional: the default region is `us-east-1`, the default domain is `Default`.
    ///
    /// - Returns: `nil` if the URL has another form.
    public init?(url: String) {
        guard var parts = URLComponents(string: url), let scheme = parts.scheme, let name = parts.user,
            let password = parts.password
        else { return nil }
        let items = parts.queryItems ?? []
        let value = { (name: String) in items.first { $0.name == name }?.value }
        let schemes = scheme.split(separator: "+").map(String.init)
        guard schemes.count == 2, ["http", "https"].contains(schemes[1]) else { return nil }
        (parts.scheme, parts.user, parts.password, parts.queryItems) = (schemes[1], nil, nil, nil)
        guard let address = parts.string else { return nil }
        switch schemes[0] {
        case "s3":
            kind = .s3(
                endpoint: address, region: value("region") ?? "us-east-1", accessKey: name, secretKey: password)
        case "swift":
            kind = .swift(
                authURL: address, user: name, password: password, project: value("project"),
                domain: value("domain") ?? "Default")
        default: return nil
        }
    }

    /// Reads the variable `VCAP_SERVICES` of Cloud Foundry.
    ///
    /// - Returns: The first object storage, sorted by kind of service, that has the credentials of S3 or of OpenStack
    ///   Swift; `nil` if there is none.
    public init?(vcapServices text: String) {
        let services = BoundServices(vcapServices: text).named(["object", "storage", "s3", "minio", "swift"])
        guard let kind = services.lazy.compactMap(BoundStorage.kind).first else { return nil }
        self.kind = kind
    }

    private static func kind(_ credentials: JSONValue) -> Kind? {
        let text = { (names: [String]) in names.lazy.compactMap { credentials[$0]?.stringValue }.first }
        if let authURL = text(["auth_url", "authURL"]), let user = text(["username", "userId"]),
            let password = text(["password"])
        {
            return .swift(
                authURL: authURL.hasSuffix("/v3") ? authURL : authURL + "/v3", user: user, password: password,
                project: text(["project", "projectName"]), domain: text(["domainName", "domain"]) ?? "Default")
        }
        let keys = credentials["cos_hmac_keys"] ?? credentials
        if let endpoint = text(["endpoint", "url"]),
            let accessKey = keys["access_key_id"]?.stringValue ?? text(["accessKeyId", "accessKey"]),
            let secretKey = keys["secret_access_key"]?.stringValue ?? text(["secretAccessKey", "secretKey"])
        {
            return .s3(
                endpoint: endpoint, region: text(["region"]) ?? "us-east-1", accessKey: accessKey, secretKey: secretKey)
        }
        return nil
    }

    /// Returns a client of the storage. This sends no requests.
    ///
    /// - Parameter transport: The transport that sends the requests.
    public func store(transport: any Transport) -> any ObjectStore {
        switch kind {
        case .s3(let endpoint, let region, let accessKey, let secretKey):
            S3ObjectStore(
                endpoint: endpoint, region: region, accessKey: accessKey, secretKey: secretKey, transport: transport)
        case .swift(let authURL, let user, let password, let project, let domain):
            SwiftObjectStore(
                authURL: authURL, user: user, password: password, project: project, domain: domain,
                transport: transport)
        }
    }
}
