//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitClient

/// When a replication runs that an app leaves to itself, as in the background.
public struct ReplicationPolicy: Sendable {
    /// The time between the end of a run and the next, in seconds.
    public var intervalSeconds: Double
    /// How long a run may take, in seconds; what is not done then goes on in the next. Without an end by default.
    public var runSecondsMax: Double?
    /// Whether the network of now may be used for it, asked before each run: an app that knows of metered networks says
    /// so here. Always by default.
    public var isAllowed: @Sendable () async -> Bool

    /// Creates a policy.
    public init(
        intervalSeconds: Double = 900, runSecondsMax: Double? = nil,
        isAllowed: @escaping @Sendable () async -> Bool = { true }
    ) {
        self.intervalSeconds = intervalSeconds
        self.runSecondsMax = runSecondsMax
        self.isAllowed = isAllowed
    }
}

extension Replicator {
    /// Runs at most for a time, as an app may that the system lets work for thirty seconds.
    ///
    /// - Parameter secondsMax: When to stop, with what is done noted at both sides.
    /// - Returns: What was done; its ``ReplicationReport/wasStopped`` says whether there is more.
    /// - Throws: ``ReplicationError`` when a side fails as a whole.
    public func run(secondsMax: Double) async throws(ReplicationError) -> ReplicationReport {
        let run = start()
        let alarm = Task {
            try await Task.sleep(for: .seconds(secondsMax))
            run.stop()
        }
        defer { alarm.cancel() }
        return try await run.report()
    }

    /// Runs again and again by a policy, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - policy: When it runs.
    ///   - onReport: Told how each run ended; a failure does not end the series.
    public func run(
        by policy: ReplicationPolicy,
        onReport: @escaping @Sendable (Result<ReplicationReport, ReplicationError>) -> Void = { _ in }
    ) async {
        var once = self
        once.isContinuous = false
        while !Task.isCancelled {
            if await policy.isAllowed() {
                do throws(ReplicationError) {
                    onReport(.success(try await once.run(secondsMax: policy.runSecondsMax ?? Replicator.secondsMax)))
                } catch {
                    onReport(.failure(error))
                }
            }
            try? await Task.sleep(for: .seconds(policy.intervalSeconds))
        }
    }

    /// The longest run of a series, in seconds.
    private static let secondsMax = 7.0 * 86_400
}
