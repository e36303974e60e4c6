//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

/// Why an index cannot be searched.
package enum SearchIndexError: Error, Equatable {
    /// There is none of this name.
    case missing(String)
    /// Its design document is of another language than Mango's, so that functions would have to run.
    case needsFunctions(index: String, design: String)
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
        case .needsFunctions(let index, let design):
            "The index \(index) of \(design) is made by a function, which this Godwit does not run yet. Make a text "
                + "index through _index."
        case .undefined(let name): "index `\(name)` must have parameter `index`"
        case .ambiguous(let names):
            names.isEmpty
                ? "there is no text index. Make one with ensureTextIndex."
                : "there are several text indexes. Name one of: \(names.joined(separator: ", "))."
        case .gone(let name): "the index \(name) went while it was read. Ask again."
        }
    }
}

extension Datastore {
    /// The index that a request names, complete.
    func searchIndex(_ request: SearchRequest) async throws -> IndexDescription {
        let known = try indexDescriptions().filter { $0.kind == TextIndex.kindName }
        let named = known.filter { index in
            if let design = request.design { return index.design == design && index.name == request.index }
            return request.index.map { $0 == index.name || $0 == index.pathName } ?? true
        }
        guard named.count == 1, let index = named.first else {
            if let design = request.design { throw try missing(request.index ?? "", design: design) }
            if named.isEmpty, let name = request.index { throw SearchIndexError.missing(name) }
            throw SearchIndexError.ambiguous(named.map(\.pathName))
        }
        if index.state == .behind, try await !catchUp(index) { throw SearchIndexError.gone(index.name) }
        return index
    }

    /// Why a design document has no index of a name.
    private func missing(_ name: String, design: String) throws -> any Error {
        let members = try document(design).body
        guard let entry = members["indexes"]?.objectValue?[name] else { return SearchIndexError.missing(name) }
        guard members["language"] == "query" else {
            return SearchIndexError.needsFunctions(index: name, design: design)
        }
        guard let definition = entry.objectValue?["index"] else { return SearchIndexError.undefined(name) }
        _ = try TextIndexDefinition(parsing: definition)
        return SearchIndexError.missing(name)
    }
}

extension IndexDescription {
    /// The names of the design document and of the index.
    fileprivate var pathName: String { "\(QueryIndex.plainName(design))/\(name)" }
}
