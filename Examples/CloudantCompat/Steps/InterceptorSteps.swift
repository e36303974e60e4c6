//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Godwit
import GodwitCloudantCompat

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Runs replications with an interceptor that logs in, and with interceptors that refuse a request or a response.
/// Checks the notifications of replicated changes.
@available(*, deprecated)
struct InterceptorSteps {
    let guide: GuideSteps

    func run() async throws {
        guard case .basic(let user, let password) = guide.credentials else { return }
        let manager = try CDTDatastoreManager(directory: "\(guide.directory)/interceptors")
        defer { manager.close() }
        let url = URL(string: "\(guide.server)/claims")!
        let login = LoginInterceptor("Basic " + Data("\(user):\(password)".utf8).base64EncodedString())
        let copy = try manager.datastoreNamed("copy")
        let notes = Notes(of: copy)
        let pull = CDTPullReplication(source: url, target: copy)
        pull.addInterceptor(login)
        let replicator = try await finished(pull, manager)
        if let error = replicator.error { throw error }
        try guide.check(
            login.retryCount > 0 && copy.documentCount > 0, "interceptors: a login after 401, and the request once more"
        )
        while notes.sources.count < copy.documentCount { try await Task.sleep(for: .milliseconds(20)) }
        try guide.check(
            notes.sources.allSatisfy { !$0.isEmpty }, "interceptors: notifications name the replication as the source")

        let empty = try manager.datastoreNamed("empty")
        for isAtRequest in [true, false] {
            let refused = CDTPullReplication(source: url, target: empty, username: user, password: password)
            refused.addInterceptor(Refusal(isAtRequest: isAtRequest))
            let ended = try await finished(refused, manager)
            let error = ended.error as? CDTError
            try guide.check(
                ended.state == .error && error?.code == 400,
                "interceptors: a refusal of a \(isAtRequest ? "request" : "response") ends the replication")
        }
        let anonymous = CDTPullReplication(source: url, target: empty)
        let noLogin = LoginInterceptor(nil)
        anonymous.addInterceptor(noLogin)
        let ended = try await finished(anonymous, manager)
        try guide.check(
            ended.state == .error && empty.documentCount == 0 && noLogin.retryCount > 0,
            "interceptors: a request that is refused again ends the replication")
    }

    private func finished(
        _ replication: CDTAbstractReplication, _ manager: CDTDatastoreManager
    ) async throws -> CDTReplicator {
        let replicator = try CDTReplicatorFactory(datastoreManager: manager).oneWay(replication)
        try replicator.start()
        while replicator.isActive() { try await Task.sleep(for: .milliseconds(20)) }
        return replicator
    }
}

/// Adds the header of a login to each request after the server has refused a request without this header. Interceptors
/// for cookies do the same.
@available(*, deprecated)
private final class LoginInterceptor: CDTHTTPInterceptor, @unchecked Sendable {
    // Proof of `Sendable`: the lock guards `retries`, the only member that changes.
    private let lock = NSLock()
    private let header: String?
    private var retries = 0

    /// - Parameter header: The header; `nil` to repeat the request without a login.
    init(_ header: String?) { self.header = header }

    var retryCount: Int { lock.withLock { retries } }

    func interceptRequestInContext(_ context: CDTHTTPInterceptorContext) -> CDTHTTPInterceptorContext? {
        if retryCount > 0, let header { context.request.setValue(header, forHTTPHeaderField: "Authorization") }
        return context
    }

    func interceptResponseInContext(_ context: CDTHTTPInterceptorContext) -> CDTHTTPInterceptorContext? {
        guard context.response?.statusCode == 401 else { return context }
        lock.withLock { retries += 1 }
        context.shouldRetry = true
        return context
    }
}

/// Ends a replication before its first request, or after the first response if `isAtRequest` is `false`.
@available(*, deprecated)
private struct Refusal: CDTHTTPInterceptor {
    let isAtRequest: Bool

    func interceptRequestInContext(_ context: CDTHTTPInterceptorContext) -> CDTHTTPInterceptorContext? {
        isAtRequest ? nil : context
    }

    func interceptResponseInContext(_ context: CDTHTTPInterceptorContext) -> CDTHTTPInterceptorContext? {
        isAtRequest ? context : nil
    }
}

/// Collects the sources of the changes of a datastore. For a change without a source, it collects an empty text.
@available(*, deprecated)
private final class Notes: @unchecked Sendable {
    // Proof of `Sendable`: the lock guards `seen`; `token` changes only in `init`.
    private let lock = NSLock()
    private var seen: [String] = []
    private var token: (any NSObjectProtocol)?

    init(of datastore: CDTDatastore) {
        token = NotificationCenter.default.addObserver(
            forName: .CDTDatastoreChangeNotification, object: datastore, queue: nil
        ) { [weak self] note in
            let source = note.userInfo?["source"] as? String ?? ""
            self?.lock.withLock { self?.seen.append(source) }
        }
    }

    deinit { token.map { NotificationCenter.default.removeObserver($0) } }

    var sources: [String] { lock.withLock { seen } }
}
