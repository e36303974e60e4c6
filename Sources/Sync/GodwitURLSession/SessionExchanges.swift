//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitTransport

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Sends requests over one session. Requests in progress continue after this object is released.
final class SessionExchanges: Sendable {
    /// The size in bytes of a body stream above which it is sent as a stream, if the system can do this.
    private static let streamedBytesMin = 1 << 20
    /// The maximum size in bytes of a body stream that is collected in memory.
    private static let collectedBytesMax = 64 << 20

    private let session: URLSession
    private let delegate = SessionDelegate()

    init(configuration: URLSessionConfiguration) {
        session = URLSession(
            configuration: configuration, delegate: delegate, delegateQueue: SessionPlatform.delegateQueue)
    }

    // A session retains its delegate until the session is invalidated.
    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request.
    ///
    /// - Throws: The error of the request's body while the body is collected; ``TransportFailure`` when the URL is not
    ///   valid or a collected body does not have the announced length; on Linux ``ReplicationError`` with code
    ///   ``ReplicationError/Code/tooLarge`` when the body is too long.
    func begin(_ request: TransportRequest) async throws -> SessionExchange {
        guard let url = URL(string: request.url) else { throw TransportFailure("this is not a URL") }
        var outgoing = URLRequest(url: url)
        outgoing.httpMethod = request.method
        for (name, value) in request.headers { outgoing.addValue(value, forHTTPHeaderField: name) }
        switch request.body {
        case .none: break
        case .bytes(let bytes): outgoing.httpBody = Data(bytes)
        case .stream(let pieces, let length):
            if length > SessionExchanges.streamedBytesMin, let upload = SessionUpload(pieces, length: length) {
                outgoing.httpBodyStream = upload.input
                outgoing.setValue("\(length)", forHTTPHeaderField: "Content-Length")
                let exchange = start(outgoing) { upload.stop() }
                upload.begin { exchange.fail($0) }
                return exchange
            }
            outgoing.httpBody = try await SessionExchanges.collect(pieces, length: length)
        }
        return start(outgoing)
    }

    private func start(_ request: URLRequest, onEnd: @escaping @Sendable () -> Void = {}) -> SessionExchange {
        let task = session.dataTask(with: request)
        let exchange = SessionExchange(task: task, onEnd: onEnd)
        delegate.follow(exchange, of: task)
        task.resume()
        return exchange
    }

    /// Collects the bytes of a body, and checks that they have the announced length.
    private static func collect(
        _ pieces: any AsyncSequence<[UInt8], any Error> & Sendable, length: Int
    ) async throws -> Data {
        guard length <= collectedBytesMax else {
            throw ReplicationError(
                .tooLarge,
                "a body of \(length) bytes is larger than URLSession sends on Linux (\(collectedBytesMax)). "
                    + "Use AsyncHTTPTransport of the product GodwitClientNIO.")
        }
        var bytes = Data(capacity: length)
        for try await piece in pieces where bytes.count <= length { bytes += piece }
        guard bytes.count == length else { throw TransportFailure(bytesMissing: length - bytes.count) }
        return bytes
    }
}

extension TransportFailure {
    /// Creates the failure for a body that is `count` bytes shorter than announced. If `count` is negative, the body is
    /// longer than announced.
    init(bytesMissing count: Int) {
        self.init("the body is \(abs(count)) bytes \(count > 0 ? "shorter" : "longer") than announced")
    }
}
