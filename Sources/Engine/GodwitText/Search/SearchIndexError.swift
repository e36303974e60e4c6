//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reasons why an index cannot be searched.
package enum SearchIndexError: Error, Equatable {
    /// No index has this name.
    case missing(String)
    /// The index is built by a function, and the databases were opened without a JavaScript engine.
    case unsupported(index: String, design: String)
    /// The index covers all documents of the database, but the datastore is restricted to one owner's documents.
    case notForOwners(String)
    /// The design document's entry has no definition.
    case undefined(String)
    /// The name matches several indexes; or the request names no index, and the database does not have exactly one text
    /// index.
    case ambiguous([String])
    /// The index was deleted while it was read.
    case gone(String)

    /// A description of the error and its correction.
    package var reason: String {
        switch self {
        case .missing(let name): "\(name) not found."
        case .unsupported(let index, let design):
            "The index \(index) of \(design) needs a JavaScript function, but the databases were opened without "
                + "JavaScript: open them with DatastoreManager(directory:scripts:)."
        case .notForOwners(let name):
            "The index \(name) is of the complete database, not of one owner's documents."
        case .undefined(let name): "index `\(name)` must have parameter `index`"
        case .ambiguous(let names):
            names.isEmpty
                ? "the database has no text index. Create one with ensureTextIndex."
                : "the database has several text indexes. Name one of: \(names.joined(separator: ", "))."
        case .gone(let name): "the index \(name) was removed while it was read. Try again."
        }
    }
}
