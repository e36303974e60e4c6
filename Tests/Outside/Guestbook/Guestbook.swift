//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Godwit
import GodwitHost
import GodwitServer

/// A server with a custom page: a guest book that everyone may sign.
@main
struct Guestbook: AsyncParsableCommand {
    @OptionGroup var options: ServeOptions

    func run() async throws {
        try await options.serve { _ in [GuestbookModule()] }
    }
}

struct GuestbookModule: ServerModule {
    let name = "Guest book"
    private let book = Book()

    var routes: [Route] {
        [
            Route(.post, "/guestbook/{name}", access: .anyone, work: .light, posts: .any) { context in
                let guest = context.request.parameter("name")
                guard !guest.isEmpty, guest.utf8.count <= 100 else {
                    throw HTTPFailure(.badRequest, "bad_request", "A name must have 1 to 100 bytes.")
                }
                let id = try await book.sign(guest)
                try await context.response.sendJSON(.created, body: Array("{\"signed\":\"\(id)\"}".utf8))
            }
        ]
    }

    func start(in server: RunningServer) async throws {
        await book.open(try await server.manager.datastore(named: "signatures"))
    }
}

actor Book {
    private var datastore: Datastore?

    func open(_ datastore: Datastore) { self.datastore = datastore }

    /// Writes a guest's name.
    func sign(_ guest: String) async throws -> String {
        let signature = try await datastore?.create(Document(body: ["guest": .string(guest)]))
        return signature?.id ?? ""
    }
}
