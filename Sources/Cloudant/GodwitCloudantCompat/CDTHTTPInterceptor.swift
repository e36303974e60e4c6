//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit

#if canImport(FoundationNetworking)
    import Foundation
    public import FoundationNetworking
#else
    public import Foundation
#endif

/// Reads and changes the requests of a replication, and reads its responses.
///
/// Origin: `CDTHTTPInterceptor`. New: ``GodwitTransport/RequestInterceptor``.
@available(*, deprecated, message: "Use RequestInterceptor.")
public protocol CDTHTTPInterceptor: Sendable {
    /// This method is called before a request is sent. It may change the headers of the request. If the method returns
    /// `nil`, the replication is stopped. The request may nevertheless be sent, with its headers unchanged.
    ///
    /// - Returns: The context; `nil` to end the replication with an error.
    ///
    /// Origin: `interceptRequestInContext:`. New: ``GodwitTransport/RequestInterceptor/onRequest``.
    func interceptRequestInContext(_ context: CDTHTTPInterceptorContext) -> CDTHTTPInterceptorContext?

    /// This method is called when the status and the headers of a response have arrived. If it sets
    /// ``CDTHTTPInterceptorContext/shouldRetry``, the request is sent once more. The method is not called for the
    /// response to this second request.
    ///
    /// - Returns: The context; `nil` to end the replication with an error.
    ///
    /// Origin: `interceptResponseInContext:`. New: ``GodwitTransport/RequestInterceptor/onResponse``.
    func interceptResponseInContext(_ context: CDTHTTPInterceptorContext) -> CDTHTTPInterceptorContext?
}

@available(*, deprecated)
extension CDTHTTPInterceptor {
    /// Returns the context unchanged.
    ///
    /// Origin: `interceptRequestInContext:` is optional. New: ``GodwitTransport/RequestInterceptor/onRequest``.
    public func interceptRequestInContext(_ context: CDTHTTPInterceptorContext) -> CDTHTTPInterceptorContext? {
        context
    }

    /// Returns the context unchanged.
    ///
    /// Origin: `interceptResponseInContext:` is optional. New: ``GodwitTransport/RequestInterceptor/onResponse``.
    public func interceptResponseInContext(_ context: CDTHTTPInterceptorContext) -> CDTHTTPInterceptorContext? {
        context
    }
}

/// A request and its response.
///
/// Origin: `CDTHTTPInterceptorContext`. New: ``GodwitTransport/RequestInterceptor/Request`` and
/// ``GodwitTransport/RequestInterceptor/Response``.
@available(*, deprecated, message: "Use RequestInterceptor.Request and RequestInterceptor.Response.")
public final class CDTHTTPInterceptorContext {
    /// The request, without its body. An interceptor can change only the headers, and only before the request is sent.
    /// Other changes have no effect. When the context contains a response, this property contains only the URL of the
    /// request.
    ///
    /// Origin: `request`. New: ``GodwitTransport/RequestInterceptor/Request``.
    public var request: URLRequest
    /// The status and the headers of the response; `nil` before they have arrived.
    ///
    /// Origin: `response`. New: ``GodwitTransport/RequestInterceptor/Response``.
    public internal(set) var response: HTTPURLResponse?
    /// Whether to send the request once more.
    ///
    /// Origin: `shouldRetry`. New: the result of ``GodwitTransport/RequestInterceptor/onResponse``.
    public var shouldRetry = false

    init(_ request: URLRequest, _ response: HTTPURLResponse? = nil) {
        (self.request, self.response) = (request, response)
    }
}

/// The refusal of an interceptor, which ends a replication.
final class InterceptorTrouble: @unchecked Sendable {
    // Proof of `Sendable`: the lock guards both members.
    private let lock = NSLock()
    private var isRefused = false
    private var stop: (@Sendable () -> Void)?

    var hasRefused: Bool { lock.withLock { isRefused } }

    /// Sets the closure that ends the replication. If an interceptor has already refused a request or a response, the
    /// closure is called at once.
    func stopping(_ stop: @escaping @Sendable () -> Void) {
        let isLate = lock.withLock {
            self.stop = stop
            return isRefused
        }
        if isLate { stop() }
    }

    func refuse() {
        lock.withLock {
            isRefused = true
            return stop
        }?()
    }
}

/// The interceptors of a replication, which are called one after the other. After an interceptor returns `nil`, the
/// next ones are not called.
@available(*, deprecated)
struct InterceptorChain {
    let interceptor: RequestInterceptor

    /// Returns `nil` if there are no interceptors.
    init?(_ interceptors: [any CDTHTTPInterceptor], _ trouble: InterceptorTrouble) {
        guard !interceptors.isEmpty else { return nil }
        interceptor = RequestInterceptor(
            onRequest: { request in
                guard let url = URL(string: request.url) else { return }
                var old = URLRequest(url: url)
                old.httpMethod = request.method
                for (name, value) in request.headers { old.setValue(value, forHTTPHeaderField: name) }
                var context: CDTHTTPInterceptorContext? = CDTHTTPInterceptorContext(old)
                for next in interceptors { context = context.flatMap { next.interceptRequestInContext($0) } }
                guard let context else { return trouble.refuse() }
                request.headers = (context.request.allHTTPHeaderFields ?? [:]).map { (name: $0.key, value: $0.value) }
            },
            onResponse: { request, response in
                guard let url = URL(string: request.url) else { return false }
                let headers = Dictionary(
                    response.headers.map { ($0.name, $0.value) }, uniquingKeysWith: { "\($0), \($1)" })
                var context: CDTHTTPInterceptorContext? = CDTHTTPInterceptorContext(
                    URLRequest(url: url),
                    HTTPURLResponse(
                        url: url, statusCode: response.status, httpVersion: "HTTP/1.1", headerFields: headers))
                for next in interceptors { context = context.flatMap { next.interceptResponseInContext($0) } }
                guard let context else {
                    trouble.refuse()
                    return false
                }
                return context.shouldRetry
            })
    }
}
