//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The operators stand outside of `Where`, because key paths have members of their own on none of their sides.

/// Whether a field has a value; with `nil`, whether it is missing or `null`.
public func == <Value: Decodable, Member: Encodable & Equatable>(
    field: KeyPath<Value, Member>, value: Member
) -> Where<Value> {
    Where(field, .equal, value)
}

/// Whether a field is there and has another value.
public func != <Value: Decodable, Member: Encodable & Equatable>(
    field: KeyPath<Value, Member>, value: Member
) -> Where<Value> {
    Where(field, .notEqual, value)
}

/// Whether a field's value comes before another.
public func < <Value: Decodable, Member: Encodable & Comparable>(
    field: KeyPath<Value, Member>, value: Member
) -> Where<Value> {
    Where(field, .less, value)
}

/// Whether a field's value comes before another, or is the same.
public func <= <Value: Decodable, Member: Encodable & Comparable>(
    field: KeyPath<Value, Member>, value: Member
) -> Where<Value> {
    Where(field, .lessOrEqual, value)
}

/// Whether a field's value comes after another.
public func > <Value: Decodable, Member: Encodable & Comparable>(
    field: KeyPath<Value, Member>, value: Member
) -> Where<Value> {
    Where(field, .greater, value)
}

/// Whether a field's value comes after another, or is the same.
public func >= <Value: Decodable, Member: Encodable & Comparable>(
    field: KeyPath<Value, Member>, value: Member
) -> Where<Value> {
    Where(field, .greaterOrEqual, value)
}

/// Whether a field is there and its value comes before another.
public func < <Value: Decodable, Member: Encodable & Comparable>(
    field: KeyPath<Value, Member?>, value: Member
) -> Where<Value> {
    Where(field, .less, value)
}

/// Whether a field is there and its value comes before another, or is the same.
public func <= <Value: Decodable, Member: Encodable & Comparable>(
    field: KeyPath<Value, Member?>, value: Member
) -> Where<Value> {
    Where(field, .lessOrEqual, value)
}

/// Whether a field is there and its value comes after another.
public func > <Value: Decodable, Member: Encodable & Comparable>(
    field: KeyPath<Value, Member?>, value: Member
) -> Where<Value> {
    Where(field, .greater, value)
}

/// Whether a field is there and its value comes after another, or is the same.
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
