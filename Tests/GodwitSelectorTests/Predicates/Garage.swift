//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitSelector
import GodwitStore
import Testing

/// The document type of these tests.
struct Car: DocumentObject, Equatable {
    enum Fuel: String, Codable, CaseIterable { case petrol, diesel, electric }

    struct Engine: Codable, Equatable {
        var power: Int
        var turbo: Turbo?
        var kind: Fuel?

        struct Turbo: Codable, Equatable { var bar: Double }
    }

    var year: Int
    var make: String
    var fuel = Fuel.petrol
    var engine = Engine(power: 100)
    var spare: Engine?
    var tags: [String] = []
    var engines: [Engine] = []
    var owner: String?
    var doors: Int?
    var sold: Date?
    var isNew = false
    var price: Decimal?

    var age: Int { 2026 - year }
}

extension DocumentObject {
    /// Returns the value as stored in a document.
    func stored() throws -> JSONValue { .object(try Document(encoding: self, id: "a").body) }
}

/// Returns whether a document matches a selector, evaluated in both forms.
func matches(_ selector: JSONObject, _ document: JSONValue) throws -> Bool {
    let selector = try Selector(parsing: .object(selector))
    let inTape = selector.matches(try JSONTape(scanning: document.jsonBytes()))
    try #require(selector.matches(document) == inTape)
    return inTape
}

/// Returns whether a value's document matches a condition.
func matches<Value: DocumentObject>(_ condition: Where<Value>, _ value: Value) throws -> Bool {
    try matches(condition.selector, value.stored())
}

/// Returns the error of a condition.
func failure<Value: DocumentObject>(of condition: Where<Value>) -> QueryPredicateError? {
    do throws(QueryPredicateError) {
        _ = try condition.selector
        return nil
    } catch {
        return error
    }
}

/// Returns the selector of a condition, without the part for the type.
func conditions<Value: DocumentObject>(of condition: Where<Value>) throws -> [JSONValue] {
    let all = try #require(try condition.selector["$and"]?.arrayValue)
    #expect(all.first == ["@datatype": ["$eq": .string(Value.dataType)]])
    return Array(all.dropFirst())
}
