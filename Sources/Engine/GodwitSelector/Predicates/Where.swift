//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore

/// A type-checked condition on documents that contain Swift values.
///
/// ```swift
/// struct Car: DocumentObject {
///     var year: Int
///     var make: String
///     var tags: [String]
/// }
///
/// let recent: Where<Car> = \.year > 2005 && \.make == "Toyota" && .contains(\.tags, "hybrid")
/// print(recent)
/// // {"$and":[{"@datatype":{"$eq":"Car"}},{"year":{"$gt":2005}},{"make":{"$eq":"Toyota"}},
/// //  {"tags":{"$elemMatch":{"$eq":"hybrid"}}}]}
/// ```
///
/// The condition is converted to a selector of CouchDB's Mango language, which a server can evaluate too. Therefore, it
/// has the semantics of Mango:
///
/// - A missing field matches only ``isNil(_:)``, `== nil`, ``isIn(_:_:)`` with a `nil`, and the negation of
///   ``exists(_:)``. Other negations do not match: `!(\.power == 3)` is false for a document without `power`.
/// - Values of different types are also ordered: `null` is less than all Booleans, Booleans are less than all numbers,
///   and numbers are less than all strings. Therefore, if another program set the `year` of a document to `false`,
///   `\.year < 2005` finds this document too. Strings follow the Unicode root collation.
/// - Two arrays are equal if they have equal elements in the same order. Two objects are equal if they have equal
///   members and their members are stored in the same order.
/// - A value is compared in its stored form. Points in time that this package stored have their chronological order.
///   Some types are stored as strings that sort differently than the Swift values, for example `Decimal` and enums with
///   string raw values. These types support only `==` and `!=`.
///
/// The name of a field is the coding key of the property; see ``FieldNaming`` for exceptions. Only stored properties
/// have a coding key. A type with custom coding must store each property under the coding key that has the name of the
/// property.
///
/// ``selector`` throws the errors that the compiler cannot detect, such as the use of a computed property.
public struct Where<Value: Decodable>: Sendable {
    /// The condition, without the condition on the type.
    let result: Result<MangoClause, QueryPredicateError>

    init(_ clause: () throws(QueryPredicateError) -> MangoClause) {
        do throws(QueryPredicateError) {
            result = .success(try clause())
        } catch {
            result = .failure(error)
        }
    }

    /// A condition that matches every document of the type.
    public static var all: Where { Where { .always } }

    /// Returns the condition that both conditions are true.
    public static func && (left: Where, right: Where) -> Where {
        Where { () throws(QueryPredicateError) in try .and(left.result.get(), right.result.get()) }
    }

    /// Returns the condition that at least one condition is true.
    public static func || (left: Where, right: Where) -> Where {
        Where { () throws(QueryPredicateError) in try .or(left.result.get(), right.result.get()) }
    }

    /// Returns the negation of a condition: a document matches if it has the fields of the condition and does not match
    /// the condition. The negation of ``exists(_:)`` matches documents without the field.
    public static prefix func ! (condition: Where) -> Where {
        Where { () throws(QueryPredicateError) in try condition.result.get().negated() }
    }
}

extension Where where Value: DocumentObject {
    /// The condition as a Mango selector, including the condition on the type.
    ///
    /// - Throws: ``QueryPredicateError`` when a field's name cannot be determined, a value cannot be stored in a
    ///   document, an expression has no equivalent in Mango, or the selector exceeds a limit.
    public var selector: JSONObject {
        get throws(QueryPredicateError) {
            let type = MangoClause.field([StoredForm.dataTypeMember], ["$eq": .string(Value.dataType)])
            return try MangoClause.and(type, result.get()).selector()
        }
    }
}

extension Where: CustomStringConvertible {
    /// The selector as JSON. If the condition cannot be converted to a selector, the error. If the type is not a
    /// ``DocumentObject``, the selector has no condition on the type.
    public var description: String {
        do {
            if let document = self as? any SelectorHolder { return try document.documentSelector().description }
            return try result.get().selector().description
        } catch {
            return String(describing: error)
        }
    }
}

/// A condition on a type of documents that is a ``DocumentObject``.
private protocol SelectorHolder {
    func documentSelector() throws(QueryPredicateError) -> JSONObject
}

extension Where: SelectorHolder where Value: DocumentObject {
    fileprivate func documentSelector() throws(QueryPredicateError) -> JSONObject { try selector }
}
