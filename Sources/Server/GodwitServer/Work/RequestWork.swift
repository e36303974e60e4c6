//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore
import GodwitTransport
import HTTPTypes

/// Provides threads and budgets for costly requests. Also limits the number of costly requests that one client may have
/// in progress at the same time. Administrators have no such limit.
///
/// A request is costly if the work of its route depends on the client's parameters, or if its body is large
/// (``ServerRequest/isCostly(_:)``). For each request, this class provides a budget and the client's
/// ``GodwitStore/WorkLane``. A lane is an executor that shares a few threads fairly among clients. ``Responder`` and
/// ``OpenRequests`` run the handler on the lane with the budget. These two types cancel the handler when the client
/// disconnects or loses its rights, when an administrator ends the request, and when the server stops.
final class RequestWork: Sendable {
    private let lanes = WorkLanes.shared
    private let memory: MemoryPool
    private let settings: ServerSettings
    private let countPerClient = Mutex<[ExactText: Int]>([:])
    /// The light requests in progress.
    let lightRequests = ClientCounts()

    init(settings: ServerSettings) {
        self.settings = settings
        memory = MemoryPool(
            bytesMax: ServerLimits.requestMemoryBytesMax, ownerBytesMax: ServerLimits.requestMemoryBytesPerClientMax)
    }

    /// The resources that one request gets.
    struct Share: Sendable {
        let lane: WorkLane
        let budget: WorkBudget
    }

    /// Calls `body` with the resources for one request. While `body` runs, the request is counted for its client.
    ///
    /// - Throws: ``HTTPFailure`` with status 503 when the client has the maximum number of costly requests in progress
    ///   and is not an administrator; errors of `body`.
    func counted<Result>(
        for principal: Principal, from address: @autoclosure () -> String, _ body: (Share) async throws -> Result
    ) async throws -> Result {
        let client = RequestWork.client(principal, address())
        let countMax = principal.isAdministrator ? Int.max : settings.options.requestsPerClientMax
        let isFull = countPerClient.withLock { countPerClient in
            guard countPerClient[ExactText(client), default: 0] < countMax else { return true }
            countPerClient[ExactText(client), default: 0] += 1
            return false
        }
        guard !isFull else { throw HTTPFailure.tooManyInProgress(countMax) }
        let budget = WorkBudget(settings.options.workLimits, share: MemoryShare(of: memory, owner: client))
        defer {
            endRequest(client)
            MemoryTrim.plan(after: budget.bytesTaken)
        }
        let lane = lanes.lane(of: client, takesAll: principal.isAdministrator)
        return try await body(Share(lane: lane, budget: budget))
    }

    private func endRequest(_ client: String) {
        countPerClient.withLock { countPerClient in
            let client = ExactText(client)
            invariant(countPerClient[client] != nil, "a request that ends was counted for its client")
            let count = countPerClient[client, default: 1] - 1
            countPerClient[client] = count > 0 ? count : nil
        }
    }

    /// The identity under which the requests of a client are counted. It contains the principal's name, or the network
    /// if the principal is anonymous.
    private static func client(_ principal: Principal, _ address: @autoclosure () -> String) -> String {
        principal.name.map { "name \($0)" } ?? "address \(HostAddress.network(of: address()))"
    }
}

extension HTTPFailure {
    /// The response to a costly request of a client that already has the maximum number of costly requests in progress.
    /// Feeds are costly requests.
    static func tooManyInProgress(_ countMax: Int) -> HTTPFailure {
        HTTPFailure(
            .serviceUnavailable, "service_unavailable",
            "You have \(countMax) open requests and feeds. Wait until one of them ends.")
    }

    init(_ error: MemoryExhausted) {
        let whose = error.isOfOwner ? "Your requests" : "The requests of all clients"
        self.init(
            .serviceUnavailable, "service_unavailable",
            "\(whose) in progress may use \(error.bytesMax) bytes of memory. Try again later, or send smaller requests."
        )
    }
}
