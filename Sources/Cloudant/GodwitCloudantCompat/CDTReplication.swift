//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import Godwit

/// The configuration of a replication.
///
/// Origin: `CDTAbstractReplication`. New: ``GodwitSync/Replicator``.
@available(*, deprecated, message: "Use Replicator.")
public class CDTAbstractReplication {
    /// The datastore.
    fileprivate let datastore: CDTDatastore
    /// The URL of the other database.
    fileprivate let url: URL
    /// Headers of each request. A replicator cannot be created with a header that the library sets: `Authorization`,
    /// `WWW-Authenticate`, `Host`, `Connection`, `Content-Type`, `Accept` or `Content-Length`.
    ///
    /// Origin: `optionalHeaders`. New: `headers` of ``GodwitSync/RemoteEndpoint``.
    public var optionalHeaders: [String: String] = [:]
    /// The interceptors of requests.
    ///
    /// Origin: `httpInterceptors`. New: ``GodwitTransport/RequestInterceptor``.
    public private(set) var httpInterceptors: [any CDTHTTPInterceptor] = []
    private let credentials: Credentials?

    fileprivate init(_ datastore: CDTDatastore, _ url: URL, _ credentials: Credentials?) {
        (self.datastore, self.url, self.credentials) = (datastore, url, credentials)
    }

    /// Returns the credentials for a name and a password; `nil` if there is no name.
    fileprivate static func login(_ username: String?, _ password: String?) -> Credentials? {
        username.map { .session(user: $0, password: password ?? "") }
    }

    /// Adds an interceptor.
    ///
    /// Origin: `addInterceptor:`. New: ``GodwitTransport/RequestInterceptor``.
    @available(*, deprecated, message: "Use RequestInterceptor.")
    public func addInterceptor(_ interceptor: any CDTHTTPInterceptor) { httpInterceptors.append(interceptor) }

    /// Removes all interceptors.
    ///
    /// Origin: `clearInterceptors`. New: ``GodwitTransport/RequestInterceptor``.
    @available(*, deprecated, message: "Use RequestInterceptor.")
    public func clearInterceptors() { httpInterceptors = [] }

    /// The headers that must not be set.
    private static let forbiddenHeaders: Set<String> = [
        "authorization", "www-authenticate", "host", "connection", "content-type", "accept", "content-length",
    ]

    fileprivate func endpoint(_ trouble: InterceptorTrouble) throws -> RemoteEndpoint {
        if let name = optionalHeaders.keys.first(where: {
            CDTAbstractReplication.forbiddenHeaders.contains($0.lowercased())
        }) {
            throw CDTError(400, "The header \(name) is set by the library. Remove it from optionalHeaders.")
        }
        let address = try CDTError.converting { try RemoteURL(url.absoluteString) }
        // As in Cloudant Sync, a name and a password in the URL are used to log in and get a session.
        var credentials = credentials ?? address.credentials
        if case .basic(let user, let password) = credentials { credentials = .session(user: user, password: password) }
        return RemoteEndpoint(
            address, credentials: credentials,
            headers: optionalHeaders.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) },
            interceptor: InterceptorChain(httpInterceptors, trouble).map(\.interceptor))
    }

    func replicator(_ trouble: InterceptorTrouble) throws -> Replicator {
        throw CDTError(400, "Use CDTPullReplication or CDTPushReplication.")
    }
}

/// A replication from a server.
///
/// Origin: `CDTPullReplication`. New: ``GodwitSync/Replicator`` with the direction `pull`.
@available(*, deprecated, message: "Use Replicator(.pull, …).")
public final class CDTPullReplication: CDTAbstractReplication {
    /// The name of a filter function on the server, in the form `design/function`; `nil` to pull all documents.
    ///
    /// Origin: `filter`. New: ``GodwitSync/ReplicationSelection/filter(_:parameters:)``.
    public var filter: String?
    /// The parameters of the filter function.
    ///
    /// Origin: `filterParams`. New: ``GodwitSync/ReplicationSelection/filter(_:parameters:)``.
    public var filterParams: [String: String] = [:]

    /// Creates a replication.
    ///
    /// - Parameters:
    ///   - source: The URL of the database, which may contain a name and a password.
    ///   - target: The datastore.
    ///   - username: The name of the user who logs in; `nil` for the name in the URL.
    ///   - password: The password of this user.
    ///
    /// Origin: `replicationWithSource:target:`, `…username:password:`. New: ``GodwitSync/Replicator``'s initializers.
    public init(source: URL, target: CDTDatastore, username: String? = nil, password: String? = nil) {
        super.init(target, source, CDTAbstractReplication.login(username, password))
    }

    init(source: URL, target: CDTDatastore, credentials: Credentials) { super.init(target, source, credentials) }

    override func replicator(_ trouble: InterceptorTrouble) throws -> Replicator {
        var replicator = Replicator(.pull, datastore.store, with: try endpoint(trouble))
        if let filter { replicator.selection = .filter(filter, parameters: filterParams) }
        return replicator
    }
}

/// Decides whether a push sends a document. The closure gets the winning revision of each changed document. This
/// revision may be a deletion. The closure is called on any thread.
///
/// Origin: `CDTFilterBlock`. New: ``GodwitSync/ReplicationSelection/filter(named:_:)``.
@available(*, deprecated, message: "Use ReplicationSelection.filter(named:_:).")
public typealias CDTFilterBlock = @Sendable (_ revision: CDTDocumentRevision, _ params: [String: String]?) -> Bool

/// A replication to a server. The indexes of the datastore are not sent, although Godwit stores them in design
/// documents.
///
/// Origin: `CDTPushReplication`. New: ``GodwitSync/Replicator`` with the direction `push`.
@available(*, deprecated, message: "Use Replicator(.push, …).")
public final class CDTPushReplication: CDTAbstractReplication {
    /// Decides which documents are sent; `nil` for all. A push with a filter reads all changes of the datastore each
    /// time, not only those since the last push.
    ///
    /// Origin: `filter`. New: ``GodwitSync/ReplicationSelection/filter(named:_:)``.
    public var filter: CDTFilterBlock?
    /// The parameters of the filter.
    ///
    /// Origin: `filterParams`. New: the filter's closure captures its values.
    public var filterParams: [String: String]?

    /// Creates a replication.
    ///
    /// - Parameters:
    ///   - source: The datastore.
    ///   - target: The URL of the database, which may contain a name and a password.
    ///   - username: The name of the user who logs in; `nil` for the name in the URL.
    ///   - password: The password of this user.
    ///
    /// Origin: `replicationWithSource:target:`, `…username:password:`. New: ``GodwitSync/Replicator``'s initializers.
    public init(source: CDTDatastore, target: URL, username: String? = nil, password: String? = nil) {
        super.init(source, target, CDTAbstractReplication.login(username, password))
    }

    init(source: CDTDatastore, target: URL, credentials: Credentials) { super.init(source, target, credentials) }

    override func replicator(_ trouble: InterceptorTrouble) throws -> Replicator {
        let (store, filter, parameters) = (datastore.store, filter, filterParams)
        var replicator = Replicator(.push, store, with: try endpoint(trouble))
        // A replication with a filter always starts at the first change, because the filter may select other documents
        // than before. Therefore, no checkpoint is stored: it would never be read.
        replicator.keepsCheckpoints = filter == nil
        let name = filter == nil ? "without indexes" : "filter \(UUID().uuidString)"
        replicator.selection = .filter(named: name) { document in
            guard CDTDatastore.isShown(document.id ?? "") else { return false }
            return filter?(CDTDocumentRevision(document, of: store), parameters) ?? true
        }
        return replicator
    }
}
