//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Godwit

/// Conversions between the values of `[String: Any]` and JSON.
enum FoundationValues {
    /// Returns the JSON of a Foundation value. The result is `nil` for a value that JSON cannot represent, such as a
    /// date or a number that is not finite. It is also `nil` for Swift's integers other than `Int`, `Int32`, `Int64`
    /// and `UInt32`.
    static func json(_ value: Any) -> JSONValue? {
        // Swift can cast Foundation's number 1 to `Bool`. Therefore, the type of the value itself is tested first.
        if type(of: value) is NSNumber.Type, let number = value as? NSNumber { return json(number) }
        switch value {
        case is NSNull: return .null
        case let value as Bool: return .bool(value)
        case let value as Int: return .integer(Int64(value))
        case let value as Int64: return .integer(value)
        case let value as Int32: return .integer(Int64(value))
        case let value as UInt32: return .integer(Int64(value))
        case let value as Double: return value.isFinite ? .double(value) : nil
        case let value as Float: return value.isFinite ? .double(Double(value)) : nil
        case let value as String: return .string(value)
        case let value as NSString: return .string(String(describing: value))
        case let value as [Any]: return array(value)
        case let value as [String: Any]: return object(value).map { .object($0) }
        case let value as JSONValue: return value
        default: return nil
        }
    }

    /// In Foundation, a Boolean is a number whose Objective-C type is the type of a character.
    private static func json(_ number: NSNumber) -> JSONValue? {
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"): .bool(number.boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "f"): number.doubleValue.isFinite ? .double(number.doubleValue) : nil
        // An unsigned integer may be greater than the greatest integer of JSON values.
        case UInt8(ascii: "Q"), UInt8(ascii: "L"): Int64(exactly: number.uint64Value).map { .integer($0) }
        default: .integer(number.int64Value)
        }
    }

    private static func array(_ values: [Any]) -> JSONValue? {
        var elements: [JSONValue] = []
        for value in values {
            guard let element = json(value) else { return nil }
            elements.append(element)
        }
        return .array(elements)
    }

    /// Returns the JSON object of a dictionary; `nil` if JSON cannot represent a value.
    static func object(_ dictionary: [String: Any]) -> JSONObject? {
        var members: [(String, JSONValue)] = []
        for (name, value) in dictionary.sorted(by: { $0.key < $1.key }) {
            guard let json = json(value) else { return nil }
            members.append((name, json))
        }
        return JSONObject(members)
    }

    /// Returns the JSON object of a dictionary that was read from a document and possibly changed since. It has also
    /// the members of the document that a dictionary cannot contain, because their names are canonically equivalent to
    /// names before them, such as `é` of one and of two characters, as long as the dictionary has such a name.
    static func object(_ dictionary: [String: Any], readFrom original: JSONObject) -> JSONObject? {
        object(dictionary).map { restored($0, from: original) }
    }

    private static func restored(_ object: JSONObject, from original: JSONObject) -> JSONObject {
        var places: [String: Int] = [:]
        for (place, key) in object.keys.enumerated() { places[key] = place }
        var members = object.map { ($0.key, $0.value) }
        var listed: Set<String> = []
        for (key, value) in original {
            // Text as the key of a dictionary is compared by canonical equivalence.
            guard let place = places[key] else { continue }
            if listed.insert(key).inserted {
                members[place].1 = restored(members[place].1, from: value)
            } else if object[key] == nil {
                members.append((key, value))
            }
        }
        return JSONObject(members)
    }

    private static func restored(_ value: JSONValue, from original: JSONValue) -> JSONValue {
        if let object = value.objectValue, let original = original.objectValue {
            return .object(restored(object, from: original))
        }
        // If elements were added or removed, nothing tells which of them were the same.
        if let array = value.arrayValue, let original = original.arrayValue, array.count == original.count {
            return .array(zip(array, original).map { restored($0, from: $1) })
        }
        return value
    }

    /// Returns the Foundation value of JSON. An integer that does not fit into an `Int` becomes a `Double`.
    static func any(_ value: JSONValue) -> Any {
        if let bool = value.boolValue { return bool }
        if let integer = value.intValue { return integer }
        if let double = value.doubleValue { return double }
        if let string = value.stringValue { return string }
        if let array = value.arrayValue { return array.map(any) }
        if let object = value.objectValue { return dictionary(object) }
        return NSNull()
    }

    /// Returns the dictionary of a JSON object. Of several members with canonically equivalent names, it has the first.
    static func dictionary(_ object: JSONObject) -> [String: Any] {
        Dictionary(object.map { ($0.key, any($0.value)) }, uniquingKeysWith: { first, _ in first })
    }
}
