//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import GodwitSelector
import GodwitStore
import TestKit
import Testing

@Suite struct AgreementTests {
    @Test("Key paths, #Predicate and formats find what Swift finds")
    func agreement() throws {
        var generator = SeededGenerator(seed: 11)
        for _ in 0..<300 {
            let car = Self.car(&generator)
            let document = try car.stored()
            let number = Int.random(in: 0...3, using: &generator)
            let text = generator.pick(["a", "b", "ab", ""])
            for (predicate, condition, format) in try Self.forms(number, text) {
                let expected = try predicate.evaluate(car)
                let selectors = try [condition.selector, Where(predicate).selector, Where<Car>(format).selector]
                for selector in selectors {
                    #expect(try matches(selector, document) == expected, "\(selector) of \(document)")
                }
            }
        }
    }

    private static func car(_ generator: inout SeededGenerator) -> Car {
        var car = Car(year: Int.random(in: 0...3, using: &generator), make: generator.pick(["a", "ab", "ba", "b", ""]))
        car.fuel = generator.pick(Car.Fuel.allCases)
        car.doors = generator.pick([nil, 1, 2, 3])
        car.tags = generator.pick([[], ["a"], ["a", "b"], ["ab"]])
        car.spare = generator.pick([nil, Car.Engine(power: 1), Car.Engine(power: 3)])
        return car
    }

    /// Returns the same conditions in each of the three forms.
    private static func forms(
        _ number: Int, _ text: String
    ) throws -> [(Predicate<Car>, Where<Car>, PredicateFormat)] {
        let value = JSONValue.integer(Int64(number))
        let word = JSONValue.string(text)
        return [
            (
                #Predicate { $0.year < number && $0.make == text }, \.year < number && \.make == text,
                try PredicateFormat("year < %d AND make = %@", value, word)
            ),
            (
                #Predicate { !($0.year <= number || $0.make.starts(with: text)) },
                !(\.year <= number || .begins(\.make, with: text)),
                try PredicateFormat("NOT (year <= %@ OR make BEGINSWITH %@)", value, word)
            ),
            (
                #Predicate { $0.doors == number }, \.doors == number, try PredicateFormat("doors = %@", value)
            ),
            (
                #Predicate { $0.doors == nil }, \.doors == nil, try PredicateFormat("doors = nil")
            ),
            (
                #Predicate { $0.spare?.power == number }, \.spare?.power == number,
                try PredicateFormat("spare.power = %@", value)
            ),
            (
                #Predicate { $0.tags.contains(text) }, .contains(\.tags, text),
                try PredicateFormat("ANY tags = %@", word)
            ),
            (
                #Predicate { !$0.tags.allSatisfy { $0 == text } }, !.allSatisfy(\.tags, \.self == text),
                try PredicateFormat("NOT ALL tags = %@", word)
            ),
        ]
    }
}
