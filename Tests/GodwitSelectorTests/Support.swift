//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector

/// The value of a JSON text.
func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

/// Whether a document meets a selector, in both forms that a document can have; `nil` when the two disagree.
func matches(_ selector: String, _ document: String) throws -> Bool? {
    let selector = try Selector(parsing: json(selector))
    let tape = try JSONTape(scanning: Array(document.utf8))
    let inTape = selector.matches(tape)
    return selector.matches(try json(document)) == inTape ? inTape : nil
}

/// The error of a selector.
func failure(of selector: JSONValue) -> SelectorError? {
    do throws(SelectorError) {
        _ = try Selector(parsing: selector)
        return nil
    } catch {
        return error
    }
}
