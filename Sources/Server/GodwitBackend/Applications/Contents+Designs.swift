//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitSelector
import GodwitStore
import GodwitText

extension Application.Contents {
    /// Returns the design documents of these contents, ordered by id.
    ///
    /// - Throws: ``AccountError`` with code ``AccountError/Code/invalidApplication`` for an invalid index.
    func documents() throws(AccountError) -> [(id: String, body: JSONObject)] {
        var documents: [ExactText: JSONObject] = [:]
        for (name, body) in designs { documents[ExactText(DocumentID.designPrefix + name)] = body }
        for index in indexes {
            do {
                let request = try IndexRequest(.object(index))
                let design = ExactText(request.design)
                documents[design] = try request.added(to: documents[design])
            } catch {
                throw .invalidApplication("the index \(JSONValue.object(index).jsonText()): \(reason(of: error))")
            }
        }
        return documents.sorted { $0.key < $1.key }.map { (id: $0.key.text, body: $0.value) }
    }

    /// Returns the reason why the definition of an index is invalid.
    private func reason(of error: any Error) -> String {
        switch error {
        case let error as QueryError: error.reason
        case let error as TextError: error.reason
        case let error as SelectorError: error.reason
        case let error as StoreError: error.message
        default: "\(error)"
        }
    }
}

extension Datastore {
    /// Writes each of the given design documents if it is missing, or if the stored document differs from it.
    func ensureDesigns(_ designs: [(id: String, body: JSONObject)]) async throws {
        guard !designs.isEmpty else { return }
        try await write { transaction in
            for (id, body) in designs {
                do {
                    var known = try transaction.document(id)
                    guard known.body != body else { continue }
                    known.body = body
                    _ = try transaction.update(known)
                } catch let error as StoreError {
                    guard error.code == .notFound || error.code == .deleted else { throw error }
                    _ = try transaction.create(Document(id: id, body: body))
                }
            }
        }
    }
}
