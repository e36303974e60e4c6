//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector

/// Returns the value of a JSON text.
func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text) }

/// Returns whether a document matches a selector, evaluated in both forms of a document; `nil` when the results differ.
func matches(_ selector: String, _ document: String) throws -> Bool? {
    let selector = try Selector(parsing: json(selector))
    let tape = try JSONTape(scanning: Array(document.utf8))
    let inTape = selector.matches(tape)
    return selector.matches(try json(document)) == inTape ? inTape : nil
}

/// Returns the error of a selector.
func failure(of selector: JSONValue) -> SelectorError? {
    do throws(SelectorError) {
        _ = try Selector(parsing: selector)
        return nil
    } catch {
        return error
    }
}
