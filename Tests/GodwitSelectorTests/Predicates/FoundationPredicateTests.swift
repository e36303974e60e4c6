//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitSelector
import GodwitStore
import Testing

@Suite struct FoundationPredicateTests {
    @Test("Comparisons are translated")
    func comparisons() throws {
        let diesel = Car.Fuel.diesel
        let year = 3
        try expect(
            #Predicate<Car> { $0.year > 2005 && $0.make == "T" }, ["year": ["$gt": 2005]], ["make": ["$eq": "T"]])
        try expect(#Predicate<Car> { 3 <= $0.year }, ["year": ["$gte": 3]])
        try expect(#Predicate<Car> { !($0.year == year) }, ["year": ["$ne": 3]])
        try expect(#Predicate<Car> { $0.fuel != diesel }, ["fuel": ["$ne": "diesel"]])
        try expect(
            #Predicate<Car> { $0.year == 1 || $0.isNew }, ["$or": [["year": ["$eq": 1]], ["isNew": ["$eq": true]]]])
        try expect(#Predicate<Car> { $0.engine.power == 3 }, ["engine.power": ["$eq": 3]])
    }

    @Test("Optionals are translated")
    func optionals() throws {
        try expect(#Predicate<Car> { $0.doors == 4 }, ["doors": ["$eq": 4]])
        try expect(#Predicate<Car> { $0.doors != nil }, ["doors": ["$ne": nil]])
        try expect(#Predicate<Car> { $0.doors! > 4 }, ["doors": ["$gt": 4]])
        try expect(#Predicate<Car> { $0.spare?.turbo?.bar == 1.5 }, ["spare.turbo.bar": ["$eq": 1.5]])
        try expect(#Predicate<Car> { $0.owner?.starts(with: "A") ?? false }, ["owner": ["$beginsWith": "A"]])
        try expect(
            #Predicate<Car> { $0.doors == nil }, ["$or": [["doors": ["$exists": false]], ["doors": ["$eq": nil]]]])
    }

    @Test("Lists, ranges and strings are translated")
    func lists() throws {
        let years = [1, 2]
        let range = 1...3
        try expect(#Predicate<Car> { years.contains($0.year) }, ["year": ["$in": [1, 2]]])
        try expect(#Predicate<Car> { range.contains($0.year) }, ["year": ["$gte": 1]], ["year": ["$lte": 3]])
        try expect(#Predicate<Car> { (1..<3).contains($0.year) }, ["year": ["$gte": 1]], ["year": ["$lt": 3]])
        try expect(#Predicate<Car> { $0.make.starts(with: "T") }, ["make": ["$beginsWith": "T"]])
        try expect(#Predicate<Car> { $0.make.contains("o.y") }, ["make": ["$regex": #"o\.y"#]])
        try expect(#Predicate<Car> { $0.tags.contains("x") }, ["tags": ["$elemMatch": ["$eq": "x"]]])
        try expect(
            #Predicate<Car> { $0.engines.contains { $0.power > 3 } }, ["engines": ["$elemMatch": ["power": ["$gt": 3]]]]
        )
        try expect(
            #Predicate<Car> { $0.tags.allSatisfy { $0 == "x" } },
            ["$or": [["tags": ["$allMatch": ["$eq": "x"]]], ["tags": ["$size": 0]]]])
    }

    @Test("The error names the expression that cannot be translated to Mango")
    func refusals() {
        let named: [(Predicate<Car>, String)] = [
            (#Predicate<Car> { $0.year + 1 == 3 }, "Arithmetic"),
            (#Predicate<Car> { ($0.doors ?? 4) == 4 }, "NilCoalesce"),
            (#Predicate<Car> { ($0.isNew ? 1 : 2) == 1 }, "Conditional"),
            (#Predicate<Car> { $0.tags[0] == "x" }, "CollectionIndexSubscript"),
            (#Predicate<Car> { $0.year == $0.engine.power }, "not with each other"),
            (#Predicate<Car> { car in car.engines.contains { $0.power == car.year } }, "outside of their array"),
            (#Predicate<Car> { $0.tags.count == 3 }, "Array"),
            (#Predicate<Car> { $0.age == 3 }, "FieldNaming in Car"),
        ]
        for (predicate, name) in named {
            let error = failure(of: Where(predicate))
            #expect(error?.message.contains(name) == true, "\(String(describing: error))")
        }
    }

    private func expect(
        _ predicate: Predicate<Car>, _ expected: JSONValue..., location: SourceLocation = #_sourceLocation
    ) throws {
        #expect(try conditions(of: Where(predicate)) == expected, sourceLocation: location)
    }
}
