//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// The data of a point, or of a track or route, that ``GPXPoint`` has no properties for.
struct GPXDetails: Equatable, Sendable {
    /// The members for standard elements and for elements of other programs.
    var members: JSONObject = [:]
    /// The members that the elements in Godwit's own namespace contain. They replace other members.
    var ownMembers: JSONObject = [:]
    /// The names of members that the document does not have.
    var absentNames: [String] = []
    /// The id of the document; `nil` if the file does not contain it.
    var id: String?
    /// Whether the track or route is one document.
    var isLine = false
    /// Whether the elevation is the third coordinate.
    var hasAltitude = false
    /// Whether the longitude is 180 degrees instead of -180.
    var isAtAntimeridian = false
}

/// Collects the elements within a point, or within the extensions of a track or route.
///
/// Rules for elements of other programs, in any namespace: a measurement such as `hr` becomes a member with the name in
/// ``GPXField/measurements``. Any other element becomes a member of `extensions`, with its local name. If it has
/// attributes or elements, it is an object; if it occurs several times, an array; else a number or a text.
struct GPXCollector {
    /// An element that is open.
    private struct Element {
        let name: String
        let isOwn: Bool
        var attributes: [(name: String, value: JSONValue)] = []
        var children: [(name: String, value: JSONValue)] = []
        var hasElements = false
    }

    private(set) var details = GPXDetails()
    /// The reason why the elements cannot be kept; `nil` if they can.
    private(set) var failure: RecordError?
    private var openElements: [Element] = []
    private var extensions: [(name: String, value: JSONValue)] = []
    private var ownMembers: [(name: String, value: JSONValue)] = []
    private var links: [JSONValue] = []
    private var byteCount = 0

    /// The assumed memory of an element in addition to its texts, in bytes.
    private static let elementBytes = 64

    /// The number of open elements.
    var depth: Int { openElements.count }

    /// Whether the innermost open element is in Godwit's own namespace.
    var isInOwnElement: Bool { openElements.last?.isOwn ?? false }

    mutating func start(_ name: String, isOwn: Bool, _ attributes: [ExactText: String]) {
        if !openElements.isEmpty { openElements[openElements.count - 1].hasElements = true }
        var element = Element(name: name, isOwn: isOwn)
        count(name.utf8.count)
        if openElements.count >= ExchangeLimits.extensionDepthMax {
            failure = RecordError(
                "the elements of the point are nested deeper than \(ExchangeLimits.extensionDepthMax). Remove its extensions."
            )
        }
        if failure == nil, !isOwn {
            for (key, text) in attributes.sorted(by: { $0.key < $1.key }).map({ ($0.key.text, $0.value) })
            where key != "xmlns" && !key.begins(with: "xmlns:") {
                count(key.utf8.count + text.utf8.count)
                let name = GPXReader.localName(key)
                element.attributes.append((name, name == "href" ? .string(text) : GPXCollector.value(of: text)))
            }
        }
        openElements.append(element)
    }

    private mutating func count(_ bytes: Int) {
        byteCount += bytes + GPXCollector.elementBytes
        guard byteCount > ExchangeLimits.extensionBytesMax else { return }
        failure = RecordError(
            "the elements of the point have more than \(ExchangeLimits.extensionBytesMax >> 20) MB. Remove its extensions."
        )
    }

    /// Ends the innermost open element.
    mutating func end(_ text: String) {
        guard let element = openElements.popLast() else { return }
        count(text.utf8.count)
        guard failure == nil else { return }
        if openElements.isEmpty { return endOutermost(element, text) }
        if !element.isOwn, addMeasurement(element, text) { return }
        guard element.isOwn || !isEmptiedWrapper(element) else { return }
        if openElements.count == 1, openElements[0].name == "extensions" {
            if element.isOwn { addOwn(element, text) } else { extensions.append((element.name, value(element, text))) }
        } else {
            openElements[openElements.count - 1].children.append((element.name, value(element, text)))
        }
    }

    /// Ends a child of the point.
    private mutating func endOutermost(_ element: Element, _ text: String) {
        switch element.name {
        case "extensions": break
        case "link": links.append(value(element, text))
        case "url": links.append(["href": .string(text)])
        case "urlname": if !links.isEmpty { links[links.count - 1]["text"] = .string(text) }
        case let name:
            if let field = GPXField.standard[name] {
                if let value = field.value(of: text) { details.members[field.member] = value }
            } else if !addMeasurement(element, text), !isEmptiedWrapper(element) {
                extensions.append((name, value(element, text)))
            }
        }
    }

    /// Returns everything that was collected.
    mutating func finish() -> GPXDetails {
        if !links.isEmpty { details.members["links"] = .array(links) }
        if !extensions.isEmpty { details.members["extensions"] = GPXCollector.object(extensions) }
        for (name, value) in GPXCollector.object(ownMembers).objectValue ?? [:] { details.ownMembers[name] = value }
        return details
    }

    /// Whether all elements in an element became measurements, so that nothing is left of it.
    private func isEmptiedWrapper(_ element: Element) -> Bool {
        element.hasElements && element.children.isEmpty && element.attributes.isEmpty
    }

    private mutating func addMeasurement(_ element: Element, _ text: String) -> Bool {
        guard !element.hasElements, element.attributes.isEmpty,
            let name = GPXField.measurements[element.name.lowercased()],
            let number = GPXText.number(text) ?? Text.number(text).map({ .double($0) })
        else { return false }
        if let known = details.members[name] { return known == number }
        details.members[name] = number
        return true
    }

    private mutating func addOwn(_ element: Element, _ text: String) {
        switch element.name {
        case GPXText.Own.id: details.id = text
        case GPXText.Own.absent: details.absentNames = text.pieces(at: " ").map(String.init)
        case GPXText.Own.line: details.isLine = true
        case GPXText.Own.altitude: details.hasAltitude = true
        case GPXText.Own.antimeridian: details.isAtAntimeridian = true
        case GPXText.Own.json:
            guard let object = (try? JSONValue(parsing: text))?.objectValue else {
                failure = RecordError("<\(GPXText.Own.json)> is not a JSON object")
                return
            }
            for (name, value) in object { details.ownMembers[name] = value }
        default: ownMembers.append((element.name, value(element, text)))
        }
    }

    private func value(_ element: Element, _ text: String) -> JSONValue {
        guard element.hasElements || !element.attributes.isEmpty else { return GPXCollector.value(of: text) }
        var members = element.attributes + element.children
        if !element.hasElements, !text.isEmpty { members.append(("text", GPXCollector.value(of: text))) }
        return GPXCollector.object(members)
    }

    private static func value(of text: String) -> JSONValue { GPXText.number(text) ?? .string(text) }

    /// Returns an object. Members with the same name become an array.
    private static func object(_ members: [(name: String, value: JSONValue)]) -> JSONValue {
        var names: [ExactText] = []
        var values: [ExactText: [JSONValue]] = [:]
        for (name, value) in members {
            let name = ExactText(name)
            if values[name] == nil { names.append(name) }
            values[name, default: []].append(value)
        }
        return .object(
            JSONObject(
                names.map { name in
                    let all = values[name] ?? []
                    return (name.text, all.count == 1 ? all[0] : .array(all))
                }))
    }
}
