//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitThreads

#if canImport(Glibc)
    import Glibc
#endif

/// Gives memory back to the system after requests that held much of it.
///
/// The system's allocator keeps what was freed for the thread that had it, so that a process would stay as large as its
/// largest requests made it. To give it back takes 20 to 40 ms for 200 MB, in which other threads wait to allocate. So it is
/// done when no large request has ended for a while, and every ten seconds while they go on ending if the process has grown.
enum MemoryTrim {
    /// Bytes that a request brought or read, above which it is a large one. Parsed, a list of short texts takes up to forty
    /// times its length.
    private static let bytesMin = 1 << 20
    /// How long no large request has ended, the first time that memory is given back and the second: some is freed after the
    /// request that took it, with the transaction that wrote its documents or the connection that carried it.
    private static let pauses = [Duration.milliseconds(500), .seconds(2)]
    /// The longest time that is waited for that.
    private static let waitMax = Duration.seconds(10)
    /// Bytes by which the process must have grown since memory was given back, while large requests go on ending.
    private static let growthMin = 64 << 20

    private struct State {
        var isPlanned = false
        /// When the last large request ended.
        var last = ContinuousClock.now
        /// The memory in use after it was given back the last time that no large request had ended for a while.
        var restingBytes = 0
    }

    private static let state = Mutex(State())

    #if canImport(Glibc)
        /// glibc's `malloc_trim`, which its module for Swift leaves out.
        private static let trim = dlsym(nil, "malloc_trim").map {
            unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
        }
    #endif

    /// Gives memory back soon, where the process has grown.
    ///
    /// - Parameter bytes: What the request brought or read that ended.
    static func plan(after bytes: Int) {
        #if canImport(Glibc)
            guard bytes >= bytesMin else { return }
            let isPlanned = state.withLock { state in
                state.last = .now
                defer { state.isPlanned = true }
                return state.isPlanned
            }
            guard !isPlanned else { return }
            Task {
                for pause in pauses { await release(after: pause, isLast: pause == pauses.last) }
            }
        #endif
    }

    #if canImport(Glibc)
        /// Gives memory back when no large request has ended for a while, at the latest after ``waitMax``.
        private static func release(after pause: Duration, isLast: Bool) async {
            let end = ContinuousClock.now + waitMax
            while ContinuousClock.now < min(end, state.withLock { $0.last } + pause) {
                try? await Task.sleep(until: min(end, state.withLock { $0.last } + pause))
            }
            let isResting = state.withLock { state in
                if isLast { state.isPlanned = false }
                return ContinuousClock.now >= state.last + pause
            }
            BlockingPool.shared.submit {
                let grownBytes = state.withLock(\.restingBytes) + growthMin
                guard isResting || (ProcessUse.residentBytes ?? .max) >= grownBytes else { return }
                _ = trim?(0)
                guard isResting, let bytes = ProcessUse.residentBytes else { return }
                state.withLock { $0.restingBytes = bytes }
            }
        }
    #endif
}
