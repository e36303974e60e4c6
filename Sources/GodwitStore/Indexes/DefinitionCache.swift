//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

/// A cache of parsed index definitions, so that commits and queries need not parse them again.
package final class DefinitionCache<Definition: Sendable>: Sendable {
    private let known = Mutex<[[UInt8]: Definition]>([:])
    private let read: @Sendable ([UInt8]) throws -> Definition

    /// The largest number of cached definitions, for all databases together. A full cache is emptied.
    private static var definitionsMax: Int { 1_000 }

    package init(_ read: @escaping @Sendable ([UInt8]) throws -> Definition) { self.read = read }

    /// The definition of a text; parses and caches it if it is absent.
    package func definition(_ text: [UInt8]) throws -> Definition {
        if let found = known.withLock({ $0[text] }) { return found }
        let definition = try read(text)
        known.withLock { known in
            if known.count >= Self.definitionsMax { known.removeAll() }
            known[text] = definition
        }
        return definition
    }
}
