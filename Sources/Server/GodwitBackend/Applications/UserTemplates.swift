//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore

/// Templates for users' databases, one per application. A template is created at the first registration, and again when
/// the application's contents change.
final class UserTemplates: Sendable {
    private let known = Mutex<[String: (contents: Application.Contents, template: DatabaseTemplate)]>([:])

    /// Returns the template of an application's users.
    ///
    /// - Returns: The template; `nil` when the application declares no contents for users' databases.
    func template(of application: Application, in manager: DatastoreManager) async throws -> DatabaseTemplate? {
        let contents = application.userDatabaseContents
        let designs = try contents.documents()
        guard !designs.isEmpty else { return nil }
        if let kept = known.withLock({ $0[application.id] }), kept.contents == contents { return kept.template }
        let template = try await manager.template { try await $0.ensureDesigns(designs) }
        known.withLock { $0[application.id] = (contents, template) }
        return template
    }
}
