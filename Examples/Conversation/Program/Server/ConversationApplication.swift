//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBackend
import GodwitJSON

extension Application {
    /// Conversation: a corpus that anyone may read, and a database of questions for each user.
    ///
    /// - Parameter corpus: The name of the database with the corpus.
    /// - Throws: ``GodwitBackend/AccountError`` if the declaration is not valid.
    static func conversation(corpus: String = ConversationModule.corpus) throws(AccountError) -> Application {
        var application = try Application(["id": .string(ConversationModule.application)])
        application.shared = [
            corpus: Shared(rights: ["_reader", "_replicator"], isPublic: true)
        ]
        return application
    }
}
