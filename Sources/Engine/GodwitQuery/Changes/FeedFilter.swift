//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitBase
import GodwitJSON
package import GodwitSelector
package import GodwitStore

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

    /// Whether the filter reads revisions, so that testing a slice can take long. If so, each leaf passes or does not pass
    /// by its own content; if not, all leaves of a document pass or none.
    var readsRevisions: Bool { detail == .bodies }

    /// Whether all documents pass.
    var includesAll: Bool { if case .everything = self { true } else { false } }

    /// Whether a document can pass the filter by its id. Returns `true` if the filter reads revisions.
    func includes(id: String) -> Bool {
        switch self {
        case .everything, .function, .selector, .closure: true
        case .ids(let ids): ids.contains(ExactText(id))
        case .designs: DocumentID.isDesign(id)
        }
    }

    /// Whether a revision passes the filter. Returns `true` if the filter does not read revisions, or is a function of a
    /// design document, because such a function tests complete slices.
    func includes(_ revision: StoredRevision, _ meter: WorkMeter?) throws -> Bool {
        switch self {
        case .everything, .function, .ids, .designs: return true
        case .selector(let selector):
            meter?.spend(readingBytes: revision.body.count)
            return try selector.matches(try JSONTape(scanning: revision.documentText), id: revision.id, meter)
        case .closure(let isIncluded):
            meter?.spend(readingBytes: revision.body.count)
            return isIncluded(try Document(revision))
        }
    }
}
