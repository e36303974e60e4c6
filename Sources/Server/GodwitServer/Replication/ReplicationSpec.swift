//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import HTTPTypes

/// The parsed parameters of a replication, from the body of `_replicate` or a document in `_replicator`.
struct ReplicationSpec: Sendable {
    /// The source or the target.
    enum Side: Sendable {
        /// A database of this server.
        case local(String)
        case remote(RemoteURL, Credentials, headers: [(name: String, value: String)])

        /// The database's name or URL, without credentials.
        var description: String {
            switch self {
            case .local(let name): name
            case .remote(let url, _, _): url.description + "/"
            }
        }
    }

    let source: Side
    let target: Side
    let isContinuous: Bool
    let createsTarget: Bool
    /// The parameters with which a target on another server is created, as the query of a URL; empty for none.
    let targetParameters: String
    /// Whether both databases store checkpoints.
    let keepsCheckpoints: Bool
    let selection: ReplicationSelection

    /// CouchDB's members that this server refuses.
    private static let unsupported = ["source_proxy", "target_proxy", "proxy"]

    /// Parses the members.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 for invalid members, or 501 for members that are not supported.
    init(_ object: JSONObject) throws(HTTPFailure) {
        for name in ReplicationSpec.unsupported where object[name] != nil && object[name] != .null {
            throw .notImplemented("`\(name)` in a replication")
        }
        source = try ReplicationSpec.side(object["source"], "source")
        target = try ReplicationSpec.side(object["target"], "target")
        isContinuous = try ReplicationSpec.flag(object, "continuous")
        createsTarget = try ReplicationSpec.flag(object, "create_target")
        targetParameters = try ReplicationSpec.targetParameters(object["create_target_params"], target)
        // As in CouchDB, every other value means that checkpoints are stored.
        keepsCheckpoints = object["use_checkpoints"]?.boolValue ?? true
        var selection = try ReplicationSpec.selection(object, source)
        selection.winnersOnly = try ReplicationSpec.flag(object, "winning_revs_only")
        if let since = object["since_seq"], since != .null { selection.since = since.stringValue ?? since.jsonText() }
        self.selection = selection
    }

    /// Parses `create_target_params`: the parameters of `PUT /{db}`, such as `{"partitioned": true, "q": 1}`.
    private static func targetParameters(_ value: JSONValue?, _ target: Side) throws(HTTPFailure) -> String {
        guard let value, value != .null else { return "" }
        guard let members = value.objectValue else {
            throw .badRequest("parameter `create_target_params` must be a JSON object")
        }
        if case .local(let name) = target, members["partitioned"]?.boolValue == true {
            throw .badRequest("A target of this server is created with partitions by its URL only: name \(name) by it.")
        }
        return members.map { name, value in
            "\(name.percentEncoded)=\((value.stringValue ?? value.jsonText()).percentEncoded)"
        }.joined(separator: "&")
    }

    /// Decodes the percent escapes of an id; `nil` if it contains no valid escape. CouchDB decodes the ids of `doc_ids`. A
    /// document with the id as it is written is replicated too.
    private static func decoded(_ id: String) -> String? {
        guard id.utf8.contains(UInt8(ascii: "%")),
            let bytes = [UInt8](percentEncoded: id.utf8, plusIsSpace: false)
        else { return nil }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Parses the selection of documents. Documents can be selected in three ways: by ids, by a selector, or by a
    /// filter function. It is an error to use more than one of these ways.
    private static func selection(_ object: JSONObject, _ source: Side) throws(HTTPFailure) -> ReplicationSelection {
        let selectionMembers = ["doc_ids", "selector", "filter"].filter { object[$0] != nil && object[$0] != .null }
        guard selectionMembers.count <= 1 else {
            throw .badRequest("`doc_ids`, `filter`, `selector` are mutually exclusive")
        }
        let parameters = try parameters(of: object)
        switch selectionMembers.first {
        case "doc_ids":
            guard let items = object["doc_ids"]?.arrayValue, case let ids = items.compactMap(\.stringValue),
                ids.count == items.count
            else { throw .badRequest("`doc_ids` must be a list of document ids") }
            return .documents(ids + ids.compactMap(decoded))
        case "selector":
            do throws(ReplicationError) {
                return try .matching(object["selector"] ?? .null)
            } catch {
                throw .badRequest(error.message)
            }
        case "filter":
            guard let name = object["filter"]?.stringValue else { throw .badRequest("`filter` must be a string") }
            return .filter(
                name,
                parameters: Dictionary(
                    parameters.map { ($0.key, $0.value.stringValue ?? $0.value.jsonText()) },
                    uniquingKeysWith: { _, last in last }))
        default: return ReplicationSelection()
        }
    }

    /// Parses the parameters of a filter function.
    private static func parameters(of object: JSONObject) throws(HTTPFailure) -> JSONObject {
        guard let value = object["query_params"], value != .null else { return [:] }
        guard let parameters = value.objectValue else { throw .badRequest("`query_params` must be an object") }
        return parameters
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
        guard text.includes("://") else {
            guard (try? DatabaseName(text)) != nil else {
                throw .badRequest("`\(name)` is neither a URL nor the name of a database")
            }
            return .local(text)
        }
        do throws(ReplicationError) {
            let url = try RemoteURL(text)
            return try .remote(
                url, credentials(value.objectValue) ?? url.credentials, headers: headers(value.objectValue))
        } catch {
            throw .badRequest("`\(name)`: \(error.message)")
        }
    }

    /// Parses the credentials in the object of an endpoint; `nil` if the object contains no credentials.
    private static func credentials(_ endpoint: JSONObject?) -> Credentials? {
        guard let basic = endpoint?["auth"]?.objectValue?["basic"]?.objectValue else { return nil }
        return .basic(user: basic["username"]?.stringValue ?? "", password: basic["password"]?.stringValue ?? "")
    }

    /// Parses the headers in the object of an endpoint. These headers are added to each request to the endpoint.
    private static func headers(
        _ endpoint: JSONObject?
    ) throws(ReplicationError) -> [(name: String, value: String)] {
        let headers = (endpoint?["headers"]?.objectValue ?? [:]).compactMap { name, value in
            value.stringValue.map { (name: name, value: $0) }
        }
        for (name, value) in headers { try TransportRequest.checkHeader(name, value) }
        return headers
    }

    /// Returns the id of the replication for an owner. Two replications with the same source, target, owner, selection
    /// and flags have the same id. Differences in the credentials, in the headers and in the first sequence
    /// (`since_seq`) do not change the id.
    func id(owner: String) -> String {
        let parts = [source.description, target.description, owner, String(createsTarget), selection.identity]
        let text = parts.map { "\($0.utf8.count):\($0)" }.joined()
        return MessageDigest.Algorithm.md5.digest(of: text.utf8).hexadecimal + (isContinuous ? "+continuous" : "")
    }
}
