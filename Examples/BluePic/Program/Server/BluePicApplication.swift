//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBackend
import GodwitJSON

extension Application {
    /// Returns the declaration of BluePic. The application has one database with images and profiles, which anyone may
    /// read. Only the server writes to this database, on behalf of the users.
    ///
    /// - Parameter declaration: Members of a declaration that concern logins: `providers`, `url`, `redirects`.
    /// - Throws: ``GodwitBackend/AccountError`` if the declaration is not valid.
    static func bluePic(declaration: JSONObject = [:]) throws(AccountError) -> Application {
        var members = declaration
        members["id"] = .string(BluePicModule.application)
        var application = try Application(.object(members))
        application.shared = [
            BluePicModule.database: Shared(
                rights: ["_reader", "_replicator"], isPublic: true,
                contents: Contents(indexes: ImageIndex.declarations, designs: ["feed": ["views": ImageIndex.views]]))
        ]
        return application
    }
}
