//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitBase
package import GodwitJSON
package import GodwitSelector
package import GodwitStore

extension Selector {
    /// Whether a document matches the selector.
    ///
    /// - Parameters:
    ///   - tape: The document.
    ///   - id: The document's id, for the error.
    ///   - meter: Counts the work; `nil` for unlimited work.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/invalidRequest`` when the relation of an area to the
    ///   document's geometry takes too long to evaluate, ``StoreError/Code/tooCostly`` or ``StoreError/Code/cancelled``
    ///   when the meter stops the work.
    package func matches(_ tape: JSONTape, id: String, _ meter: WorkMeter?) throws(StoreError) -> Bool {
        let isMet: Bool
        do {
            isMet = try answer(tape, meter)
        } catch {
            throw StoreError(
                .invalidRequest, "the area cannot be compared with the geometry of \(id): \(error.message)")
        }
        try meter.check(document: id)
        return isMet
    }
}
