//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore

/// A condition on documents that hold Swift values, checked by the compiler.
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
/// It becomes a selector of CouchDB's Mango language, which a server understands too, and means what that means:
///
/// - A missing field meets ``isNil(_:)`` and no other condition, no negation either: `!(\.power == 3)` is false of
///   a document without `power`.
/// - Order goes across types, `null` before booleans before numbers before strings, so that `\.year < 2005` also
///   finds documents of the type whose `year` another program made `false`. Strings follow the Unicode root collation.
/// - Whole arrays and objects are the same when their elements and members are, in the order in which they stand.
/// - A value is compared in the form in which it is stored. Points in time have their order as this package writes
///   them; `Decimal`, raw values that are strings and other types whose text has another order know only `==` and `!=`.
///
/// A field's name is the coding key of the property, ``FieldNaming`` says what else it may be. Only stored properties
/// have one. A type that encodes itself by hand is to keep each property under the coding key of its name.
///
/// Mistakes that the compiler cannot see, such as a computed property, show when the ``selector`` is asked for.
public struct Where<Value: Decodable>: Sendable {
    /// The condition, without that on the type.
    let result: Result<MangoClause, QueryPredicateError>

    init(_ clause: () throws(QueryPredicateError) -> MangoClause) {
        do throws(QueryPredicateError) {
            result = .success(try clause())
        } catch {
            result = .failure(error)
        }
    }

    /// True of every document of the type.
    public static var all: Where { Where { .always } }

    /// Whether both are true.
    public static func && (left: Where, right: Where) -> Where {
        Where { () throws(QueryPredicateError) in try .and(left.result.get(), right.result.get()) }
    }

    /// Whether at least one is true.
    public static func || (left: Where, right: Where) -> Where {
        Where { () throws(QueryPredicateError) in try .or(left.result.get(), right.result.get()) }
    }

    /// Whether the condition is false, of documents that have its fields.
    public static prefix func ! (condition: Where) -> Where {
        Where { () throws(QueryPredicateError) in try condition.result.get().negated() }
    }
}

extension Where where Value: DocumentObject {
    /// The condition as a Mango selector, with that on the type.
    ///
    /// - Throws: ``QueryPredicateError`` when a field's name cannot be told, a value cannot stand in a document,
    ///   something has no like in Mango, or a limit is passed.
    public var selector: JSONObject {
        get throws(QueryPredicateError) {
            let type = MangoClause.field([StoredForm.dataTypeMember], ["$eq": .string(Value.dataType)])
            return try MangoClause.and(type, result.get()).selector()
        }
    }
}

extension Where: CustomStringConvertible {
    /// The selector as JSON; what is wrong with it if it has none. Without the condition on the type for a type that
    /// is not a document's.
    public var description: String {
        do {
            if let document = self as? any SelectorHolder { return try document.documentSelector().description }
            return try result.get().selector().description
        } catch {
            return String(describing: error)
        }
    }
}

/// A condition that knows its documents' type.
private protocol SelectorHolder {
    func documentSelector() throws(QueryPredicateError) -> JSONObject
}

extension Where: SelectorHolder where Value: DocumentObject {
    fileprivate func documentSelector() throws(QueryPredicateError) -> JSONObject { try selector }
}
