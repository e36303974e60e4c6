//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
import GodwitGeo
package import GodwitJSON
package import GodwitSelector
package import GodwitStore

extension Selector {
    /// Whether a document meets the selector.
    ///
    /// - Parameter id: The document's id, for the error.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` when the relation of an area to its geometry takes
    ///   too long to be known.
    package func admits(_ tape: JSONTape, id: String) throws(StoreError) -> Bool {
        do {
            return try answer(tape)
        } catch {
            throw StoreError(
                .invalidRequest, "how the area lies to the geometry of \(id) cannot be told: \(error.message)")
        }
    }
}
