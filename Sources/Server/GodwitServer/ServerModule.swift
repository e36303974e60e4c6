//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A part of a server that has its own routes, for example replication, maps, a back end or an application.
///
/// Some modules belong to every server. Further modules are arguments of the initializer of a server. The paths of
/// these further modules are reserved. While a route of such a module is present, no new database can get the name in
/// the first segment of the route's path: `PUT /{db}` and the routes that restore backups refuse this name.
public protocol ServerModule: Sendable {
    /// The module's name, for messages.
    var name: String { get }

    /// The module's routes. The path of each route must begin with a literal segment, and not with a parameter.
    var routes: [Route] { get }

    /// The path of the page to which browsers are redirected from `/`; `nil` if the module has no such page. Default:
    /// `nil`. If several modules have a page, the page of the first module is used. Clients that are not browsers get
    /// CouchDB's welcome.
    var homePage: String? { get }

    /// The module's pages in the web console. Default: none.
    var consolePages: [ConsolePage] { get }

    /// The forms of error responses for routes whose protocol is not CouchDB's. The key of a form is the first segment
    /// of the paths to which it applies. Default: none.
    var failureForms: [String: FailureForm] { get }

    /// Whether routes of the module change connections to WebSockets (``ServerResponse/beginWebSocket(_:receiving:)``).
    /// Default: `false`.
    var usesWebSockets: Bool { get }

    /// The further addresses on which the server listens for the module. Default: none.
    var listeners: [ModuleListener] { get }

    /// Prepares the module before the server accepts requests. Default: does nothing.
    ///
    /// - Throws: An error that prevents the server's start. The modules that have already started are stopped.
    func start(in server: RunningServer) async throws

    /// Does the module's background work until the task is cancelled. Default: does nothing.
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

    /// None.
    public var listeners: [ModuleListener] { [] }

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
