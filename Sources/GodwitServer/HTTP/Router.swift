//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import HTTPTypes

/// What answers a request.
public typealias Handler = @Sendable (RequestContext) async throws -> Void

/// What answers a request, or returns the request that is to be handled in its place.
public typealias RewritingHandler = @Sendable (RequestContext) async throws -> Answer

/// What became of a request.
public enum Answer: Sendable {
    /// Its response is sent.
    case sent
    /// Another request is to be handled in its place.
    case rewritten(RewrittenRequest)
}

/// One method of one path.
public struct Route: Sendable {
    let method: HTTPRequest.Method
    let pattern: [Piece]
    let access: RouteAccess
    let condition: String?
    let work: Work
    let posts: PostedType
    let audit: String?
    let handler: RewritingHandler

    /// How much work a request can be.
    public enum Work: Sendable {
        /// Work that a client cannot make large, except by sending a large body: a look at one document, a piece of an
        /// attachment.
        case light
        /// Work that grows with what a client chose: a query, a feed, a list of documents.
        case costly
    }

    /// The types of a body that a POST may have.
    ///
    /// Any page that a browser shows can make it send a POST with a form, or without a type, to any server, with that
    /// server's cookies. A POST of JSON needs the consent of this server's cross-origin rules.
    public enum PostedType: Sendable {
        /// `application/json` alone, where there is no body too.
        case json
        /// `application/json`; a program that sends no body need not say it. Browsers must, which tell the page's origin.
        case jsonIfAny
        /// Whatever the handler takes.
        case any
    }

    enum Piece: Sendable {
        case literal(String)
        case parameter(String)
        /// All that is left of the path, slashes included.
        case rest(String)
    }

    /// Creates a route.
    ///
    /// - Parameters:
    ///   - method: The method that it answers.
    ///   - pattern: The path, for example `/{db}/_all_docs`; `{name}` stands for one piece, `{name...}` for all that
    ///     is left.
    ///   - access: Who may use it: everybody else is refused before the handler is asked.
    ///   - condition: The further condition that the handler checks, in words for the list of routes, such as a setting or the
    ///     owner of a document. `nil` when the handler refuses no caller.
    ///   - work: How much work a request can be.
    ///   - posts: The types of body that it takes when its method is POST; another one is answered with status 415.
    ///   - audit: For a route that changes rights or accounts: what the log calls that. Each request that succeeds is a line
    ///     with who made it.
    ///   - handler: What answers.
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

    /// Returns a route whose requests may be handled by another route.
    ///
    /// A static function, since the compiler cannot choose between two initializers by the result of a closure.
    ///
    /// - Parameters:
    ///   - handler: What answers, or returns the other request.
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
        self.pattern = pattern.split(separator: "/").map { piece in
            guard piece.hasPrefix("{") else { return .literal(String(piece)) }
            let name = piece.dropFirst().dropLast()
            return name.hasSuffix("...") ? .rest(String(name.dropLast(3))) : .parameter(String(name))
        }
    }
}

extension String {
    /// The condition of routes that read documents.
    static let ofReading = "in `_users` and `_replicator`, the owner of the document"

    /// The condition of routes that write documents.
    static let ofWriting =
        "an administrator of the database for design documents; the rules of `_users`, `_replicator` and `validate_doc_update`"
}

/// Finds the route of a request: a tree of the pieces of all patterns, literals before parameters.
struct Router: Sendable {
    private struct Node: Sendable {
        var literals: [String: Int] = [:]
        var parameter: (name: String, node: Int)?
        var rest: (name: String, node: Int)?
        var routes: [HTTPRequest.Method: Route] = [:]
    }

    /// What was found for a path.
    enum Match {
        case route(Route, parameters: [PathParameter])
        /// The path is there, but not for this method.
        case otherMethods([HTTPRequest.Method], access: RouteAccess, parameters: [PathParameter])
        case none
    }

    private var nodes = [Node()]

    init(_ routes: [Route]) {
        for route in routes { add(route) }
    }

    private mutating func add(_ route: Route) {
        var here = 0
        for piece in route.pattern { here = child(of: here, for: piece) }
        nodes[here].routes[route.method] = route
    }

    private mutating func child(of here: Int, for piece: Route.Piece) -> Int {
        switch piece {
        case .literal(let text):
            if let known = nodes[here].literals[text] { return known }
            nodes[here].literals[text] = nodes.count
        case .parameter(let name):
            if let known = nodes[here].parameter { return known.node }
            nodes[here].parameter = (name, nodes.count)
        case .rest(let name):
            if let known = nodes[here].rest { return known.node }
            nodes[here].rest = (name, nodes.count)
        }
        nodes.append(Node())
        return nodes.count - 1
    }

    /// The route for a path; HEAD is answered by GET's where it has none of its own.
    func match(_ method: HTTPRequest.Method, _ segments: [String]) -> Match {
        var parameters: [PathParameter] = []
        guard let found = find(segments[...], at: 0, &parameters) else { return .none }
        let routes = nodes[found].routes
        if let route = routes[method] ?? (method == .head ? routes[.get] : nil) {
            return .route(route, parameters: parameters)
        }
        let methods = Set(routes.keys).union(routes[.get] == nil ? [] : [.head])
        // Who may not ask at all is not told which methods there are.
        let access = (routes[.get] ?? routes.values.first)?.access ?? .administrator
        return .otherMethods(methods.sorted { $0.rawValue < $1.rawValue }, access: access, parameters: parameters)
    }

    private func find(_ segments: ArraySlice<String>, at here: Int, _ parameters: inout [PathParameter]) -> Int? {
        guard let segment = segments.first else { return nodes[here].routes.isEmpty ? nil : here }
        let rest = segments.dropFirst()
        if let literal = nodes[here].literals[segment], let found = find(rest, at: literal, &parameters) {
            return found
        }
        if let parameter = nodes[here].parameter, let found = find(rest, at: parameter.node, &parameters) {
            parameters.append(PathParameter(name: parameter.name, value: segment))
            return found
        }
        guard let tail = nodes[here].rest else { return nil }
        parameters.append(PathParameter(name: tail.name, value: segments.joined(separator: "/")))
        return tail.node
    }
}
