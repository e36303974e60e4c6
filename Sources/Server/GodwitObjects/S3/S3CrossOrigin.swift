//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The rules of a bucket for pages of other origins.
struct S3CrossOrigin: Sendable {
    private struct Rule: Sendable {
        var origins: [String]
        var methods: [String]
        var headers: [String]
        var exposed: [String]
        var seconds: Int?
    }

    private static let rulesMax = 100
    private let rules: [Rule]
    private static let lists = [
        "AllowedOrigin", "AllowedMethod", "AllowedHeader", "ExposeHeader",
    ]

    /// Parses the XML element `CORSConfiguration` that a client sent.
    ///
    /// - Throws: ``HTTPFailure`` if it is not valid.
    init(_ document: XMLElement) throws {
        let items = document.all("CORSRule")
        guard document.name == "CORSConfiguration", 1...S3CrossOrigin.rulesMax ~= items.count else {
            throw S3Failure.malformedXML
        }
        rules = try items.map { item in
            let lists = S3CrossOrigin.lists.map { name in item.all(name).map(\.text) }
            guard !lists[0].isEmpty, !lists[1].isEmpty,
                lists[1].allSatisfy({ ["GET", "PUT", "POST", "DELETE", "HEAD"].contains($0) })
            else { throw S3Failure.malformedXML }
            return Rule(
                origins: lists[0], methods: lists[1], headers: lists[2].map(\.lowercasedASCII), exposed: lists[3],
                seconds: item["MaxAgeSeconds"].flatMap { Int($0.text) })
        }
    }

    /// Reads the stored rules of a container; `nil` if it has none, or they cannot be read.
    init?(of container: ObjectContainer) {
        guard let text = container.headers[ObjectContainer.crossOriginHeader],
            let items = (try? JSONValue(parsing: Array(text.utf8)))?.arrayValue
        else { return nil }
        rules = items.map { item in
            let lists = S3CrossOrigin.lists.map { name in item[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }
            var seconds: Int?
            if case .integer? = item["MaxAgeSeconds"] { seconds = item["MaxAgeSeconds"]?.intValue }
            return Rule(origins: lists[0], methods: lists[1], headers: lists[2], exposed: lists[3], seconds: seconds)
        }
    }

    /// The rules as the catalogue stores them.
    var stored: String {
        JSONValue.array(
            rules.map { rule in
                var members: JSONObject = [:]
                for (name, list) in zip(S3CrossOrigin.lists, [rule.origins, rule.methods, rule.headers, rule.exposed]) {
                    members[name] = .array(list.map { .string($0) })
                }
                if let seconds = rule.seconds { members["MaxAgeSeconds"] = .integer(Int64(seconds)) }
                return .object(members)
            }
        ).jsonText()
    }

    /// The rules as the XML element `CORSConfiguration`.
    var document: XMLWriter {
        var writer = XMLWriter()
        writer.open("CORSConfiguration", XMLWriter.space)
        for rule in rules {
            writer.open("CORSRule")
            for (name, list) in zip(S3CrossOrigin.lists, [rule.origins, rule.methods, rule.headers, rule.exposed]) {
                for item in list { writer.element(name, item) }
            }
            if let seconds = rule.seconds { writer.element("MaxAgeSeconds", "\(seconds)") }
            writer.close()
        }
        writer.close()
        return writer
    }

    /// Returns the headers that allow a request. If no rule allows the request, there are no headers.
    ///
    /// - Parameter wanted: The names of the request's headers, in lower case.
    func headers(origin: String, method: String, wanted: [String] = []) -> HTTPFields {
        let rule = rules.first { rule in
            rule.origins.contains { S3CrossOrigin.matches($0, origin) }
                && rule.methods.contains { $0.isIdenticalText(to: method) }
                && wanted.allSatisfy { name in rule.headers.contains { S3CrossOrigin.matches($0, name) } }
        }
        guard let rule else { return [:] }
        var headers: HTTPFields = [.vary: "Origin, Access-Control-Request-Headers, Access-Control-Request-Method"]
        headers.set("Access-Control-Allow-Origin", rule.origins.contains("*") ? "*" : origin)
        headers.set("Access-Control-Allow-Methods", rule.methods.joined(separator: ", "))
        if !wanted.isEmpty { headers.set("Access-Control-Allow-Headers", wanted.joined(separator: ", ")) }
        if !rule.exposed.isEmpty { headers.set("Access-Control-Expose-Headers", rule.exposed.joined(separator: ", ")) }
        if let seconds = rule.seconds { headers.set("Access-Control-Max-Age", "\(seconds)") }
        return headers
    }

    /// Whether a text matches a pattern with at most one `*`.
    private static func matches(_ pattern: String, _ text: String) -> Bool {
        let (pattern, text) = (Array(pattern.utf8), Array(text.utf8))
        guard let star = pattern.firstIndex(of: UInt8(ascii: "*")) else { return pattern == text }
        let (start, end) = (pattern[..<star], pattern[(star + 1)...])
        return text.count >= start.count + end.count && text.starts(with: start) && text.suffix(end.count) == end
    }
}
