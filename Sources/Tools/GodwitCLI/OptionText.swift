//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitBase
import GodwitJSON
import GodwitSelector
import GodwitStore

/// Parses the values of options. An invalid value is a usage error with exit code 2.
enum OptionText {
    /// Parses a Mango selector in JSON. `$text` is refused, because the selector is matched against single documents
    /// without an index.
    static func selector(_ text: String) throws -> Selector {
        do {
            let selector = try Selector(parsing: try JSONValue(parsing: text))
            guard !selector.usesText else { throw ValidationError("The selector cannot use $text.") }
            return selector
        } catch let error as SelectorError {
            throw ValidationError(error.reason)
        } catch let error as JSONError {
            throw ValidationError(error.description)
        }
    }

    /// Parses document ids that are separated by commas.
    static func ids(_ text: String) throws -> [String] {
        let ids = text.pieces(at: ",", omittingEmptySubsequences: false).map(String.init)
        for id in ids {
            guard !id.isEmpty else { throw ValidationError("One of the ids is empty.") }
            do {
                try DocumentID.check(id, limits: .default)
            } catch {
                throw ValidationError("`\(id)`: \(error.message)")
            }
        }
        return ids
    }

    /// Parses the name of a filter function, `design/function`.
    static func filter(_ text: String) throws -> String {
        let parts = text.pieces(at: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
            throw ValidationError("It must be the name of a design document, a slash and the name of a function.")
        }
        return text
    }
}
