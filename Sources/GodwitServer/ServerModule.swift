//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A part of a server that brings its own routes: a console, a back end, an example.
///
/// The server knows no module by name. The first pieces of a module's paths are no names for databases while it is
/// loaded.
public protocol ServerModule: Sendable {
    /// The module's name, for messages.
    var name: String { get }

    /// Its routes. Each begins with a literal.
    var routes: [Route] { get }

    /// Gets ready before the first request is taken; without a word of its own a module is.
    ///
    /// - Throws: What keeps the server from starting.
    func start(in server: RunningServer) async throws

    /// Works beside the server until the task is cancelled; without a word of its own a module does nothing.
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
