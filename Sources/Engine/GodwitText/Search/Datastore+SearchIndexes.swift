//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitSQLite
import GodwitStore

extension Datastore {
    /// Returns the index that a request names, updated with all changes. An index of a function is not updated if the
    /// request accepts a stale index.
    func searchIndex(_ request: SearchRequest) async throws -> IndexDescription {
        if let (design, name) = request.path, let index = try await fieldIndex(name, of: design) {
            try await updateIndex(index, acceptsStale: request.acceptsStale)
            return index
        }
        try await renewTextIndexes()
        let textIndexes = try indexDescriptions().filter { $0.kind == TextIndex.kindName && TextIndex.isCurrent($0) }
        let named = textIndexes.filter { index in
            if let design = request.design {
                return ExactText.areEqual(index.design, design) && ExactText.areEqual(index.name, request.index)
            }
            return request.index.map { [index.name, index.pathName].contains(where: $0.isIdenticalText) } ?? true
        }
        guard named.count == 1, let index = named.first else {
            if let design = request.design { throw try missing(request.index ?? "", design: design) }
            if named.isEmpty, let name = request.index { throw SearchIndexError.missing(name) }
            throw SearchIndexError.ambiguous(named.map(\.pathName))
        }
        if index.state == .behind, try await !catchUp(index) { throw SearchIndexError.gone(index.name) }
        return index
    }

    /// Rebuilds those text indexes of Mango whose words were created by another version of a tokenizer.
    package func renewTextIndexes() async throws {
        let outdated = try indexDescriptions().filter { $0.kind == TextIndex.kindName && !TextIndex.isCurrent($0) }
        for design in Set(outdated.map(\.design)) { try await makeIndexes(of: design) }
    }

    /// Returns the error which says why a design document has no index of a name. If the definition of the index is
    /// invalid, throws the error of the definition instead. If the design document cannot be read, throws the error of
    /// the read.
    private func missing(_ name: String, design: String) throws -> any Error {
        let members = try document(design).body
        guard let entry = members["indexes"]?.objectValue?[name] else { return SearchIndexError.missing(name) }
        guard let definition = entry.objectValue?["index"] else { return SearchIndexError.undefined(name) }
        if members["language"] == "query" {
            _ = try TextIndexDefinition(parsing: definition)
        } else {
            _ = try TextIndexDefinition(function: entry)
        }
        return SearchIndexError.missing(name)
    }

    // MARK: Indexes of functions

    /// Returns the index of a function. If the design document was stored by a process that did not maintain indexes of
    /// functions, creates the index.
    ///
    /// - Returns: `nil` when the design document has no valid function of this name.
    /// - Throws: ``SearchIndexError`` when the datastore is restricted to one owner, the databases were opened without
    ///   a JavaScript engine, or the index is removed.
    private func fieldIndex(_ name: String, of design: String) async throws -> IndexDescription? {
        guard let row = try read({ try $0.row(id: design) }), !row.winner.isDeleted,
            let definition = FieldIndex.definitions(in: row.body)[ExactText(name)]
        else { return nil }
        guard scope.owner == nil else { throw SearchIndexError.notForOwners(name) }
        guard indexKinds.contains(where: { $0.kind == FieldIndex.kindName }) else {
            throw SearchIndexError.unsupported(index: name, design: design)
        }
        let text = definition.bytes
        func findIndex() throws -> IndexDescription? {
            try indexDescriptions().first { $0.kind == FieldIndex.kindName && $0.definition == text }
        }
        if let index = try findIndex() { return index }
        try await makeIndexes(of: design)
        guard let index = try findIndex() else { throw SearchIndexError.gone(name) }
        return index
    }

    /// Updates an index. If its function fails, throws the function's error.
    private func updateIndex(_ index: IndexDescription, acceptsStale: Bool) async throws {
        guard !acceptsStale, index.state == .behind else { return }
        do {
            _ = try await catchUp(index)
        } catch {
            if let cause = error.cause, !(cause is SQLiteError) { throw cause }
            throw error
        }
    }
}

extension SearchRequest {
    /// The design document and the name of the index; `nil` when one of them is unknown.
    fileprivate var path: (design: String, name: String)? {
        guard let index else { return nil }
        if let design { return (design, index) }
        guard let (design, name) = index.cut(at: "/") else { return nil }
        return (DocumentID.designPrefix + design, name)
    }
}

extension IndexDescription {
    /// The names of the design document and of the index, separated by a slash.
    fileprivate var pathName: String { "\(DocumentID.designName(design))/\(name)" }
}
