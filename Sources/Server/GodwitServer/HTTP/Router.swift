//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import HTTPTypes

/// Handles a request and writes its response.
public typealias Handler = @Sendable (RequestContext) async throws -> Void

/// Handles a request, or returns the request to handle instead.
public typealias RewritingHandler = @Sendable (RequestContext) async throws -> Answer

/// The result of handling a request.
public enum Answer: Sendable {
    /// The response is sent.
    case sent
    /// Another request is to be handled instead.
    case rewritten(RewrittenRequest)
}

/// The handler of one method of a path pattern.
public struct Route: Sendable {
    let method: HTTPRequest.Method
    let pattern: [Piece]
    let access: RouteAccess
    let condition: String?
    let work: Work
    let posts: PostedType
    let audit: String?
    let handler: RewritingHandler
    /// Whether the route is present now; `nil` for a route that is always present.
    private(set) var isPresent: (@Sendable () -> Bool)?
    /// The path of the page where a browser logs in for a request; `nil` for a route without such a page.
    private(set) var loginPage: (@Sendable (ServerRequest) -> String?)?

    /// The amount of work that a request can cause.
    public enum Work: Sendable {
        /// Work that is small unless the client sends a large body. An example is to read one document or a part of an
        /// attachment.
        case light
        /// Work whose amount depends on the client's parameters, for example a query, a feed or a list of documents.
        case costly
    }

    /// The content types that a POST may have.
    ///
    /// The content type is checked as protection against foreign web pages. Any web page can let a browser send a POST
    /// to any server, together with the cookies for that server, if the POST contains a form or has no content type.
    /// However, the page can send JSON to this server only if the cross-origin rules of this server permit it.
    public enum PostedType: Sendable {
        /// `application/json`, even without a body.
        case json
        /// `application/json`. A request without a body needs no content type if it does not contain the header
        /// `Origin`. Browsers send this header with every POST.
        case jsonIfAny
        /// Any type that the handler accepts.
        case any
    }

    /// Whether the path begins with the name of a database, so that the response contains what users stored.
    var isOfDatabase: Bool {
        if case .parameter? = pattern.first { return true }
        return false
    }

    enum Piece: Sendable {
        case literal(String)
        case parameter(String)
        /// All remaining segments, joined by slashes.
        case rest(String)
    }

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - method: The method that the route handles.
    ///   - pattern: The path, for example `/{db}/_all_docs`. `{name}` matches one segment. `{name...}`, which must be
    ///     last, matches all remaining segments, at least one. If two patterns begin with the same segments and then
    ///     have a parameter, this parameter must have the same name in both patterns. Otherwise, the name in the first
    ///     pattern also applies to the second one. If two routes have the same method and pattern, the later one is
    ///     used.
    ///   - access: The required rights. Other principals are refused before the handler runs.
    ///   - condition: A text for the list of routes. It describes a further condition that the handler checks, such as
    ///     a setting or the owner of a document. `nil` if the handler refuses no principal.
    ///   - work: The amount of work that a request can cause.
    ///   - posts: The content types that a POST may have. Other types are refused with status 415.
    ///   - audit: The name that the log uses for a change of rights or accounts; `nil` for a route that does not make
    ///     such a change. Each successful request of a route with a name is logged together with its principal.
    ///   - handler: A closure that handles the requests.
    public init(
        _ method: HTTPRequest.Method, _ pattern: String, access: RouteAccess, condition: String? = nil,
        work: Work = .costly, posts: PostedType = .json, audit: String? = nil, handler: @escaping Handler
    ) {
        self.init(
            method, pattern, access, condition, work, posts, audit,
            handler: {
                try await handler($0)
                return .sent
            })
    }

    /// Creates a route whose handler may return another request to handle instead.
    ///
    /// This is a static function and not an initializer, because the compiler cannot choose between two initializers
    /// that differ only in the result of a closure.
    ///
    /// - Parameters:
    ///   - handler: A closure that handles a request itself, or returns another request to handle instead.
    public static func rewriting(
        _ method: HTTPRequest.Method, _ pattern: String, access: RouteAccess, condition: String? = nil,
        work: Work = .costly, posts: PostedType = .json, audit: String? = nil, handler: @escaping RewritingHandler
    ) -> Route {
        Route(method, pattern, access, condition, work, posts, audit, handler: handler)
    }

    private init(
        _ method: HTTPRequest.Method, _ pattern: String, _ access: RouteAccess, _ condition: String?, _ work: Work,
        _ posts: PostedType, _ audit: String?, handler: @escaping RewritingHandler
    ) {
        self.method = method
        self.access = access
        self.condition = condition
        self.work = work
        self.posts = posts
        self.audit = audit
        self.handler = handler
        self.pattern = pattern.pieces(at: "/").map { piece in
            guard piece.begins(with: "{") else { return .literal(String(piece)) }
            let name = piece.dropFirst().dropLast()
            return name.ends(with: "...") ? .rest(String(name.dropLast(3))) : .parameter(String(name))
        }
    }

    /// Returns a copy of the route that is present only while a condition is met. While the route is absent, other
    /// routes can match its path, for example the routes of a database.
    public func present(when isPresent: @escaping @Sendable () -> Bool) -> Route {
        var route = self
        route.isPresent = isPresent
        return route
    }

    /// Returns a copy of the route with a login page. A browser that is not logged in is redirected to this page,
    /// instead of getting status 401.
    ///
    /// - Parameter path: A closure that returns the path of the login page for a request. It returns `nil` if the
    ///   request is not to be redirected.
    func loggingIn(at path: @escaping @Sendable (ServerRequest) -> String?) -> Route {
        var route = self
        route.loginPage = path
        return route
    }
}

extension String {
    /// The condition of routes that read documents.
    static let ofReading = "in `_users` and `_replicator`, the owner of the document"

    /// The condition of routes that write documents.
    static let ofWriting =
        "an administrator of the database for design documents; the rules of `_users`, `_replicator` and `validate_doc_update`"
}

/// Finds the route of a request. The routes are in a tree, whose nodes are the segments of all patterns. Literals take
/// precedence over parameters. Literals and parameters take precedence over a parameter that matches the rest of a
/// path.
struct Router: Sendable {
    private struct Node: Sendable {
        var literals: [String: Int] = [:]
        var parameter: (name: String, node: Int)?
        var rest: (name: String, node: Int)?
        var routes: [HTTPRequest.Method: Route] = [:]
        /// Whether routes of this node may be absent.
        var isConditional = false

        /// The routes that are present now.
        var presentRoutes: [HTTPRequest.Method: Route] {
            isConditional ? routes.filter { $0.value.isPresent?() ?? true } : routes
        }
    }

    /// The result of searching a path.
    enum Match {
        case route(Route, parameters: [PathParameter])
        /// The path has routes, but only for other methods.
        case otherMethods([HTTPRequest.Method], access: RouteAccess, parameters: [PathParameter])
        case none
    }

    private var nodes = [Node()]

    init(_ routes: [Route]) {
        for route in routes { add(route) }
    }

    private mutating func add(_ route: Route) {
        var nodeIndex = 0
        for piece in route.pattern { nodeIndex = child(of: nodeIndex, for: piece) }
        nodes[nodeIndex].routes[route.method] = route
        if route.isPresent != nil { nodes[nodeIndex].isConditional = true }
    }

    private mutating func child(of nodeIndex: Int, for piece: Route.Piece) -> Int {
        switch piece {
        case .literal(let text):
            if let existing = nodes[nodeIndex].literals[text] { return existing }
            nodes[nodeIndex].literals[text] = nodes.count
        case .parameter(let name):
            if let existing = nodes[nodeIndex].parameter { return existing.node }
            nodes[nodeIndex].parameter = (name, nodes.count)
        case .rest(let name):
            if let existing = nodes[nodeIndex].rest { return existing.node }
            nodes[nodeIndex].rest = (name, nodes.count)
        }
        nodes.append(Node())
        return nodes.count - 1
    }

    /// Returns the route of a path. If a path has no HEAD route, its GET route is returned for HEAD.
    func match(_ method: HTTPRequest.Method, _ segments: [String]) -> Match {
        var parameters: [PathParameter] = []
        guard let pathNode = find(segments[...], at: 0, &parameters) else { return .none }
        let routes = nodes[pathNode].presentRoutes
        if let route = routes[method] ?? (method == .head ? routes[.get] : nil) {
            return .route(route, parameters: parameters)
        }
        let methods = Set(routes.keys).union(routes[.get] == nil ? [] : [.head])
        // The access of one route of the path. The server checks this access before its response lists the methods of
        // the path.
        let access = (routes[.get] ?? routes.values.first)?.access ?? .administrator
        return .otherMethods(methods.sorted { $0.rawValue < $1.rawValue }, access: access, parameters: parameters)
    }

    /// Finds the node of a path, and appends the parameters of the path from the last to the first. Returns `nil` if no
    /// pattern matches.
    private func find(_ segments: ArraySlice<String>, at nodeIndex: Int, _ parameters: inout [PathParameter]) -> Int? {
        guard let segment = segments.first else { return nodes[nodeIndex].presentRoutes.isEmpty ? nil : nodeIndex }
        let rest = segments.dropFirst()
        if let literal = nodes[nodeIndex].literals[segment], let pathNode = find(rest, at: literal, &parameters) {
            return pathNode
        }
        if let parameter = nodes[nodeIndex].parameter, let pathNode = find(rest, at: parameter.node, &parameters) {
            parameters.append(PathParameter(name: parameter.name, value: segment))
            return pathNode
        }
        guard let restOfPath = nodes[nodeIndex].rest else { return nil }
        parameters.append(PathParameter(name: restOfPath.name, value: segments.joined(separator: "/")))
        return restOfPath.node
    }
}
