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

@Suite struct DateOrderTests {
    @Test("Points in time keep their order, down to fractions of the same second")
    func order() throws {
        var generator = SeededGenerator(seed: 7)
        let fractions = [0, 0.5, 0.25, 0.55, 0.05, 0.555, 0.1, 0.015625]
        for _ in 0..<500 {
            let stored = Date(
                timeIntervalSinceReferenceDate: Double((-3...3).randomElement(using: &generator)!)
                    + generator.pick(fractions))
            let given = Date(
                timeIntervalSinceReferenceDate: Double((-3...3).randomElement(using: &generator)!)
                    + generator.pick(fractions))
            let car = Car(year: 1, make: "T", sold: stored)
            #expect(try matches(\.sold < given, car) == (stored < given), "\(stored) < \(given)")
            #expect(try matches(\.sold <= given, car) == (stored <= given))
            #expect(try matches(\.sold > given, car) == (stored > given))
            #expect(try matches(\.sold >= given, car) == (stored >= given))
            #expect(try matches(\.sold == given, car) == (stored == given))
        }
    }
}
