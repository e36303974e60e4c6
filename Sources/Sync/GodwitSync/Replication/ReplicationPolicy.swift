//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitTransport

/// The rules for running a replication repeatedly in the background.
public struct ReplicationPolicy: Sendable {
    /// The time between the end of a run and the start of the next run, in seconds.
    public var intervalSeconds: Double
    /// The time limit of a run, in seconds. The next run continues where the stopped run ended. If it is `nil`, the
    /// limit is seven days.
    public var runSecondsMax: Double?
    /// Returns whether the current network may be used. It is called before each run. The default closure returns
    /// `true`. An app can return `false` for metered networks.
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
    /// Runs the replication with a time limit, such as the thirty seconds of a background task of the system.
    ///
    /// - Parameter secondsMax: The time limit, in seconds. The run ends a little after the limit, when it has saved its
    ///   checkpoints.
    /// - Returns: The report. Its ``ReplicationReport/wasStopped`` says whether the limit was reached.
    /// - Throws: ``ReplicationError`` if one of the databases fails, or the limit is reached before the replication has
    ///   begun.
    public func run(secondsMax: Double) async throws(ReplicationError) -> ReplicationReport {
        let run = start()
        let alarm = Task {
            try await Task.sleep(for: .seconds(secondsMax))
            run.stop()
        }
        defer { alarm.cancel() }
        return try await run.report()
    }

    /// Runs repeatedly, following a policy, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - policy: The policy.
    ///   - onReport: Called with the result of each run. A failure does not end the series.
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
