//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitTransport

extension SwiftObjectStore {
    /// The length, in bytes, of a key of temporary URLs that this client creates.
    private static let keyBytes = 32
    /// The header with the account's key of temporary URLs.
    private static let keyHeader = "X-Account-Meta-Temp-URL-Key"

    /// See ``ObjectStore/temporaryURL(for:of:in:secondsMax:)``. For the first URL, the client requests the account's
    /// key, unless a key was given to the client. If the account has no key, the client creates a key.
    public func temporaryURL(
        for use: ObjectUse, of name: String, in container: String, secondsMax: Int
    ) async throws(ObjectError) -> String {
        try ObjectNames.check(name, in: container)
        guard secondsMax > 0 else {
            throw ObjectError(.invalidRequest, "A temporary URL must be valid for one second or longer.")
        }
        let address = try await session(after: nil).address
        let key = try await self.key()
        let expires = ServiceTime.now.addingReportingOverflow(secondsMax)
        guard !expires.overflow else {
            throw ObjectError(.invalidRequest, "The time of the temporary URL is too long.")
        }
        // The path must be signed without percent escapes.
        guard let prefix = [UInt8](percentEncoded: address.path.utf8) else {
            throw ObjectError(.badResponse, "The service's address of the account is invalid.")
        }
        let text = Array("\(use.method)\n\(expires.partialValue)\n".utf8) + prefix + "/\(container)/\(name)".utf8
        return address.objectURL(
            container, name,
            [
                (name: "temp_url_sig", value: MessageAuthentication.sha256(text, key: key.utf8).hexadecimal),
                (name: "temp_url_expires", value: "\(expires.partialValue)"),
            ])
    }

    /// Returns the key of temporary URLs. If no key was given to the client, it is the account's key.
    private func key() async throws(ObjectError) -> String {
        if let key = temporaryURLKey.withLock({ $0 }) { return key }
        let key = try await accountKey()
        temporaryURLKey.withLock { $0 = key }
        return key
    }

    private func accountKey() async throws(ObjectError) -> String {
        if let key = try await storedKey() { return key }
        var request = ServiceRequest("POST")
        request.headers = [
            (name: SwiftObjectStore.keyHeader, value: [UInt8].random(count: SwiftObjectStore.keyBytes).hexadecimal)
        ]
        _ = try await answer(to: request)
        // The key is read again, because another client may have created another key at the same time.
        guard let key = try await storedKey() else {
            throw ObjectError(.unsupported, "The service does not keep a key of temporary URLs for the account.")
        }
        return key
    }

    private func storedKey() async throws(ObjectError) -> String? {
        let key = try await answer(to: ServiceRequest("HEAD"))[SwiftObjectStore.keyHeader]
        return key?.isEmpty == false ? key : nil
    }
}
