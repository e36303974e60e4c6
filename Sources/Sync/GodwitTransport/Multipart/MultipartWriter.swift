//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Writes the delimiters and headers around the parts of a multipart body, in CouchDB's framing.
///
/// ```swift
/// var writer = MultipartWriter()
/// send(writer.part([("Content-Type", "application/json")]))
/// send(document)
/// send(writer.part(MultipartWriter.attachmentHeaders(name: "a.txt", contentType: "text/plain", length: 5)))
/// send(Array("hello".utf8))
/// send(writer.end())
/// ```
///
/// The body of a part must not contain the delimiter. The writer does not check this, but with a random boundary, a
/// body practically never contains the delimiter.
package struct MultipartWriter: Sendable {
    /// The boundary between the parts.
    package let boundary: String

    private let delimiter: [UInt8]
    private var hasBegun = false

    /// Creates a writer with a boundary of 32 random hexadecimal digits.
    package init() {
        var generator = SystemRandomNumberGenerator()
        self.init(using: &generator)
    }

    /// Creates a writer with a boundary of 32 hexadecimal digits.
    ///
    /// - Parameter generator: The source of the digits.
    package init(using generator: inout some RandomNumberGenerator) {
        let digits = Array("0123456789abcdef".utf8)
        // The generator is called only twice, and not for each of the 32 digits, because each call may be a system
        // call.
        let numbers: [UInt64] = [generator.next(), generator.next()]
        let boundaryDigits = numbers.flatMap { number in (0..<16).map { digits[Int(number >> ($0 * 4) & 15)] } }
        let boundary = String(decoding: boundaryDigits, as: UTF8.self)
        self.init(delimiter: Array("\r\n--\(boundary)".utf8), boundary: boundary)
    }

    /// Creates a writer with a given boundary.
    ///
    /// - Throws: ``MultipartError`` with code ``MultipartError/Code/invalidBoundary``.
    package init(boundary: String) throws(MultipartError) {
        self.init(delimiter: try MultipartDelimiter(boundary: boundary).bytes, boundary: boundary)
    }

    private init(delimiter: [UInt8], boundary: String) {
        self.delimiter = delimiter
        self.boundary = boundary
    }

    /// Creates a writer with the boundary of another writer. The new writer begins with the first part, even if the
    /// other writer has already written parts.
    init(unbegun other: MultipartWriter) { self.init(delimiter: other.delimiter, boundary: other.boundary) }

    /// Returns the content type of the complete body.
    ///
    /// - Parameter subtype: `related` or `mixed`.
    package func contentType(_ subtype: String) -> String { "multipart/\(subtype); boundary=\(boundary.quoted)" }

    /// Returns the bytes before the body of the next part: a delimiter, the headers and an empty line.
    ///
    /// Control characters in a header are replaced by spaces, so that no value can start another header.
    package mutating func part(_ headers: [(String, String)]) -> [UInt8] {
        var bytes = nextDelimiter()
        for (name, value) in headers {
            bytes += [.carriageReturn, .lineFeed]
            for byte in name.utf8 { bytes.append(byte.isControl ? .space : byte) }
            bytes += [.colon, .space]
            for byte in value.utf8 { bytes.append(byte.isControl ? .space : byte) }
        }
        return bytes + [.carriageReturn, .lineFeed, .carriageReturn, .lineFeed]
    }

    /// Returns the bytes after the last part: the closing delimiter.
    package mutating func end() -> [UInt8] { nextDelimiter() + [.minus, .minus] }

    /// Returns the next delimiter. The first delimiter has no line break before it, because it is at the start of a
    /// line.
    private mutating func nextDelimiter() -> [UInt8] {
        defer { hasBegun = true }
        return hasBegun ? delimiter : Array(delimiter.dropFirst(2))
    }
}
