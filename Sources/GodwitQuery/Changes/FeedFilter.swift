//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitBytes
import GodwitJSON
package import GodwitSelector
package import GodwitStore
import GodwitThreads

/// The condition of a changes feed on its documents.
package enum FeedFilter: Sendable {
    case everything
    case ids(Set<ExactText>)
    /// The design documents.
    case designs
    case selector(Selector)
    /// A function of this program.
    case closure(@Sendable (Document) -> Bool)
    /// A function of a design document.
    case function(any ChangeFilter)

    /// The part of a row that the filter reads.
    package var detail: RowDetail {
        switch self {
        case .selector, .closure, .function: .bodies
        case .everything, .ids, .designs: .leaves
        }
    }

    /// Whether the filter reads the documents, so that testing a slice can take long.
    var isCostly: Bool { detail == .bodies }

    /// Whether all documents pass.
    var includesAll: Bool { if case .everything = self { true } else { false } }

    /// Whether a document passes the filter. Returns `true` if the filter is a function of a design document, because
    /// such a function tests complete slices later.
    func includes(_ row: DocumentRow, _ meter: WorkMeter?) throws -> Bool {
        switch self {
        case .everything, .function: return true
        case .ids(let ids): return ids.contains(ExactText(row.id))
        case .designs: return DocumentID.isDesign(row.id)
        case .selector(let selector):
            meter?.spend(readingBytes: row.body.count)
            let text = StoredRevision(winnerOf: row).documentText
            return try selector.matches(try JSONTape(scanning: text), id: row.id, meter)
        case .closure(let isIncluded):
            meter?.spend(readingBytes: row.body.count)
            return isIncluded(try Document(StoredRevision(winnerOf: row)))
        }
    }
}
