//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A part of a server that brings its own routes: replication, maps, a back end, an application.
///
/// A server is the list of its modules: those of every server, and those that it is created with. The first pieces of the
/// latter's paths are no names for databases.
public protocol ServerModule: Sendable {
    /// The module's name, for messages.
    var name: String { get }

    /// Its routes. Each begins with a literal.
    var routes: [Route] { get }

    /// Prepares the module before the first request is taken. Does nothing unless the module implements it.
    ///
    /// - Throws: What keeps the server from starting.
    func start(in server: RunningServer) async throws

    /// Works while the server runs, until the task is cancelled. Does nothing unless the module implements it.
    func run() async
}

extension ServerModule {
    /// Does nothing.
    public func start(in server: RunningServer) async throws {}

    /// Does nothing.
    public func run() async {}

    /// The first pieces of its paths.
    var reservedNames: Set<String> {
        Set(
            routes.compactMap { route in
                guard case .literal(let text)? = route.pattern.first else { return nil }
                return text
            })
    }
}
