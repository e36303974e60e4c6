//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A cache of parsed index definitions, so that commits and queries need not parse them again.
package final class DefinitionCache<Definition: Sendable>: Sendable {
    private let definitions = Mutex<[[UInt8]: Definition]>([:])
    private let parse: @Sendable ([UInt8]) throws -> Definition

    /// The largest number of cached definitions, for all databases together. A full cache is emptied.
    private static var definitionsMax: Int { 1_000 }

    /// Creates an empty cache.
    ///
    /// - Parameter parse: Parses the text of a definition. Its errors are rethrown and not cached.
    package init(_ parse: @escaping @Sendable ([UInt8]) throws -> Definition) { self.parse = parse }

    /// The definition of a text. If the cache does not contain the definition, the text is parsed and the definition is
    /// cached.
    package func definition(_ text: [UInt8]) throws -> Definition {
        if let cached = definitions.withLock({ $0[text] }) { return cached }
        let definition = try parse(text)
        definitions.withLock { definitions in
            if definitions.count >= Self.definitionsMax { definitions.removeAll() }
            definitions[text] = definition
        }
        return definition
    }
}
