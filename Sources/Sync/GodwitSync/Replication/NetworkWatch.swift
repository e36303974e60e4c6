//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Dispatch
import GodwitBase
import GodwitStore

/// Notifies continuous replications when the network of the device changes. A change of the network means that an
/// interface or an address is added or removed.
///
/// The process has one watch. The watch observes the network while there are listeners. On a system that does not
/// report changes of the network, listeners are never called.
final class NetworkWatch: Sendable {
    static let shared = NetworkWatch()

    /// The wait after the first message of a change, in milliseconds. A change causes many messages, and listeners are
    /// called once after them.
    private static let settleMilliseconds = 300

    private struct State {
        var listeners: [Int: @Sendable () -> Void] = [:]
        var nextListener = 0
        var changes: NetworkChanges?
        var isSettling = false
    }

    private let state = Mutex(State())
    private let queue = DispatchQueue(label: "godwit.network")

    private init() {}

    /// Adds a listener.
    ///
    /// - Returns: The number of the listener. Pass it to ``end(_:)`` to remove the listener.
    func listen(_ notify: @escaping @Sendable () -> Void) -> Int {
        state.withLock { state in
            if state.changes == nil {
                state.changes = NetworkChanges(queue: queue) { [weak self] in self?.changed() }
            }
            state.nextListener += 1
            state.listeners[state.nextListener] = notify
            return state.nextListener
        }
    }

    /// Removes a listener.
    func end(_ listener: Int) {
        state.withLock { state in
            state.listeners[listener] = nil
            if state.listeners.isEmpty { state.changes = nil }
        }
    }

    private func changed() {
        let isFirst = state.withLock { state in
            defer { state.isSettling = true }
            return !state.isSettling
        }
        guard isFirst else { return }
        queue.asyncAfter(deadline: .now() + .milliseconds(NetworkWatch.settleMilliseconds)) { [weak self] in
            self?.notify()
        }
    }

    private func notify() {
        let listeners = state.withLock { state in
            state.isSettling = false
            return Array(state.listeners.values)
        }
        for notify in listeners { notify() }
    }
}
