//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
import GodwitStore

extension QueryPlan {
    /// The warnings about the choice of an index, with CouchDB's texts.
    package var warnings: [String] {
        var warnings: [String] = []
        let used = accesses.compactMap(\.index)
        let asked = prepared.query.index
        if let design = asked.first, !used.contains(where: { $0.isNamed(design, asked.count > 1 ? asked[1] : nil) }) {
            let lack = asked.count > 1 ? "is not a valid index" : "does not contain a valid index"
            warnings.append("\(asked.designText) was not used because it \(lack) for this query.")
        }
        let waiting = rejected.filter { $0.reason == .building && prepared.wouldUse($0.description) }.map(\.index)
        if used.isEmpty, let index = waiting.first {
            warnings.append(
                "The index _design/\(index.designDocument), \(index.name) is being built. Until it is complete, every "
                    + "document is read.")
        } else if used.isEmpty {
            warnings.append("No matching index found, create an index to optimize query time.")
        }
        if sortsInMemory { warnings.append("No index has this order: the documents were sorted in memory.") }
        return warnings
    }
}

extension IndexDescription {
    /// Whether the index has the name that a query specifies.
    func isNamed(_ design: String, _ name: String?) -> Bool {
        DocumentID.designName(self.design) == DocumentID.designName(design) && (name == nil || name == self.name)
    }
}
