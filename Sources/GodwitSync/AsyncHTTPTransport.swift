//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Requests over AsyncHTTPClient. It follows no redirect, so that credentials go nowhere else.
package struct AsyncHTTPTransport: Transport {
    /// One client a process: it pools connections, and lives as long as the process does.
    private static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10)))
        configuration.httpVersion = .http1Only
        // A peer that refuses a connection is told of at once, not after the time for connecting.
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    package init() {}

    package func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
        do {
            var outgoing = HTTPClientRequest(url: request.url)
            outgoing.method = .RAW(value: request.method)
            for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
            if let body = request.body { outgoing.body = .bytes(body) }
            let response = try await AsyncHTTPTransport.client.execute(
                outgoing, timeout: .seconds(Int64(request.secondsMax)))
            let body = try await response.body.collect(upTo: request.responseBytesMax)
            return TransportResponse(status: Int(response.status.code), body: Array(body.readableBytesView))
        } catch is NIOTooManyBytesError {
            throw ReplicationError(
                .tooLarge, "\(request.method) \(request.url): the answer is above \(request.responseBytesMax) bytes")
        } catch {
            throw ReplicationError(
                .network,
                "\(request.method) \(request.url): \(error). Check the address and the network; what was replicated is kept."
            )
        }
    }
}
