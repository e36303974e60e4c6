//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitThreads

/// Lets tasks do something one after the other, those of one key among themselves.
package final class Turns<Key: Hashable & Sendable>: Sendable {
    /// Who waits, by key; a key that is there has somebody at work.
    private let waiting = Mutex<[Key: [CheckedContinuation<Void, Never>]]>([:])

    /// Nobody waits.
    package init() {}

    /// Does some work when those that came before for the same key are done.
    package func take<Result>(_ key: Key, _ work: () async throws -> Result) async rethrows -> Result {
        await withCheckedContinuation { continuation in
            let isFirst = waiting.withLock { waiting in
                guard waiting[key] != nil else {
                    waiting[key] = []
                    return true
                }
                waiting[key]?.append(continuation)
                return false
            }
            if isFirst { continuation.resume() }
        }
        defer { end(key) }
        return try await work()
    }

    private func end(_ key: Key) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
            guard waiting[key]?.isEmpty == false else {
                waiting[key] = nil
                return nil
            }
            return waiting[key]?.removeFirst()
        }
        next?.resume()
    }
}
