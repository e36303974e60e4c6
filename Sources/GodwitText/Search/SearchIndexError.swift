//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why an index cannot be searched.
package enum SearchIndexError: Error, Equatable {
    /// There is none of this name.
    case missing(String)
    /// It is made by a function, and the databases were opened without who runs them.
    case unkept(index: String, design: String)
    /// It is of the whole database, and only one owner's documents may be seen.
    case notOfOwners(String)
    /// It has no definition.
    case undefined(String)
    /// No index was named, and there is not exactly one.
    case ambiguous([String])
    /// It went while it was read.
    case gone(String)

    /// What is wrong and what to do.
    package var reason: String {
        switch self {
        case .missing(let name): "\(name) not found."
        case .unkept(let index, let design):
            "The index \(index) of \(design) is made by a function, and the databases were opened without JavaScript: "
                + "open them with DatastoreManager(directory:scripts:)."
        case .notOfOwners(let name):
            "The index \(name) is of the whole database, not of one owner's documents."
        case .undefined(let name): "index `\(name)` must have parameter `index`"
        case .ambiguous(let names):
            names.isEmpty
                ? "there is no text index. Make one with ensureTextIndex."
                : "there are several text indexes. Name one of: \(names.joined(separator: ", "))."
        case .gone(let name): "the index \(name) went while it was read. Ask again."
        }
    }
}
