//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The server module that runs functions of design documents: shows, lists, updates and rewrites.
///
/// Other kinds of functions run elsewhere: feeds run filter functions (``ChangesRoutes``), and writes run
/// `validate_doc_update` (``OpenDatabase``).
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
