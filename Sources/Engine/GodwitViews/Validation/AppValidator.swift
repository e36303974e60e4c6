//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
package import GodwitStore

/// Validates the writes of an app and of its replications against the design documents of the databases.
///
/// The server validates each request separately, with the request's principal. The writes of the server do not use this
/// validator.
package final class AppValidator: WriteValidator {
    private let storedUser: Mutex<UserContext>

    /// Creates a validator of writes by a user.
    package init(user: UserContext) { storedUser = Mutex(user) }

    /// The user context of writes.
    var user: UserContext {
        get { storedUser.withLock { $0 } }
        set { storedUser.withLock { $0 = newValue } }
    }

    package func rules(of datastore: Datastore) throws -> (any WriteRules)? {
        guard let validation = try Validation(of: datastore) else { return nil }
        let context = Validation.Context(
            user: user.json(in: datastore.name), security: JSONValue.object(try datastore.security()).jsonBytes())
        return AppRules(validation: validation, context: context)
    }
}

/// The validations of a database, and the user context of its writer.
private struct AppRules: WriteRules {
    let validation: Validation
    let context: Validation.Context

    /// The maximum number of documents for which a function may fail when documents are validated separately. Each
    /// failure can take as long as the time limit of a function. After this number of failures, the other documents are
    /// refused without running a function.
    private static let failuresMax = 2

    func refusals(of documents: [IncomingDocument], in datastore: Datastore) async throws -> [StoreError?] {
        do {
            return try await validateTogether(documents, in: datastore)
        } catch is ScriptError where documents.count > 1 {
            return try await validateSeparately(documents, in: datastore)
        } catch let error as ScriptError {
            return documents.map { StoreError(error, of: $0) }
        }
    }

    private func validateTogether(_ documents: [IncomingDocument], in datastore: Datastore) async throws
        -> [StoreError?]
    {
        zip(documents, try await validation.refusals(of: documents, in: datastore, context)).map { document, refusal in
            refusal.map { StoreError($0, of: document) }
        }
    }

    /// Validates documents separately, so that only the documents that cause a function to fail are refused.
    private func validateSeparately(_ documents: [IncomingDocument], in datastore: Datastore) async throws
        -> [StoreError?]
    {
        var refusals: [StoreError?] = []
        var failures: [ScriptError] = []
        for document in documents {
            if failures.count >= Self.failuresMax, let failure = failures.last {
                refusals.append(StoreError(failure, of: document))
                continue
            }
            do {
                refusals += try await validateTogether([document], in: datastore)
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
    /// Converts the refusal of a validation, or the failure of its function.
    fileprivate init(_ error: ScriptError, of document: IncomingDocument) {
        let code: Code =
            switch (error.code, error.error) {
            case (.thrown, "forbidden"), (.thrown, "unauthorized"): .accessRefused
            default: .validationFailed
            }
        self.init(code, "\(document.id ?? ""): \(error)", cause: error)
    }
}
