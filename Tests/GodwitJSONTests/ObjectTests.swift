//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import TestKit
import Testing

@Suite("Objects")
struct ObjectTests {
    @Test func keepsOrder() {
        var object: JSONObject = ["b": 1, "a": 2, "c": 3]
        object["a"] = 4
        object["d"] = 5
        #expect(object.keys == ["b", "a", "c", "d"])
        #expect(object.values == [1, 4, 3, 5])
        #expect(object.removeValue(forKey: "b") == 1)
        #expect(object.removeValue(forKey: "b") == nil)
        object["c"] = nil
        #expect(object.keys == ["a", "d"])
        #expect(object.map(\.key) == ["a", "d"])
        #expect(object[1].value == 5)
    }

    @Test func equalInAnyOrder() {
        let left: JSONObject = ["a": 1, "b": [2]]
        let right: JSONObject = ["b": [2], "a": 1]
        #expect(left == right)
        #expect(left.hashValue == right.hashValue)
        #expect(left != ["a": 1])
        #expect(left != ["a": 1, "c": [2]])
        #expect(left != ["a": 1, "b": [3]])
        #expect(left != ["b": [3], "a": 1])
        #expect(Set([left, right]).count == 1)
    }

    @Test func duplicatesInLiterals() {
        let object: JSONObject = ["a": 1, "b": 2, "a": 3]
        #expect(object.keys == ["b", "a"])
        #expect(object["a"] == 3)
    }

    @Test("Small and large objects behave alike")
    func indexed() {
        let most = JSONObject.indexedCountMin * 3
        var object = JSONObject()
        var model: [String: Int] = [:]
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<1_500 {
            let number = Int.random(in: 0..<most, using: &generator)
            let key = "key \(number)"
            if Int.random(in: 0..<3, using: &generator) == 0 {
                #expect((object.removeValue(forKey: key) != nil) == (model.removeValue(forKey: key) != nil))
            } else {
                object[key] = .integer(Int64(number))
                model[key] = number
            }
            #expect(object[key]?.intValue == model[key])
            #expect(object.count == model.count)
        }
        for (key, value) in object { #expect(value.intValue == model[key]) }
        #expect(object.count > JSONObject.indexedCountMin)
        #expect(object["absent"] == nil)
    }
}
