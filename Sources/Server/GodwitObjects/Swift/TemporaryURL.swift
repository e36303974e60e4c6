//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitBase
import GodwitServer
import HTTPTypes

/// The parameters of a temporary URL. With such a URL, a client without a token can use one object, or all objects with
/// a prefix.
struct TemporaryURL: Sendable {
    private let signature: String
    private let expires: Int
    private let expiresText: String
    private let prefix: String?
    private let fileName: String?
    private let isInline: Bool

    /// The headers with the keys of temporary URLs of an account and of a container.
    private static let accountHeaders = ["x-account-meta-temp-url-key", "x-account-meta-temp-url-key-2"]
    private static let containerHeaders = ["x-container-meta-temp-url-key", "x-container-meta-temp-url-key-2"]

    /// Reads the parameters of a request; `nil` if it is not for a temporary URL.
    init?(_ request: ServerRequest) {
        guard let signature = request.query("temp_url_sig"), let text = request.query("temp_url_expires") else {
            return nil
        }
        self.signature = signature
        expiresText = text
        expires = Int(text) ?? ObjectTime.seconds(ofISO: text) ?? 0
        prefix = request.query("temp_url_prefix")
        fileName = request.query("filename")
        isInline = request.hasQuery("inline")
    }

    /// Whether the signature is valid for a request, and the URL has not expired.
    func permits(_ request: SwiftRequest, _ container: ObjectContainer?, _ account: ObjectAccount) -> Bool {
        guard expires > ObjectTime.now, let containerName = request.container, let object = request.object else {
            return false
        }
        let accountPath = "/v1/\(SwiftRoutes.accountPrefix)\(account.name)"
        let path: String
        if let prefix {
            guard object.utf8.starts(with: prefix.utf8) else { return false }
            path = "prefix:\(accountPath)/\(containerName)/\(prefix)"
        } else {
            path = "\(accountPath)/\(containerName)/\(object)"
        }
        let keys =
            TemporaryURL.accountHeaders.compactMap { account.headers[$0] }
            + TemporaryURL.containerHeaders.compactMap { container?.headers[$0] }
        return keys.contains { key in
            methods(for: request.method).contains { isGenuine("\($0)\n\(expiresNumber)\n\(path)", key: key) }
        }
    }

    /// The time of expiry in the signed text. In the signed text, the time is always a number. In the URL, it may have
    /// another form.
    private var expiresNumber: String { Int(expiresText) == nil ? "\(expires)" : expiresText }

    /// Returns the methods whose signatures permit the given method. For example, HEAD is also permitted by a signature
    /// for GET, PUT or POST.
    private func methods(for method: HTTPRequest.Method) -> [String] {
        method == .head ? ["HEAD", "GET", "PUT", "POST"] : [method.rawValue]
    }

    private func isGenuine(_ text: String, key: String) -> Bool {
        let key = SymmetricKey(data: Array(key.utf8))
        let message = Array(text.utf8)
        guard let (name, digest) = parsedSignature else { return false }
        switch (name, digest.count) {
        case ("sha1", 20):
            return HMAC<Insecure.SHA1>.isValidAuthenticationCode(digest, authenticating: message, using: key)
        case ("sha256", 32): return HMAC<SHA256>.isValidAuthenticationCode(digest, authenticating: message, using: key)
        case ("sha512", 64): return HMAC<SHA512>.isValidAuthenticationCode(digest, authenticating: message, using: key)
        default: return false
        }
    }

    /// The algorithm and the bytes of the signature. In the URL, a signature is either hexadecimal digits, or the name
    /// of the algorithm followed by Base64.
    private var parsedSignature: (name: String, digest: [UInt8])? {
        if let colon = signature.utf8.firstIndex(of: UInt8(ascii: ":")) {
            return Base64URL.decode(signature[signature.index(after: colon)...]).map {
                (String(signature[..<colon]), $0)
            }
        }
        let name = [40: "sha1", 64: "sha256", 128: "sha512"][signature.utf8.count]
        guard let name, let digest = [UInt8](hexadecimal: signature.utf8) else { return nil }
        return (name, digest)
    }

    /// Returns the header that tells a browser whether to save the object or to show it.
    func disposition(of object: String) -> String {
        let last = object.utf8.split(separator: UInt8(ascii: "/")).last.map { String(decoding: $0, as: UTF8.self) }
        let name = fileName ?? last ?? object
        if isInline, fileName == nil { return "inline" }
        let plain = String(
            name.unicodeScalars.map { $0.isASCII && $0.value >= 32 && $0 != "\"" && $0 != "\\" ? Character($0) : "_" })
        return "\(isInline ? "inline" : "attachment"); filename=\"\(plain)\"; filename*=UTF-8''\(name.percentEncoded)"
    }
}
