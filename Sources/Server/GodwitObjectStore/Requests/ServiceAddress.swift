//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitTransport

/// The address of a service: the parts of its URL that are signed.
struct ServiceAddress: Equatable, Sendable {
    /// The scheme and the host with its port, such as `http://127.0.0.1:5984`.
    private let origin: String
    /// The host in the form of the header `Host`. It contains the port only if the port is not the default port of the
    /// scheme.
    let host: String
    /// The path of the URL, with its percent escapes and without a trailing slash; empty if it has none.
    let path: String

    /// The URL without a trailing slash.
    var url: String { origin + path }

    /// Parses a URL such as `https://s3.example:9000/prefix`. Credentials and a query are removed.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/invalidRequest``.
    init(_ text: String) throws(ObjectError) {
        let cleanURL: String
        do throws(ReplicationError) {
            cleanURL = try RemoteURL(server: text).description
        } catch {
            throw ObjectError(.invalidRequest, "The address of the service is invalid: \(error.message).", cause: error)
        }
        // The URL is split at its first three slashes. The parts are the scheme, an empty part, the host, and the path.
        let parts = cleanURL.pieces(at: "/", maxSplits: 3, omittingEmptySubsequences: false)
        let scheme = parts[0].lowercased()
        // The signature must contain the host as the transport sends it. Some transports change the host to lower case.
        // Therefore the host is converted to lower case here.
        let authority = parts[2].lowercased()
        let defaultPort = scheme == "https:" ? ":443" : ":80"
        origin = "\(scheme)//\(authority)"
        host = authority.ends(with: defaultPort) ? String(authority.dropLast(defaultPort.count)) : authority
        path = parts.count > 3 ? "/\(parts[3])" : ""
    }

    /// Returns the path of the account, a container or an object below this address, with percent escapes.
    ///
    /// - Parameters:
    ///   - container: The container; `nil` for the account.
    ///   - name: The object; `nil` for the container.
    func objectPath(_ container: String?, _ name: String?) -> String {
        var text = path
        if let container { text += "/" + container.percentEncoded }
        if let name { text += "/" + name.percentEncoded(keeping: "/") }
        return text
    }

    /// Returns the URL of a container or an object with a query.
    ///
    /// - Parameter query: The decoded names and values. If a name has no value, its value is an empty text.
    func objectURL(_ container: String?, _ name: String?, _ query: [(name: String, value: String)] = []) -> String {
        let items = query.map { "\($0.name.percentEncoded(keeping: nil))=\($0.value.percentEncoded(keeping: nil))" }
        let text = origin + objectPath(container, name)
        return items.isEmpty ? text : "\(text)?\(items.joined(separator: "&"))"
    }
}

extension ServiceAddress {
    /// Returns the name of an object in the form of the headers that name the source of a copy: the path below the
    /// account, with percent escapes.
    static func source(_ name: String, in container: String) -> String {
        "/\(container.percentEncoded)/\(name.percentEncoded(keeping: "/"))"
    }
}
