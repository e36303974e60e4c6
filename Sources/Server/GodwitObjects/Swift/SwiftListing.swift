//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The parameters of a list.
struct SwiftListQuery: Sendable {
    enum Format: Sendable {
        case plain, json, xml
    }

    var prefix: String
    var delimiter: String
    var marker: String
    var endMarker: String
    var limit: Int
    var isReversed: Bool
    var format: Format

    init(_ request: ServerRequest) throws(HTTPFailure) {
        prefix = request.query("prefix") ?? ""
        delimiter = request.query("delimiter") ?? ""
        marker = request.query("marker") ?? ""
        endMarker = request.query("end_marker") ?? ""
        isReversed = ["1", "true", "yes", "on", "t", "y"].contains((request.query("reverse") ?? "").lowercased())
        if let path = request.query("path") {
            (prefix, delimiter) = (path.isEmpty || path.ends(with: "/") ? path : "\(path)/", "/")
        }
        let limitText = request.query("limit")
        guard let limit = limitText.map({ Int($0) }) ?? ObjectLimits.pageCountMax, limit >= 0 else {
            throw HTTPFailure(.preconditionFailed, "Precondition Failed", "limit must be a number.")
        }
        guard limit <= ObjectLimits.pageCountMax else {
            throw HTTPFailure(
                .preconditionFailed, "Precondition Failed", "Maximum limit is \(ObjectLimits.pageCountMax)")
        }
        self.limit = limit
        format =
            switch request.query("format") ?? SwiftListQuery.format(accepted: request.header(.accept) ?? "") {
            case "json": .json
            case "xml": .xml
            default: .plain
            }
    }

    private static func format(accepted: String) -> String {
        if accepted.includes("application/json") { return "json" }
        return accepted.includes("application/xml") || accepted.includes("text/xml") && !accepted.includes("text/html")
            ? "xml" : "plain"
    }
}

/// A row of a list.
enum SwiftListRow: Sendable {
    case container(name: String, count: Int, bytes: Int, modified: Int)
    case object(name: String, bytes: Int, tag: String, type: String, modified: Int)
    case subdirectory(String)

    var name: String {
        switch self {
        case .container(let name, _, _, _), .object(let name, _, _, _, _), .subdirectory(let name): name
        }
    }
}

/// A list of containers or objects in one of Swift's three forms.
struct SwiftListing: Sendable {
    let rows: [SwiftListRow]
    /// The name of the root element in XML.
    let element: String
    /// The name of the account or container.
    let name: String

    func send(_ format: SwiftListQuery.Format, _ request: SwiftRequest, headers: HTTPFields) async throws {
        switch format {
        case .plain where rows.isEmpty: try await request.response.sendEmpty(.noContent, headers: headers)
        case .plain: try await send("text/plain", Array(rows.map { $0.name + "\n" }.joined().utf8), request, headers)
        case .json:
            try await send(
                "application/json", JSONValue.array(rows.map(SwiftListing.json)).jsonBytes(), request, headers)
        case .xml: try await send("application/xml", xml, request, headers)
        }
    }

    private func send(_ type: String, _ body: [UInt8], _ request: SwiftRequest, _ headers: HTTPFields) async throws {
        try await request.response.send(contentType: "\(type); charset=utf-8", headers: headers, body: body)
    }

    private static func json(_ row: SwiftListRow) -> JSONValue {
        switch row {
        case .container(let name, let count, let bytes, let modified):
            [
                "name": .string(name), "count": .integer(Int64(count)), "bytes": .integer(Int64(bytes)),
                "last_modified": .string(ObjectTime.listed(milliseconds: modified)),
            ]
        case .object(let name, let bytes, let tag, let type, let modified):
            [
                "name": .string(name), "bytes": .integer(Int64(bytes)), "hash": .string(tag),
                "content_type": .string(type),
                "last_modified": .string(ObjectTime.listed(milliseconds: modified)),
            ]
        case .subdirectory(let name): ["subdir": .string(name)]
        }
    }

    private var xml: [UInt8] {
        var xml = XMLWriter()
        xml.open(element, [("name", name)])
        for row in rows { SwiftListing.write(row, to: &xml) }
        xml.close()
        return xml.bytes
    }

    private static func write(_ row: SwiftListRow, to xml: inout XMLWriter) {
        switch row {
        case .container(let name, let count, let bytes, let modified):
            xml.open("container")
            xml.element("name", name)
            xml.element("count", "\(count)")
            xml.element("bytes", "\(bytes)")
            xml.element("last_modified", ObjectTime.listed(milliseconds: modified))
        case .object(let name, let bytes, let tag, let type, let modified):
            xml.open("object")
            xml.element("name", name)
            xml.element("hash", tag)
            xml.element("bytes", "\(bytes)")
            xml.element("content_type", type)
            xml.element("last_modified", ObjectTime.listed(milliseconds: modified))
        case .subdirectory(let name):
            xml.open("subdir", [("name", name)])
            xml.element("name", name)
        }
        xml.close()
    }

    /// Returns a page with links, for browsers.
    func page(title: String) -> [UInt8] {
        let links = rows.map { row in
            let last =
                row.name.pieces(at: "/").last ?? ""
            let text = row.name.ends(with: "/") ? "\(last)/" : String(last)
            let target = text.pieces(at: "/", omittingEmptySubsequences: false).map { String($0).percentEncoded }
                .joined(separator: "/")
            return "<li><a href=\"./\(target.markupEscaped)\">\(text.markupEscaped)</a></li>"
        }
        let heading = title.markupEscaped
        return Array(
            """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>Listing of \(heading)</title></head>
            <body><h1>Listing of \(heading)</h1><ul>\(links.joined(separator: "\n"))</ul></body></html>

            """.utf8)
    }
}
