//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Accessors for the content of a value.
extension JSONValue {
    /// The text if this is a string; `nil` for any other value.
    public var stringValue: String? {
        if case .string(let string) = self { string } else { nil }
    }

    /// The number if this is an ``integer(_:)`` that fits into an `Int`; `nil` for any other value.
    public var intValue: Int? {
        if case .integer(let integer) = self { Int(exactly: integer) } else { nil }
    }

    /// The nearest double if this is a number, which may be an integer; `nil` for any other value. For a big integer
    /// beyond the finite doubles, the result is infinite.
    public var doubleValue: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .bigInteger(let digits): Double(digits)
        case .double(let double): double
        default: nil
        }
    }

    /// The value if this is a boolean; `nil` for any other value.
    public var boolValue: Bool? {
        if case .bool(let bool) = self { bool } else { nil }
    }

    /// The elements if this is an array; `nil` for any other value.
    public var arrayValue: [JSONValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }

    /// The members if this is an object; `nil` for any other value.
    public var objectValue: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// Whether this is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// A member of an object.
    ///
    /// The getter returns `nil` when the object has no such member, or the value is not an object. The setter adds or
    /// replaces a member; setting `nil` removes it. On `null`, the setter creates an object if the new value is not
    /// `nil`. On any other value that is not an object, the setter does nothing.
    public subscript(_ key: String) -> JSONValue? {
        get { objectValue?[key] }
        set {
            var object: JSONObject
            switch self {
            case .object(let members): object = members
            case .null where newValue != nil: object = [:]
            default: return
            }
            self = .null
            object[key] = newValue
            self = .object(object)
        }
    }

    /// An element of an array.
    ///
    /// The getter returns `nil` when the index is out of bounds, or the value is not an array. The setter replaces an
    /// existing element; setting `nil` removes it. If the index is out of bounds or the value is not an array, the
    /// setter does nothing.
    public subscript(_ index: Int) -> JSONValue? {
        get {
            guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
            return elements[index]
        }
        set {
            guard case .array(var elements) = self, elements.indices.contains(index) else { return }
            self = .null
            if let newValue { elements[index] = newValue } else { elements.remove(at: index) }
            self = .array(elements)
        }
    }
}
