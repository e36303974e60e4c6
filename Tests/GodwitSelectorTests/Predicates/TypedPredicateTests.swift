//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitSelector
import GodwitStore
import Testing

@Suite struct TypedPredicateTests {
    @Test("Key paths and operators become a selector that names the type")
    func operators() throws {
        let condition: Where<Car> = \.year > 2005 && \.make == "Toyota"
        #expect(
            condition.description
                == #"{"$and":[{"@datatype":{"$eq":"Car"}},{"year":{"$gt":2005}},{"make":{"$eq":"Toyota"}}]}"#)
        #expect(try matches(condition, Car(year: 2006, make: "Toyota")))
        #expect(try !matches(condition, Car(year: 2005, make: "Toyota")))
        #expect(try !matches(condition.selector, ["year": 2006, "make": "Toyota", "@datatype": "Boat"]))
    }

    @Test("A key path may name its type, and be stored in a variable")
    func roots() throws {
        let year: KeyPath<Car, Int> = \Car.year
        #expect(try conditions(of: \Car.year >= 3) == [["year": ["$gte": 3]]])
        #expect(try conditions(of: year <= 3) == [["year": ["$lte": 3]]])
    }

    @Test("Each condition has the same meaning in Mango and in Swift")
    func forms() throws {
        let table: [(Where<Car>, JSONValue)] = [
            (\.year == 3, ["year": ["$eq": 3]]),
            (\.year != 3, ["year": ["$ne": 3]]),
            (!(\.year < 3), ["year": ["$gte": 3]]),
            (\.doors > 3, ["doors": ["$gt": 3]]),
            (\.doors == 3, ["doors": ["$eq": 3]]),
            (\.fuel == .diesel, ["fuel": ["$eq": "diesel"]]),
            (\.engine.power > 3, ["engine.power": ["$gt": 3]]),
            (\.engine.turbo?.bar == 1.5, ["engine.turbo.bar": ["$eq": 1.5]]),
            (\.spare?.kind == .diesel, ["spare.kind": ["$eq": "diesel"]]),
            (\.spare?.turbo?.bar < 1.5, ["spare.turbo.bar": ["$lt": 1.5]]),
            (.isIn(\.year, [1, 2]), ["year": ["$in": [1, 2]]]),
            (!.isIn(\.year, [1, 2]), ["year": ["$nin": [1, 2]]]),
            (.begins(\.make, with: "To"), ["make": ["$beginsWith": "To"]]),
            (!.begins(\.make, with: "To"), ["make": ["$not": ["$beginsWith": "To"]]]),
            (.contains(\.make, "o.y"), ["make": ["$regex": #"o\.y"#]]),
            (.matches(\.make, regex: "^T.*a$"), ["make": ["$regex": "^T.*a$"]]),
            (.contains(\.tags, "x"), ["tags": ["$elemMatch": ["$eq": "x"]]]),
            (
                .contains(\.engines, where: \.power > 3 && \.turbo?.bar == 1),
                ["engines": ["$elemMatch": ["$and": [["power": ["$gt": 3]], ["turbo.bar": ["$eq": 1.0]]]]]]
            ),
            (.exists(\.owner), ["owner": ["$exists": true]]),
            (\.owner == nil, ["$or": [["owner": ["$exists": false]], ["owner": ["$eq": nil]]]]),
            (.isNil(\.owner), ["$or": [["owner": ["$exists": false]], ["owner": ["$eq": nil]]]]),
            (\.owner != nil, ["owner": ["$ne": nil]]),
            (.count(\.tags, 2), ["tags": ["$size": 2]]),
            (.text("red car"), ["$text": "red car"]),
        ]
        for (condition, expected) in table { #expect(try conditions(of: condition) == [expected]) }
        #expect(try Where<Car>.all.selector == ["@datatype": ["$eq": "Car"]])
    }

    @Test("A missing value matches isNil, but neither a comparison nor its negation")
    func missing() throws {
        let car = Car(year: 1, make: "T")
        #expect(try matches(\.doors == nil, car))
        #expect(try !matches(\.doors != nil, car))
        #expect(try !matches(\.doors != 3, car))
        #expect(try !matches(!(\.doors == 3), car))
        #expect(try matches(!(\.doors == nil), Car(year: 1, make: "T", doors: 3)))
    }

    @Test("Arrays match by their elements")
    func arrays() throws {
        var car = Car(year: 1, make: "T", tags: ["a", "b"])
        car.engines = [Car.Engine(power: 1), Car.Engine(power: 5)]
        #expect(try matches(.contains(\.tags, "b"), car))
        #expect(try !matches(.contains(\.tags, "c"), car))
        #expect(try matches(!.contains(\.tags, "c"), car))
        #expect(try matches(.contains(\.engines, where: \.power > 4), car))
        #expect(try !matches(.contains(\.engines, where: \.power > 5), car))
        #expect(try matches(.allSatisfy(\.engines, \.power > 0), car))
        #expect(try !matches(.allSatisfy(\.engines, \.power > 1), car))
        #expect(try matches(!.allSatisfy(\.engines, \.power > 1), car))
        #expect(try matches(.allSatisfy(\.engines, \.power > 1), Car(year: 1, make: "T")))
        #expect(try matches(.count(\.tags, 2), car))
    }

    @Test("The error for an untranslatable condition says what to do")
    func failures() throws {
        #expect(failure(of: \Car.age > 3)?.code == .unknownField)
        #expect(failure(of: \Car.make.count == 3)?.code == .unknownField)
        #expect(failure(of: \Car.price < Decimal(3))?.code == .invalidValue)
        #expect(failure(of: \Car.engine.turbo?.bar == .nan)?.code == .invalidValue)
        #expect(failure(of: Where<Car>.matches(\.make, regex: "["))?.code == .invalidValue)
        #expect(failure(of: !Where<Car>.text("x"))?.code == .unsupported)
        var deep: Where<Car> = \.year == 0
        for year in 0..<1_000 { deep = year.isMultiple(of: 2) ? deep && \.year == 1 : deep || \.year == 2 }
        #expect(failure(of: deep)?.code == .tooLarge)
    }
}
