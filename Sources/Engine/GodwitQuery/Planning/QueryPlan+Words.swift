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
        let usedIndexes = accesses.compactMap(\.index)
        let namedIndex = prepared.query.index
        if let design = namedIndex.first,
            !usedIndexes.contains(where: { $0.isNamed(design, namedIndex.count > 1 ? namedIndex[1] : nil) })
        {
            let problem = namedIndex.count > 1 ? "is not a valid index" : "does not contain a valid index"
            warnings.append("\(namedIndex.designText) was not used because it \(problem) for this query.")
        }
        let buildingIndexes = rejected.filter { $0.reason == .building && prepared.wouldUse($0.description) }.map(
            \.index)
        if usedIndexes.isEmpty, let index = buildingIndexes.first {
            warnings.append(
                "The index _design/\(index.designDocument), \(index.name) is being built. Until it is complete, every "
                    + "document is read.")
        } else if usedIndexes.isEmpty {
            warnings.append("No matching index found, create an index to optimize query time.")
        }
        if sortsInMemory { warnings.append("No index has this order: the documents were sorted in memory.") }
        return warnings
    }
}

extension IndexDescription {
    /// Whether the index has the name that a query specifies.
    func isNamed(_ design: String, _ name: String?) -> Bool {
        DocumentID.designName(self.design).isIdenticalText(to: DocumentID.designName(design))
            && (name?.isIdenticalText(to: self.name) ?? true)
    }
}
