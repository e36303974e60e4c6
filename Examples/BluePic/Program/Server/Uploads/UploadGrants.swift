//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import Foundation
import GodwitServer
import HTTPTypes

/// A permission to upload one picture.
struct UploadGrant: Codable, Equatable, Sendable {
    /// The name of the user who may upload the picture.
    let user: String
    /// The id of the image.
    let id: String
    /// The length of the file in bytes.
    let bytes: Int
    /// The media type of the file.
    let type: String
    /// The SHA-256 of the file, in lower-case hexadecimal digits.
    let digest: String
    /// The time at which the grant expires, in seconds since 1970.
    let expires: Int
}

/// Signs the grants for uploads and checks them.
struct UploadGrants: Sendable {
    /// The time for which a grant is valid, in seconds.
    static let secondsMax = 600

    /// The key of this process. After a restart of the server, earlier grants are invalid, and clients must request new
    /// ones.
    private let key = SymmetricKey(size: .bits256)

    /// Returns a grant as text for a header: the members as JSON and their HMAC-SHA256, both in Base64 for URLs.
    func text(of grant: UploadGrant) throws -> String {
        let members = try JSONEncoder().encode(grant)
        let code = Data(HMAC<SHA256>.authenticationCode(for: members, using: key))
        return "\(members.base64ForURL).\(code.base64ForURL)"
    }

    /// Reads a grant from a text that ``text(of:)`` returned.
    ///
    /// - Throws: ``GodwitServer/HTTPFailure`` with status 403 if this process did not sign the grant, or if the grant
    ///   has expired.
    func grant(_ text: String, now: Date = Date()) throws(HTTPFailure) -> UploadGrant {
        let parts = text.split(separator: ".").map { Data(base64ForURL: String($0)) }
        guard parts.count == 2, let members = parts[0], let code = parts[1],
            HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: members, using: key),
            let grant = try? JSONDecoder().decode(UploadGrant.self, from: members)
        else {
            throw HTTPFailure(.forbidden, "forbidden", "X-Upload-Grant is no grant of this server. Request another.")
        }
        guard Double(grant.expires) > now.timeIntervalSince1970 else {
            throw HTTPFailure(.forbidden, "forbidden", "The grant has expired. Request another.")
        }
        return grant
    }
}

extension Data {
    /// The bytes in Base64 for URLs, without padding (RFC 4648, section 5).
    fileprivate var base64ForURL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    fileprivate init?(base64ForURL text: String) {
        let digits = text.replacing("-", with: "+").replacing("_", with: "/")
        self.init(base64Encoded: digits + String(repeating: "=", count: (4 - digits.utf8.count % 4) % 4))
    }
}
