//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The headers of objects.
enum ObjectHeaders {
    /// The media type of an object that was stored without a media type.
    static let contentTypeDefault = "application/octet-stream"

    /// Returns the headers for the properties of an object.
    ///
    /// - Parameter prefix: The beginning of the names of metadata headers.
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/invalidRequest`` if a header would not be valid.
    static func headers(
        _ properties: ObjectProperties, prefix: String
    ) throws(ObjectError) -> [(name: String, value: String)] {
        var headers = [(name: "Content-Type", value: properties.contentType ?? contentTypeDefault)]
        for (name, value) in properties.metadata.sorted(by: { $0.key < $1.key }) {
            guard isName(name) else {
                throw ObjectError(
                    .invalidRequest, "The names of metadata must be lower-case letters, digits and hyphens.")
            }
            headers.append((prefix + name, value))
        }
        for (name, value) in properties.headers.sorted(by: { $0.key < $1.key })
        where ObjectProperties.headerNames.contains(name) {
            headers.append((name, value))
        }
        guard headers.allSatisfy({ isValue($0.value) }) else {
            throw ObjectError(
                .invalidRequest, "The content type and the values of headers and metadata must be printable ASCII.")
        }
        return headers
    }

    /// Returns the information about an object from the headers of a response.
    ///
    /// - Parameters:
    ///   - headers: The headers.
    ///   - name: The name of the object.
    ///   - prefix: The beginning of the names of metadata headers, in lower case.
    ///   - byteCount: The length of the object; `nil` to use the header `Content-Length`.
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/badResponse`` if the length is unknown.
    static func info(
        _ headers: [(name: String, value: String)], of name: String, prefix: String, byteCount: Int? = nil
    ) throws(ObjectError) -> ObjectInfo {
        var values: [String: String] = [:]
        var properties = ObjectProperties()
        for header in headers {
            let headerName = header.name.lowercased()
            values[headerName] = header.value
            if headerName.begins(with: prefix) {
                properties.metadata[String(Substring(headerName.utf8.dropFirst(prefix.utf8.count)))] = header.value
            }
        }
        guard let length = byteCount ?? values["content-length"].flatMap({ Int($0) }), length >= 0 else {
            throw ObjectError(.badResponse, "The service did not send the length of \(name).")
        }
        properties.contentType = values["content-type"]
        properties.headers = values.filter { ObjectProperties.headerNames.contains($0.key) }
        properties.expires = values["x-delete-at"].flatMap { Int($0) }
        return ObjectInfo(
            name: name, byteCount: length, entityTag: entityTag(values["etag"]),
            modified: modified(values), properties: properties)
    }

    /// Returns the information about an object that was just stored.
    ///
    /// - Parameters:
    ///   - answer: The response with the entity tag and the time.
    ///   - properties: The properties that were sent.
    static func info(
        _ answer: ServiceAnswer, of name: String, byteCount: Int, _ properties: ObjectProperties
    ) -> ObjectInfo {
        var storedProperties = properties
        storedProperties.contentType = properties.contentType ?? contentTypeDefault
        let values = Dictionary(answer.headers.map { ($0.name.lowercased(), $0.value) }) { first, _ in first }
        return ObjectInfo(
            name: name, byteCount: byteCount, entityTag: entityTag(values["etag"]), modified: modified(values),
            properties: storedProperties)
    }

    /// Returns an entity tag without its quotation marks; an empty text if there is none.
    static func entityTag(_ value: String?) -> String { (value ?? "").filter { $0 != "\"" } }

    /// Returns the header that contains the MD5 of a body, in Base64.
    static func contentMD5(_ bytes: [UInt8]) -> (name: String, value: String) {
        var digits: [UInt8] = []
        Base64.append(MessageDigest.Algorithm.md5.digest(of: bytes), to: &digits)
        return ("Content-MD5", String(decoding: digits, as: UTF8.self))
    }

    /// Returns the time of the last change. If a response to an upload does not contain this time, the date of the
    /// response is used.
    private static func modified(_ values: [String: String]) -> Double {
        [values["last-modified"], values["date"]].lazy.compactMap { $0.flatMap(ServiceTime.seconds(http:)) }.first
            ?? Double(ServiceTime.now)
    }

    private static func isName(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.allSatisfy { byte in
                UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                    || byte == UInt8(ascii: "-")
            }
    }

    private static func isValue(_ value: String) -> Bool { value.utf8.allSatisfy { 0x20...0x7e ~= $0 } }
}
