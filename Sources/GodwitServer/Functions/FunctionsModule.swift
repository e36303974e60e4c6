//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The server module that runs functions of design documents: shows, lists, updates and rewrites.
///
/// Filter functions run in feeds (``ChangesRoutes``), and `validate_doc_update` in writes (``OpenDatabase``).
struct FunctionsModule: ServerModule {
    let name = "Functions"
    let routes: [Route]

    init(server: ServerContext) {
        routes =
            ShowRoutes(server: server).routes + ListRoutes(server: server, budget: ListOutputBudget()).routes
            + UpdateRoutes(server: server).routes + RewriteRoutes(server: server).routes
            + TrialRoutes(server: server).routes
    }
}
