//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Crypto
import GodwitJSON
import GodwitStore
import GodwitSync
import HTTPTypes

/// What a replication is asked for, in the members of `_replicate` and of a document of `_replicator`.
struct ReplicationSpec: Sendable {
    /// One side of it.
    enum Side: Sendable {
        /// A database of this server.
        case local(String)
        case remote(RemoteURL, Credentials)

        /// The side without credentials.
        var description: String {
            switch self {
            case .local(let name): name
            case .remote(let url, _): url.description + "/"
            }
        }
    }

    let source: Side
    let target: Side
    let isContinuous: Bool
    let createsTarget: Bool

    /// Members that choose documents or change what is written, which the replication cannot do yet.
    private static let absent = [
        "doc_ids", "selector", "filter", "query_params", "since_seq", "winning_revs_only", "source_proxy",
        "target_proxy", "proxy",
    ]

    /// Reads the members.
    ///
    /// - Throws: ``HTTPFailure`` with status 400, or 501 for what is not there yet.
    init(_ object: JSONObject) throws(HTTPFailure) {
        for name in ReplicationSpec.absent where object[name] != nil && object[name] != .null {
            throw .notImplemented("`\(name)` in a replication")
        }
        source = try ReplicationSpec.side(object["source"], "source")
        target = try ReplicationSpec.side(object["target"], "target")
        isContinuous = try ReplicationSpec.flag(object, "continuous")
        createsTarget = try ReplicationSpec.flag(object, "create_target")
    }

    private static func flag(_ object: JSONObject, _ name: String) throws(HTTPFailure) -> Bool {
        guard let value = object[name], value != .null else { return false }
        guard let flag = value.boolValue else { throw .badRequest("`\(name)` must be true or false") }
        return flag
    }

    private static func side(_ value: JSONValue?, _ name: String) throws(HTTPFailure) -> Side {
        guard let value else { throw .badRequest("`\(name)` must be a URL, or an object with one") }
        guard let text = value.stringValue ?? value.objectValue?["url"]?.stringValue else {
            throw .badRequest("`\(name)` must be a URL, or an object with one")
        }
        guard text.contains("://") else {
            guard (try? DatabaseName(text)) != nil else {
                throw .badRequest("`\(name)` is neither a URL nor the name of a database")
            }
            return .local(text)
        }
        do throws(ReplicationError) {
            let url = try RemoteURL(text)
            return .remote(url, try credentials(value.objectValue) ?? url.credentials)
        } catch {
            throw .badRequest("`\(name)`: \(error.message)")
        }
    }

    /// What an endpoint's object says of who we are there.
    private static func credentials(_ endpoint: JSONObject?) throws(ReplicationError) -> Credentials? {
        if let basic = endpoint?["auth"]?.objectValue?["basic"]?.objectValue {
            return .basic(
                user: basic["username"]?.stringValue ?? "", password: basic["password"]?.stringValue ?? "")
        }
        var found: Credentials?
        for (name, value) in endpoint?["headers"]?.objectValue ?? [:] {
            guard name.lowercased() == "authorization",
                let (user, password) = value.stringValue.flatMap(Authenticator.basic)
            else {
                throw ReplicationError(
                    .invalidURL, "of `headers`, `Authorization: Basic …` alone is part of this Godwit yet")
            }
            found = .basic(user: user, password: password)
        }
        return found
    }

    /// The id of the replication for a user: the same request gives the same one.
    func id(owner: String) -> String {
        let parts = [source.description, target.description, owner, String(createsTarget)]
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return Insecure.MD5.hash(data: Array(text.utf8)).hexadecimal + (isContinuous ? "+continuous" : "")
    }
}
