//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitTransport

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// A transport over Foundation's `URLSession`. The proxies and certificates of the system apply.
///
/// On Linux, Foundation cannot wait for the bytes of a request's body. Therefore, the complete body is collected in
/// memory before it is sent, and a body above 64 MiB is refused with ``ReplicationError/Code/tooLarge``. A document
/// with such a large attachment is not pushed, and the replication reports the document as a failure.
/// `AsyncHTTPTransport` of `GodwitClientNIO` sends bodies of any length without collecting them.
public struct URLSessionTransport: Transport {
    /// The maximum number of connections of the shared session to one server. Each continuous replication keeps one
    /// connection open while it waits.
    private static let connectionsPerHostMax = 256

    /// The session of the process. It pools connections, and exists as long as the process.
    private static let shared = SessionExchanges(configuration: standard())

    private let exchanges: SessionExchanges

    /// Creates a transport over the session that all transports of the process share.
    public init() { exchanges = URLSessionTransport.shared }

    /// Creates a transport over a separate session, for example a session with a proxy.
    ///
    /// - Parameter configuration: The configuration, which is copied. Its `timeoutIntervalForRequest` is the maximum
    ///   time without data from the server. Its cookies, cached responses and stored credentials are not used, see
    ///   ``Transport``.
    public init(configuration: URLSessionConfiguration) {
        let copy = configuration.copy() as? URLSessionConfiguration ?? .ephemeral
        exchanges = SessionExchanges(configuration: URLSessionTransport.withoutStores(copy))
    }

    private static func standard() -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = Double(TransportRequest.silenceSecondsMax)
        configuration.httpMaximumConnectionsPerHost = connectionsPerHostMax
        return withoutStores(configuration)
    }

    private static func withoutStores(_ configuration: URLSessionConfiguration) -> URLSessionConfiguration {
        configuration.httpCookieStorage = nil
        configuration.httpCookieAcceptPolicy = .never
        configuration.httpShouldSetCookies = false
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.urlCredentialStorage = nil
        return configuration
    }

    /// See ``Transport/send(_:)``.
    public func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
        try request.check()
        do {
            let exchange = try await exchanges.begin(request)
            return try await exchange.response(within: min(request.secondsMax, TransportRequest.secondsLimit))
        } catch let failure as TransportFailure {
            throw ReplicationError(failure, of: request)
        } catch {
            throw ReplicationError(reading: error, request.method)
        }
    }
}

extension TransportFailure {
    /// Creates a failure from an error of URLSession.
    init(_ error: any Error) {
        guard let error = error as? URLError else {
            self.init("\(error)")
            return
        }
        switch error.code {
        case .cannotFindHost, .dnsLookupFailed: self.init("the host name is unknown")
        case .cannotConnectToHost, .notConnectedToInternet: self.init("no connection")
        case .networkConnectionLost: self.init("the connection was lost")
        case .timedOut: self.init("the peer sent nothing for too long")
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid:
            self.init(
                "the server's certificate has expired, is not signed by a trusted authority, or is not for the host "
                    + "name of the URL", isUntrusted: true)
        default: self.init(error.localizedDescription)
        }
    }
}
