//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CCurl
import GodwitBase
import GodwitFoundation
import GodwitStore

/// An SMTP server that accepts an application's messages.
public struct MailServer: Equatable, Sendable {
    /// The maximum time for sending a message, in milliseconds.
    static let millisecondsMax = 30_000

    /// The server's URL: `smtp://HOST:PORT`, with STARTTLS, or `smtps://HOST:PORT`, with TLS from the start.
    public var url: String
    /// The user to log in as; `nil` for none.
    public var user: String?
    /// The user's password.
    public var password: String?
    /// The sender's address.
    public var from: MailAddress
    /// The sender's name; `nil` for none.
    public var name: String?
    /// A PEM file with certificate authorities; `nil` for those of the system.
    public var authorities: String?

    /// Creates a server.
    ///
    /// - Returns: `nil` when the URL does not begin with `smtp://` or `smtps://`, contains a user, or has characters
    ///   other than printable ASCII.
    public init?(url: String, from: MailAddress) {
        guard url.begins(with: "smtp://") || url.begins(with: "smtps://"), !url.includes("@"),
            url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        (self.url, self.from) = (url, from)
    }

    /// Whether the server is on this computer. For all other servers, TLS is required.
    var isLocal: Bool {
        ["smtp://127.0.0.1", "smtp://localhost", "smtp://[::1]"].contains { prefix in
            url.begins(with: prefix) && ["", ":", "/"].contains(url.dropFirst(prefix.count).prefix(1))
        }
    }

    /// Sends a message, and waits until the server has accepted it. If the task is cancelled, the message is sent
    /// nevertheless.
    ///
    /// - Throws: ``MailError``.
    public func send(_ message: MailMessage) async throws {
        try await MailServer.pool.run { try self.sendNow(message) }
    }

    /// Sending blocks a thread while it waits for the network. Therefore it has separate threads.
    private static let pool = BlockingPool(threadsMax: MailLimits.sendingTogetherMax)

    private func sendNow(_ message: MailMessage) throws(MailError) {
        let id = [UInt8].random(count: 16).hexadecimal
        let bytes = message.rendered(from: from, name: name, id: id, seconds: Int(Date.now.timeIntervalSince1970))
        var status = 0
        var text = [CChar](repeating: 0, count: Int(GODWIT_MAIL_ERROR_BYTES))
        let code = withTexts([url, user, password, "<\(from)>", "<\(message.to)>", authorities]) { texts in
            bytes.withUnsafeBytes { buffer in
                var mail = godwit_mail()
                mail.url = texts[0]
                mail.user = texts[1]
                mail.password = texts[2]
                mail.from = texts[3]
                mail.to = texts[4]
                mail.authorities = texts[5]
                mail.message = buffer.bindMemory(to: CChar.self).baseAddress
                mail.length = buffer.count
                mail.requires_tls = isLocal ? 0 : 1
                mail.milliseconds_max = MailServer.millisecondsMax
                return godwit_mail_send(&mail, &status, &text)
            }
        }
        guard code != 0 else { return }
        let end = text.firstIndex(of: 0) ?? text.endIndex
        throw MailError(
            curlCode: Int(code), status: status,
            String(decoding: text[..<end].map { UInt8(bitPattern: $0) }, as: UTF8.self))
    }

    /// Calls a closure with texts as C strings, which end with a zero byte.
    private func withTexts<Result>(
        _ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = texts.map { text -> UnsafeMutableBufferPointer<CChar>? in
            guard let bytes = text?.utf8CString else { return nil }
            let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: bytes.count)
            _ = copy.initialize(fromContentsOf: bytes)
            return copy
        }
        defer { for copy in copies { copy?.deallocate() } }
        return body(copies.map { $0.flatMap(\.baseAddress).map { UnsafePointer($0) } })
    }
}

/// The limits of sending mail.
public enum MailLimits {
    /// The maximum number of messages that are sent at a time.
    static let sendingTogetherMax = 4
}
