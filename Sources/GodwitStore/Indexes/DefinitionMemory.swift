//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

/// Definitions of indexes that were read from their texts, so that not every commit and every query reads them again.
package final class DefinitionMemory<Definition: Sendable>: Sendable {
    private let known = Mutex<[[UInt8]: Definition]>([:])
    private let read: @Sendable ([UInt8]) throws -> Definition

    /// How many are kept, of all databases together; then it begins anew.
    private static var definitionsMax: Int { 1_000 }

    package init(_ read: @escaping @Sendable ([UInt8]) throws -> Definition) { self.read = read }

    /// The definition of a text.
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
