//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A part of a server with its own routes: replication, maps, a back end, an application.
///
/// A server has the modules of every server and the modules that it is created with. The paths of the modules that a
/// server is created with are reserved: while a route is present, `PUT /{db}` and the restoring of backups refuse a new
/// database whose name is the first path segment of the route.
public protocol ServerModule: Sendable {
    /// The module's name, for messages.
    var name: String { get }

    /// The module's routes. The path of each must begin with a literal.
    var routes: [Route] { get }

    /// The path of the page to which browsers are redirected from `/`; `nil` for none. Default: `nil`. If several
    /// modules have a page, the first module's page is used. Other clients get CouchDB's welcome.
    var homePage: String? { get }

    /// The module's pages in the web console. Default: none.
    var consolePages: [ConsolePage] { get }

    /// The forms of error responses of routes whose protocols are not CouchDB's, keyed by the first segments of the
    /// routes' paths. Default: none.
    var failureForms: [String: FailureForm] { get }

    /// Whether routes of the module change connections to WebSockets (``ServerResponse/beginWebSocket(_:receiving:)``).
    /// Default: `false`.
    var usesWebSockets: Bool { get }

    /// Prepares the module before the server accepts requests. Default: does nothing.
    ///
    /// - Throws: An error that prevents the server's start. Modules that have already started are then not stopped.
    func start(in server: RunningServer) async throws

    /// Works while the server runs, until the task is cancelled. Default: does nothing.
    func run() async

    /// Releases the module's files after the last request has ended. Default: does nothing.
    func stop() async
}

extension ServerModule {
    /// `nil`.
    public var homePage: String? { nil }

    /// None.
    public var consolePages: [ConsolePage] { [] }

    /// None.
    public var failureForms: [String: FailureForm] { [:] }

    /// `false`.
    public var usesWebSockets: Bool { false }

    /// Does nothing.
    public func start(in server: RunningServer) async throws {}

    /// Does nothing.
    public func run() async {}

    /// Does nothing.
    public func stop() async {}

    /// The first segments of the module's paths, with the conditions for the presence of their routes.
    var reservedNames: [String: [@Sendable () -> Bool]] {
        routes.reduce(into: [:]) { names, route in
            guard case .literal(let text)? = route.pattern.first else { return }
            names[text, default: []].append(route.isPresent ?? { true })
        }
    }
}
