//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// The members of a document, as the elements of a point, track or route of a GPX file.
struct GPXContent {
    /// The members that are not written yet.
    private var remaining: JSONObject
    /// The names of members that an import derives, but that the document does not have.
    private let absentNames: [String]
    /// The id; `nil` if the file need not contain it.
    var id: String?
    /// The names of empty elements in Godwit's own namespace.
    var marks: [String] = []

    /// Creates the content.
    ///
    /// - Parameters:
    ///   - properties: The members.
    ///   - derived: The members that an import derives from the position in the file.
    init(_ properties: JSONObject, derived: JSONObject) {
        remaining = properties
        for (name, value) in derived where properties[name] == value { remaining.removeValue(forKey: name) }
        absentNames = derived.keys.filter { properties[$0] == nil }
    }

    /// Adds the marks of a position.
    mutating func mark(_ position: GPXSubject.Position) {
        if position.altitude != nil { marks.append(GPXText.Own.altitude) }
        if position.longitude == 180 { marks.append(GPXText.Own.antimeridian) }
    }

    // MARK: Standard elements

    /// Writes the elements of GPX in the order of its schema.
    mutating func appendStandardElements(altitude: Double?, to output: inout [UInt8]) {
        if let altitude { output.append(raw: "<ele>\(GPXText.decimal(altitude))</ele>") }
        for field in GPXField.beforeLinks where altitude == nil || field.element != "ele" { append(field, to: &output) }
        appendLinks(to: &output)
        for field in GPXField.afterLinks { append(field, to: &output) }
    }

    private mutating func append(_ field: GPXField, to output: inout [UInt8]) {
        guard let value = remaining[field.member], let text = field.text(of: value) else { return }
        output.append(raw: "<\(field.element)>\(GPXText.escaped(text))</\(field.element)>")
        // An import reads 5 meters as 5.0: such a value is also written as it is.
        if field.value(of: text) == value { remaining.removeValue(forKey: field.member) }
    }

    private mutating func appendLinks(to output: inout [UInt8]) {
        guard let links = remaining["links"]?.arrayValue, !links.isEmpty, links.allSatisfy(GPXContent.isLink) else {
            return
        }
        for link in links {
            output.append(raw: "<link href=\"\(GPXText.escaped(link["href"]?.stringValue ?? ""))\">")
            for name in ["text", "type"] {
                guard let text = link[name]?.stringValue else { continue }
                output.append(raw: "<\(name)>\(GPXText.escaped(text))</\(name)>")
            }
            output.append(raw: "</link>")
        }
        remaining.removeValue(forKey: "links")
    }

    private static func isLink(_ link: JSONValue) -> Bool {
        guard let members = link.objectValue, members["href"] != nil else { return false }
        return members.allSatisfy { name, value in
            guard let text = value.stringValue, GPXText.isKept(text) else { return false }
            return name == "href" || ["text", "type"].contains(name) && GPXText.number(text) == nil
        }
    }

    // MARK: Extensions

    /// Writes the remaining members; nothing if there are none.
    ///
    /// - Parameter withMeasurements: Whether measurements are written in the elements of Garmin.
    consuming func appendExtensions(withMeasurements: Bool, to output: inout [UInt8]) {
        var text: [UInt8] = []
        if withMeasurements { appendMeasurements(to: &text) }
        if let id { text.append(raw: GPXContent.own(GPXText.Own.id, GPXText.escaped(id))) }
        for mark in marks { text.append(raw: "<godwit:\(mark)/>") }
        if !absentNames.isEmpty {
            text.append(raw: GPXContent.own(GPXText.Own.absent, absentNames.joined(separator: " ")))
        }
        var jsonMembers: JSONObject = [:]
        // The order of members has no meaning. If they are sorted, equal documents have equal elements.
        for (name, value) in remaining.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            if let element = GPXContent.element(name, value, depth: 0) {
                text.append(raw: element)
            } else {
                jsonMembers[name] = value
            }
        }
        if !jsonMembers.isEmpty {
            text.append(raw: GPXContent.own(GPXText.Own.json, GPXText.escaped(GPXText.json(jsonMembers))))
        }
        guard !text.isEmpty else { return }
        output.append(raw: "<extensions>")
        output += text
        output.append(raw: "</extensions>")
    }

    private mutating func appendMeasurements(to output: inout [UInt8]) {
        var elements = ""
        for field in GPXField.trackPoint { elements += measurement(field, prefix: "gpxtpx") }
        if !elements.isEmpty {
            output.append(raw: "<gpxtpx:TrackPointExtension>\(elements)</gpxtpx:TrackPointExtension>")
        }
        output.append(raw: measurement(GPXField.power, prefix: "pwr"))
    }

    private mutating func measurement(_ field: GPXField, prefix: String) -> String {
        guard let value = remaining[field.member], let text = field.text(of: value), GPXText.number(text) == value
        else {
            return ""
        }
        remaining.removeValue(forKey: field.member)
        return "<\(prefix):\(field.element)>\(text)</\(prefix):\(field.element)>"
    }

    private static func own(_ name: String, _ content: String) -> String {
        "<godwit:\(name)>\(content)</godwit:\(name)>"
    }

    /// Returns a member as an element; `nil` if an import of the element would not create the same member.
    private static func element(_ name: String, _ value: JSONValue, depth: Int) -> String? {
        // The elements are within `extensions`.
        // Exact: the names of Godwit are ASCII.
        guard GPXText.isName(name), !GPXText.Own.all.contains(name), depth + 1 < ExchangeLimits.extensionDepthMax else {
            return nil
        }
        switch value {
        case .integer, .bigInteger, .double:
            let text = value.jsonText()
            return GPXText.number(text) == value ? own(name, text) : nil
        case .string(let text):
            return GPXText.isKept(text) && GPXText.number(text) == nil ? own(name, GPXText.escaped(text)) : nil
        case .object(let members):
            return members.isEmpty ? nil : elements(members, depth: depth + 1).map { own(name, $0) }
        case .array(let values):
            guard values.count > 1, !values.contains(where: { $0.arrayValue != nil }) else { return nil }
            return joined(values.map { element(name, $0, depth: depth) })
        case .null, .bool: return nil
        }
    }

    private static func elements(_ members: JSONObject, depth: Int) -> String? {
        joined(members.map { element($0.key, $0.value, depth: depth) })
    }

    private static func joined(_ elements: [String?]) -> String? {
        let known = elements.compactMap(\.self)
        return known.count == elements.count ? known.joined() : nil
    }
}
