//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitTransport

/// A message with a plain text and, optionally, the same text as HTML.
public struct MailMessage: Equatable, Sendable {
    /// The recipient.
    public var to: MailAddress
    /// The subject, one line.
    public var subject: String
    /// The plain text.
    public var text: String
    /// The text as HTML; `nil` for a message with plain text only.
    public var html: String?

    /// Creates a message.
    public init(to: MailAddress, subject: String, text: String, html: String? = nil) {
        (self.to, self.subject, self.text, self.html) = (to, subject, text, html)
    }

    /// Returns the message in the format of RFC 5322, with MIME parts encoded as Base64.
    ///
    /// - Parameters:
    ///   - from: The sender.
    ///   - name: The sender's name; `nil` for none.
    ///   - id: A text of letters and digits that is different for each message.
    ///   - seconds: The time in seconds since 1970.
    func rendered(from: MailAddress, name: String?, id: String, seconds: Int) -> [UInt8] {
        let sender = name.map { "\(MailMessage.encodedWord($0))\r\n <\(from)>" } ?? "\(from)"
        let domain = from.description.pieces(at: "@").last ?? "localhost"
        var lines = [
            "From: \(sender)", "To: \(to)", "Subject: \(MailMessage.encodedWord(subject))",
            "Date: \(MailMessage.date(seconds))", "Message-ID: <\(id)@\(domain)>", "MIME-Version: 1.0",
            "Auto-Submitted: auto-generated",
        ]
        if let html {
            let boundary = "godwit-\(id)"
            lines.append("Content-Type: multipart/alternative; boundary=\"\(boundary)\"")
            for (type, content) in [("plain", text), ("html", html)] {
                lines += ["", "--\(boundary)"] + MailMessage.part(type, content)
            }
            lines += ["--\(boundary)--", ""]
        } else {
            lines += MailMessage.part("plain", text)
        }
        return Array(lines.joined(separator: "\r\n").utf8)
    }

    private static func part(_ type: String, _ content: String) -> [String] {
        let normalized = content.replacingBytes("\r\n", with: "\n").replacingBytes("\n", with: "\r\n")
        var digits: [UInt8] = []
        Base64.append(Array(normalized.utf8), to: &digits)
        let lineBytes = 76
        let lines = stride(from: 0, to: digits.count, by: lineBytes).map { start in
            String(decoding: digits[start..<min(start + lineBytes, digits.count)], as: UTF8.self)
        }
        return ["Content-Type: text/\(type); charset=utf-8", "Content-Transfer-Encoding: base64", ""] + lines + [""]
    }

    /// Returns a text in the form for a header. A text remains unchanged if it has at most 60 ASCII characters, does
    /// not contain `=?`, and contains no special character of RFC 5322 except the period. Other texts become encoded
    /// words (RFC 2047). Control characters become spaces, so that a text never begins another header.
    static func encodedWord(_ text: String) -> String {
        let line = String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : $0 }))
        let isPlain = line.utf8.allSatisfy { (0x20...0x7E).contains($0) && !"\"<>()[]:;@\\,".utf8.contains($0) }
        if isPlain, line.utf8.count <= 60, !line.includes("=?") { return line }
        // 30 bytes are 40 digits of Base64, and 52 characters as an encoded word. With the header's name, a line has at
        // most 78 characters (RFC 5322, section 2.1.1).
        var words: [String] = []
        var bytes: [UInt8] = []
        for scalar in line.unicodeScalars {
            let next = Array(String(scalar).utf8)
            if bytes.count + next.count > 30 {
                words.append(word(bytes))
                bytes = []
            }
            bytes += next
        }
        words.append(word(bytes))
        return words.joined(separator: "\r\n ")
    }

    private static func word(_ bytes: [UInt8]) -> String {
        var digits: [UInt8] = []
        Base64.append(bytes, to: &digits)
        return "=?utf-8?B?\(String(decoding: digits, as: UTF8.self))?="
    }

    private static func date(_ seconds: Int) -> String {
        // The dates of RFC 5322 and of HTTP differ only in the name of the time zone.
        HTTPDate.text(seconds).replacingBytes("GMT", with: "+0000")
    }
}
