//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// The parsed answer of a function.
package struct ScriptAnswer: Sendable {
    /// The scanned JSON text of the runtime's response. It contains the answer of the function at ``index``.
    package let tape: JSONTape
    /// The index of the answer's value on the tape.
    package let index: Int

    init(_ text: [UInt8]) throws(ScriptError) {
        do {
            tape = try JSONTape(scanning: text)
        } catch {
            throw .invalidAnswer("invalid JSON (\(error))")
        }
        if let index = tape.member("answer", of: 0) {
            self.index = index
            return
        }
        guard let error = tape.member("error", of: 0), let reason = tape.member("reason", of: 0) else {
            throw .invalidAnswer("neither an answer nor an error")
        }
        throw ScriptError(.thrown, error: tape.text(error), reason: tape.text(reason))
    }
}

extension JSONTape {
    /// Returns the text of a string, or the JSON text of any other value.
    package func text(_ index: Int) -> String {
        kind(index) == .string ? string(index) : String(decoding: slice(index), as: UTF8.self)
    }
}
