//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore
import NIOCore

/// The requests that run in separate tasks. Such a task is cancelled when the client disconnects, when the principal
/// loses its rights, when an administrator ends the request, and when the server stops.
final class OpenRequests: Sendable {
    /// A running request. This type is a class, so that several collections can refer to one large object instead of
    /// copying it.
    final class Entry: Sendable {
        let principal: Principal
        let request: ServerRequest
        let access: RouteAccess
        /// The budget of the request's work; `nil` if the request is not costly.
        let budget: WorkBudget?
        let started = WallClock.seconds

        init(principal: Principal, request: ServerRequest, access: RouteAccess, budget: WorkBudget?) {
            (self.principal, self.request, self.access, self.budget) = (principal, request, access, budget)
        }
    }

    private struct Running {
        let entry: Entry
        let task: Task<Answer, any Error>
        var isExempt = false

        func cancel() {
            entry.budget?.cancel()
            task.cancel()
        }
    }

    private struct State {
        var nextNumber = 0
        var running: [Int: Running] = [:]
        /// For each connection, the number of its costly request. The request is cancelled when the connection ends.
        var costlyNumbers: [ObjectIdentifier: Int] = [:]
        /// The number of changes of rights so far. If this number changes after a request was authorized but before the
        /// request is in `running`, the request is authorized again.
        var changes = 0
    }

    /// The number of the request that the current task handles. It is `nil` if the principal of the request is not a
    /// member of an application.
    @TaskLocal private static var currentNumber: Int?

    private let state = Mutex(State())

    /// The number of changes of rights so far. Each call of ``revoke(where:)`` or ``recheck(where:isAllowed:)`` is
    /// counted as one change.
    var changes: Int { state.withLock { $0.changes } }

    /// The number of requests that run in separate tasks.
    var count: Int { state.withLock { $0.running.count } }

    /// The running requests with their numbers, the oldest first.
    var list: [(number: Int, entry: Entry)] {
        state.withLock { $0.running.map { ($0.key, $0.value.entry) } }.sorted { $0.0 < $1.0 }
    }

    /// Runs the handler of a request in a task that can be cancelled.
    ///
    /// - Parameters:
    ///   - work: The executor and the budget for a costly request; `nil` for any other request. A costly request is
    ///     also cancelled when its connection ends.
    ///   - changes: The value of ``changes`` before the principal was authorized.
    ///   - authorizeAgain: A closure that throws when the principal may no longer make the request. It is called only
    ///     if rights changed after the value `changes` was read.
    /// - Throws: `CancellationError` when the request is cancelled; the errors of `authorizeAgain` and `body`.
    func answer(
        _ request: ServerRequest, of principal: Principal, access: RouteAccess, work: RequestWork.Share?,
        authorizedAt changes: Int, authorizeAgain: () async throws -> Void,
        _ body: @escaping @Sendable () async throws -> Answer
    ) async throws -> Answer {
        let entry = Entry(principal: principal, request: request, access: access, budget: work?.budget)
        let (number, task, isStale) = begin(entry, on: work?.lane, changes, body)
        defer { end(number, work == nil ? nil : request.channel) }
        // The connection may have ended before the request was registered.
        if work != nil, !request.channel.isActive { cancel(number) }
        return try await withTaskCancellationHandler {
            if isStale {
                do {
                    try await authorizeAgain()
                } catch {
                    cancel(number)
                    throw error
                }
            }
            return try await task.value
        } onCancel: {
            cancel(number)
        }
    }

    private func begin(
        _ entry: Entry, on lane: WorkLane?, _ changes: Int, _ body: @escaping @Sendable () async throws -> Answer
    ) -> (number: Int, task: Task<Answer, any Error>, isStale: Bool) {
        state.withLock { state in
            state.nextNumber += 1
            let number = state.nextNumber
            let task = Task(executorPreference: lane) {
                do {
                    let work = { try await WorkBudget.$current.withValue(entry.budget) { try await body() } }
                    guard entry.principal.membership != nil else { return try await work() }
                    return try await OpenRequests.$currentNumber.withValue(number) { try await work() }
                } catch {
                    // The cancellation of a request may cause any error in its handler. In this case, the cancellation
                    // is reported instead of that error.
                    try Task.checkCancellation()
                    throw error
                }
            }
            state.running[number] = Running(entry: entry, task: task)
            if lane != nil { state.costlyNumbers[ObjectIdentifier(entry.request.channel)] = number }
            return (number, task, state.changes != changes)
        }
    }

    private func end(_ number: Int, _ channel: (any Channel)?) {
        state.withLock { state in
            state.running[number] = nil
            if let channel { state.costlyNumbers[ObjectIdentifier(channel)] = nil }
        }
    }

    /// Cancels a request.
    ///
    /// - Returns: `false` if no request with this number is running.
    @discardableResult
    func cancel(_ number: Int) -> Bool {
        guard let running = state.withLock({ $0.running[number] }) else { return false }
        running.cancel()
        return true
    }

    /// Cancels the costly request of a connection whose client disconnected.
    func connectionEnded(_ channel: any Channel) {
        state.withLock { state in state.costlyNumbers[ObjectIdentifier(channel)].flatMap { state.running[$0] } }?
            .cancel()
    }

    /// Exempts the request of the current task from cancellation. A request calls this method before it revokes the
    /// rights of the principal that sent it, because it must still send its response.
    func exemptCurrent() {
        guard let currentNumber = OpenRequests.currentNumber else { return }
        state.withLock { $0.running[currentNumber]?.isExempt = true }
    }

    /// Cancels the requests of some principals, except exempt requests.
    func revoke(where isMeant: (Principal) -> Bool) {
        for running in requestsAfterChange(where: { isMeant($0.principal) }) where !running.isExempt {
            running.cancel()
        }
    }

    /// Starts a background task. Call this method when the server begins to stop. Shortly before the time limit for the
    /// stop, the task cancels all requests that still run, except exempt requests.
    func cancelBeforeStop() {
        Task {
            try await Task.sleep(for: .seconds(ServerLimits.stopSecondsMax - ServerLimits.stopCancelSeconds))
            revoke { _ in true }
        }
    }

    /// Cancels the requests that are no longer allowed, except exempt requests.
    ///
    /// - Parameters:
    ///   - isMeant: Returns whether the change of rights can concern a request. Only these requests are checked.
    ///   - isAllowed: Whether a request is still allowed.
    func recheck(where isMeant: (Entry) -> Bool, isAllowed: (Entry) async -> Bool) async {
        for running in requestsAfterChange(where: isMeant) where !running.isExempt {
            if await !isAllowed(running.entry) { running.cancel() }
        }
    }

    /// Counts a change of rights, and returns the requests that the change can concern.
    private func requestsAfterChange(where isMeant: (Entry) -> Bool) -> [Running] {
        state.withLock { state in
            state.changes += 1
            return state.running.values.filter { isMeant($0.entry) }
        }
    }
}
