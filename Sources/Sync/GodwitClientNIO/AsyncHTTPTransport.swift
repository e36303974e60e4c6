//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import AsyncHTTPClient
import GodwitBase
import GodwitFoundation
public import GodwitTransport
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// A transport over AsyncHTTPClient. It follows no redirects, so that credentials are not sent to another server.
public struct AsyncHTTPTransport: Transport {
    /// The maximum number of connections to one server. Each continuous replication keeps one connection open while it
    /// waits.
    private static let connectionsPerHostMax = 16_384
    /// The maximum time to connect to a server, in seconds.
    private static let connectSecondsMax: Int64 = 10

    /// The default client of the process. It pools connections, and exists as long as the process.
    private static let shared = client()

    /// The clients of the process with additional authorities or with another timeout. They exist as long as the
    /// process. The key contains the timeout and the path of the file with the authorities.
    private static let otherClients = Mutex<[String: HTTPClient]>([:])

    /// Returns a client of the process. Calls with the same arguments return the same client, with the certificates
    /// that the file contained at the first call.
    ///
    /// - Parameters:
    ///   - file: A PEM file with certificates of authorities that are trusted in addition to the system's authorities.
    ///   - silenceSecondsMax: The maximum time without data from the server, in seconds.
    /// - Throws: ``TransportFailure`` when the file cannot be read as certificates.
    package static func client(
        authorities file: String?, silenceSecondsMax: Int
    ) throws(TransportFailure) -> HTTPClient {
        var tls = defaultTLS
        if let file {
            do {
                tls.additionalTrustRoots = [.certificates(try NIOSSLCertificate.fromPEMFile(file))]
            } catch {
                throw TransportFailure("\(file) cannot be read as certificates. Use a PEM file.")
            }
        }
        return otherClients.withLock { clients in
            let name = "\(silenceSecondsMax) \(file ?? "")"
            let existing = clients[name] ?? client(tls: tls, silenceSecondsMax: silenceSecondsMax)
            clients[name] = existing
            return existing
        }
    }

    /// TLS 1.2 or later. The default of the library permits TLS 1.0.
    private static var defaultTLS: TLSConfiguration {
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        return tls
    }

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - tls: The TLS configuration.
    ///   - silenceSecondsMax: The maximum time without data from the server, in seconds.
    ///   - onConnection: A closure that is called for each new connection, before the first request is sent on the
    ///     connection. If the closure returns a future that fails, the connection is refused.
    static func client(
        tls: TLSConfiguration = defaultTLS, silenceSecondsMax: Int = TransportRequest.silenceSecondsMax,
        onConnection: (@Sendable (any Channel) -> EventLoopFuture<Void>)? = nil
    ) -> HTTPClient {
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow,
            timeout: .init(
                connect: .seconds(connectSecondsMax), read: .seconds(Int64(silenceSecondsMax))))
        configuration.tlsConfiguration = tls
        configuration.httpVersion = .http1Only
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connectionsPerHostMax
        // A refused connection is reported at once, not after the connect timeout.
        configuration.connectionPool.retryConnectionEstablishment = false
        configuration.http1_1ConnectionDebugInitializer = onConnection
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    private let client: HTTPClient

    /// Creates a transport over the client that all transports of the process share.
    public init() { client = AsyncHTTPTransport.shared }

    /// Creates a transport that trusts additional authorities.
    ///
    /// - Parameter file: A PEM file with the certificates of these authorities. The system's authorities are also
    ///   trusted.
    /// - Throws: ``TransportFailure`` when the file cannot be read as certificates.
    public init(authorities file: String) throws(TransportFailure) {
        client = try AsyncHTTPTransport.client(
            authorities: file, silenceSecondsMax: TransportRequest.silenceSecondsMax)
    }

    init(client: HTTPClient) { self.client = client }

    /// See ``Transport/send(_:)``.
    public func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
        try request.check()
        do {
            var outgoing = HTTPClientRequest(url: request.url)
            outgoing.method = .RAW(value: request.method)
            for (name, value) in request.headers { outgoing.headers.add(name: name, value: value) }
            switch request.body {
            case .none: break
            case .bytes(let bytes): outgoing.body = .bytes(bytes)
            case .stream(let pieces, let length):
                outgoing.body = .stream(OutgoingPieces(pieces: pieces), length: .known(Int64(length)))
            }
            let response = try await client.execute(
                outgoing, timeout: .seconds(Int64(min(request.secondsMax, TransportRequest.secondsLimit))))
            guard !response.headers.contains(where: { $0.value.hasTooManyMarks }) else {
                throw ReplicationError(.badResponse, "the server sent a header that cannot be read")
            }
            return TransportResponse(
                status: Int(response.status.code), headers: response.headers.map { ($0.name, $0.value) },
                body: IncomingPieces(body: response.body))
        } catch let error as ReplicationError {
            throw error
        } catch is CancellationError {
            throw ReplicationError(.cancelled, "the replication was cancelled")
        } catch {
            throw ReplicationError(TransportFailure(error), of: request)
        }
    }
}

extension TransportFailure {
    /// Creates a failure from an error of AsyncHTTPClient.
    package init(_ error: any Error) {
        switch error {
        case let error as NIOSSLError: self.init(tls: error)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            self.init("the server's certificate is not for the host name of the URL", isUntrusted: true)
        default: self.init(TransportFailure.text(of: error))
        }
    }

    /// Creates a failure from an error of TLS. BoringSSL reports its reasons only as text.
    private init(tls error: NIOSSLError) {
        let text = "\(error)"
        if text.includes("CERTIFICATE_VERIFY_FAILED") {
            self.init(
                "the server's certificate has expired, or is not signed by a trusted authority",
                isUntrusted: true)
        } else if ["WRONG_VERSION_NUMBER", "HTTP_REQUEST"].contains(where: text.includes) {
            self.init("the server does not speak TLS on this port; its URL may begin with http://")
        } else if case .uncleanShutdown = error {
            self.init("the connection was lost")
        } else {
            self.init("the TLS connection failed")
        }
    }

    private static func text(of error: any Error) -> String {
        if let error = error as? IOError { return String(cString: strerror(error.errnoCode)).lowercased() }
        if let error = error as? NIOConnectionError {
            let isNamed = error.dnsAError == nil && error.dnsAAAAError == nil
            return isNamed ? "no connection" : "the host name \(error.host) is unknown"
        }
        switch error as? HTTPClientError {
        case .some(.readTimeout): return "the peer sent nothing for too long"
        case .some(.connectTimeout): return "no connection in time"
        case .some(.deadlineExceeded): return "no response in time"
        case .some(.remoteConnectionClosed): return "the connection was lost"
        default: return "\(error)"
        }
    }
}

/// The body of a response as pieces of bytes.
private struct IncomingPieces: AsyncSequence, Sendable {
    let body: HTTPClientResponse.Body

    func makeAsyncIterator() -> Iterator { Iterator(pieces: body.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: HTTPClientResponse.Body.AsyncIterator

        mutating func next() async throws -> [UInt8]? {
            do {
                return try await pieces.next().map { [UInt8]($0.readableBytesView) }
            } catch let error as CancellationError {
                throw error
            } catch {
                throw TransportFailure(error)
            }
        }
    }
}

/// The body of a request as buffers.
private struct OutgoingPieces: AsyncSequence, Sendable {
    let pieces: any AsyncSequence<[UInt8], any Error> & Sendable

    func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: any AsyncIteratorProtocol<[UInt8], any Error>

        mutating func next() async throws -> ByteBuffer? {
            try await pieces.next(isolation: nil).map { ByteBuffer(bytes: $0) }
        }
    }
}
