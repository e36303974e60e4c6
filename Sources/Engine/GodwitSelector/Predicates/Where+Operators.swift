//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The operators are global functions, because neither of their operands is a `Where`.

/// Returns the condition that a field equals a value. If the value is `nil`, the condition is that the field is missing
/// or `null`.
public func == <Value: Decodable, Member: Encodable & Equatable>(
    field: KeyPath<Value, Member>, value: Member
) -> Where<Value> {
    Where(field, .equal, value)
}

/// Returns the condition that a field exists and does not equal a value. If the value is `nil`, the condition is that
/// the field is neither missing nor `null`.
public func != <Value: Decodable, Member: Encodable & Equatable>(
    field: KeyPath<Value, Member>, value: Member
) -> Where<Value> {
    Where(field, .notEqual, value)
}

/// Returns the condition that a field's value is less than a value.
public func < <Value: Decodable, Member: Encodable & Comparable>(
    field: KeyPath<Value, Member>, value: Member
) -> Where<Value> {
    Where(field, .less, value)
}

/// Returns the condition that a field's value is less than or equal to a value.
public func <= <Value: Decodable, Member: Encodable & Comparable>(
    field: KeyPath<Value, Member>, value: Member
) -> Where<Value> {
    Where(field, .lessOrEqual, value)
}

/// Returns the condition that a field's value is greater than a value.
public func > <Value: Decodable, Member: Encodable & Comparable>(
    field: KeyPath<Value, Member>, value: Member
) -> Where<Value> {
    Where(field, .greater, value)
}

/// Returns the condition that a field's value is greater than or equal to a value.
public func >= <Value: Decodable, Member: Encodable & Comparable>(
    field: KeyPath<Value, Member>, value: Member
) -> Where<Value> {
    Where(field, .greaterOrEqual, value)
}

/// Returns the condition that an optional field exists and its value is less than a value.
public func < <Value: Decodable, Member: Encodable & Comparable>(
    field: KeyPath<Value, Member?>, value: Member
) -> Where<Value> {
    Where(field, .less, value)
}

/// Returns the condition that an optional field exists and its value is less than or equal to a value.
public func <= <Value: Decodable, Member: Encodable & Comparable>(
    field: KeyPath<Value, Member?>, value: Member
) -> Where<Value> {
    Where(field, .lessOrEqual, value)
}

/// Returns the condition that an optional field exists and its value is greater than a value.
public func > <Value: Decodable, Member: Encodable & Comparable>(
    field: KeyPath<Value, Member?>, value: Member
) -> Where<Value> {
    Where(field, .greater, value)
}

/// Returns the condition that an optional field exists and its value is greater than or equal to a value.
public func >= <Value: Decodable, Member: Encodable & Comparable>(
    field: KeyPath<Value, Member?>, value: Member
) -> Where<Value> {
    Where(field, .greaterOrEqual, value)
}

extension Where {
    fileprivate init<Member>(_ field: KeyPath<Value, Member>, _ comparison: Comparison, _ value: some Encodable) {
        self.init { () throws(QueryPredicateError) in
            try StoredValue(value).clause(Field(field).steps, comparison)
        }
    }
}
