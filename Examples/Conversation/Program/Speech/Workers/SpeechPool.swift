//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CWorker
import Dispatch
import ProgramKit
import Synchronization

/// Processes of one kind. Idle processes remain for the next request of the same role.
final class SpeechPool: Sendable {
    private let limits: SpeechLimits
    private let turns: WorkerTurns
    private let countMax: Int
    private struct Processes {
        var idle: [RunningWorker] = []
        /// The number of processes that answer a request.
        var busyCount = 0
    }

    private let processes = Mutex(Processes())

    init(_ countMax: Int, _ limits: SpeechLimits) {
        (self.countMax, self.limits) = (countMax, limits)
        turns = WorkerTurns(
            runningMax: countMax, waitingMax: limits.waitingMax, waitingPerOwnerMax: limits.waitingPerOwnerMax)
    }

    /// Waits for the turn of the owner, and returns a process for a role. ``release(_:)`` must be called for the
    /// returned process.
    ///
    /// - Throws: ``SpeechError`` with code `unavailable` if too many requests wait, if the task was cancelled, or if
    ///   the process cannot be started.
    func worker(_ role: SpeechRole, for owner: String) async throws(SpeechError) -> RunningWorker {
        guard await turns.wait(for: owner) else {
            throw SpeechError(.unavailable, "Too many requests for speech wait. Try again later.")
        }
        let known = processes.withLock { processes -> RunningWorker? in
            processes.busyCount += 1
            let index = processes.idle.firstIndex { $0.role == role }
            if let index { return processes.idle.remove(at: index) }
            // The oldest idle processes of other roles are ended, so that at most `countMax` processes exist.
            let excess = processes.idle.count + processes.busyCount - countMax
            if excess > 0 { processes.idle.removeFirst(min(excess, processes.idle.count)) }
            return nil
        }
        if let known { return known }
        do throws(SpeechError) {
            return try RunningWorker(role, limits)
        } catch {
            end(nil)
            throw error
        }
    }

    /// Ends the turn in which a process was used. If the process can still be used, it is kept for the next request.
    func release(_ worker: RunningWorker) {
        end(worker.isUsable ? worker : nil)
    }

    /// Ends a turn.
    ///
    /// - Parameter kept: The process that is kept for the next request; `nil` for none.
    private func end(_ kept: RunningWorker?) {
        processes.withLock { processes in
            processes.busyCount -= 1
            if let kept { processes.idle.append(kept) }
        }
        turns.end()
    }
}

/// The connection of the caller to a process for speech.
final class RunningWorker: Sendable {
    let role: SpeechRole
    private let process: WorkerProcess
    private let queue = DispatchQueue(label: "godwit.speech")
    private let secondsMax: Double
    private let hasFailed = Mutex(false)

    init(_ role: SpeechRole, _ limits: SpeechLimits) throws(SpeechError) {
        (self.role, secondsMax) = (role, limits.workSecondsMax)
        do throws(WorkerProcess.StartFailure) {
            process = try WorkerProcess(role.arguments, messageBytesMax: SpeechLimits.fileBytesMax)
        } catch {
            throw SpeechError(.unavailable, "The process for speech cannot be started: \(error.message).")
        }
    }

    /// Whether the process can answer another message.
    var isUsable: Bool { !hasFailed.withLock { $0 } }

    /// Sends a message, and returns the answer.
    ///
    /// - Throws: ``SpeechError``. After an error, the process cannot be used any more.
    func answer(_ message: [UInt8]) async throws(SpeechError) -> [UInt8] {
        let result = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.exchange(message)) }
        }
        return try result.get()
    }

    /// Runs on the queue.
    private func exchange(_ message: [UInt8]) -> Result<[UInt8], SpeechError> {
        let (channel, deadline) = (process.channel, WorkerChannel.now + secondsMax)
        do throws(WorkerChannel.Failure) {
            try channel.write(message, until: deadline)
            let answer = try channel.read(until: deadline)
            guard answer.first == 1 else {
                hasFailed.withLock { $0 = true }
                let text = String(decoding: answer.dropFirst(), as: UTF8.self)
                return .failure(SpeechError(.unavailable, text))
            }
            return .success(Array(answer.dropFirst()))
        } catch {
            hasFailed.withLock { $0 = true }
            let status = process.end()
            if case .expired = error {
                return .failure(SpeechError(.tooCostly, "The audio takes more than \(Int(secondsMax)) s of work."))
            }
            return .failure(
                status == Int32(GODWIT_MEMORY_EXCEEDED_STATUS)
                    ? SpeechError(.tooCostly, "The audio needs too much memory.")
                    : SpeechError(.unavailable, "The process for speech has ended."))
        }
    }
}
