//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitScript
package import GodwitStore
import GodwitThreads

/// Holds an app's writes, and what its replications write, against the validations of its databases.
///
/// The server does it for each request by itself, as whoever asks, and its writes do not come here.
package final class AppValidator: WriteValidator {
    private let held: Mutex<UserContext>

    package init(user: UserContext) { held = Mutex(user) }

    /// Who writes.
    var user: UserContext {
        get { held.withLock { $0 } }
        set { held.withLock { $0 = newValue } }
    }

    package func rules(of datastore: Datastore) throws -> (any WriteRules)? {
        guard let validation = try Validation(of: datastore) else { return nil }
        let context = Validation.Context(
            user: user.json(in: datastore.name), security: JSONValue.object(try datastore.security()).jsonBytes())
        return AppRules(validation: validation, context: context)
    }
}

/// The validations of a database and who writes to it.
private struct AppRules: WriteRules {
    let validation: Validation
    let context: Validation.Context

    /// Documents of one call that may keep a function from answering, each of them for as long as a function may run; the
    /// rest is not asked about then.
    private static let failuresAloneMax = 2

    func refusals(of documents: [IncomingDocument], in datastore: Datastore) async throws -> [StoreError?] {
        do {
            return try await asked(documents, in: datastore)
        } catch is ScriptError where documents.count > 1 {
            return try await askedAlone(documents, in: datastore)
        } catch let error as ScriptError {
            return documents.map { StoreError(error, of: $0) }
        }
    }

    private func asked(_ documents: [IncomingDocument], in datastore: Datastore) async throws -> [StoreError?] {
        zip(documents, try await validation.refusals(of: documents, in: datastore, context)).map { document, refusal in
            refusal.map { StoreError($0, of: document) }
        }
    }

    /// Finds the documents that keep a function from answering, so that the others are written.
    private func askedAlone(_ documents: [IncomingDocument], in datastore: Datastore) async throws -> [StoreError?] {
        var refusals: [StoreError?] = []
        var failures: [ScriptError] = []
        for document in documents {
            if failures.count >= Self.failuresAloneMax, let failure = failures.last {
                refusals.append(StoreError(failure, of: document))
                continue
            }
            do {
                refusals += try await asked([document], in: datastore)
            } catch let error as ScriptError {
                failures.append(error)
                refusals.append(StoreError(error, of: document))
            }
        }
        return refusals
    }

    func refusal(of document: IncomingDocument, in table: DocumentTable) throws -> StoreError? {
        do {
            return try validation.refusal(of: document, in: table, context).map { StoreError($0, of: document) }
        } catch let error as ScriptError {
            return StoreError(error, of: document)
        }
    }
}

extension StoreError {
    /// What a validation says against a document, or why it said nothing.
    fileprivate init(_ error: ScriptError, of document: IncomingDocument) {
        let code: Code =
            switch (error.code, error.error) {
            case (.thrown, "forbidden"), (.thrown, "unauthorized"): .accessRefused
            default: .validationFailed
            }
        self.init(code, "\(document.id ?? ""): \(error)", cause: error)
    }
}
