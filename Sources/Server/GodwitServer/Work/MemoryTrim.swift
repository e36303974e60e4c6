//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitStore

/// Returns memory to the system after requests that used much of it.
///
/// The system's allocator keeps freed memory for the thread that allocated it. Therefore, without this type, the
/// process would never become smaller after a large request. Returning 200 MB takes 20 to 40 ms, during which other
/// threads cannot allocate memory. Therefore memory is returned after a pause in which no large request ended. If large
/// requests end one after another without such a pause, memory is returned at most every ten seconds, and only if the
/// process has grown.
enum MemoryTrim {
    /// A request is large if it sent or read at least this number of bytes. This number is small, because the parsed
    /// values may need much more memory than the text: for a list of short strings, up to forty times as much.
    private static let bytesMin = 1 << 20
    /// Memory is returned twice, each time after a pause in which no large request ended. These are the lengths of the
    /// two pauses. The second time is necessary because some memory is freed only after the end of the request: when
    /// the transaction that wrote the documents ends, or when the connection ends.
    private static let pauses = [Duration.milliseconds(500), .seconds(2)]
    /// The maximum time to wait for each pause.
    private static let waitMax = Duration.seconds(10)
    /// The number of bytes by which the process must have grown before memory is returned without a pause.
    private static let growthMin = 64 << 20

    private struct State {
        var isPlanned = false
        /// The time at which the last large request ended.
        var lastEnd = ContinuousClock.now
        /// The memory in use when memory was last returned after a complete pause.
        var restingBytes = 0
    }

    private static let state = Mutex(State())

    /// glibc's `malloc_trim`, which Swift's module of glibc does not contain; `nil` on systems without glibc.
    private static let trim = dlsym(nil, "malloc_trim").map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }

    /// Schedules the return of memory if the request was large. Does nothing on systems without glibc.
    ///
    /// - Parameter bytes: The number of bytes that the ended request sent or read.
    static func plan(after bytes: Int) {
        guard bytes >= bytesMin, trim != nil else { return }
        let isPlanned = state.withLock { state in
            state.lastEnd = .now
            defer { state.isPlanned = true }
            return state.isPlanned
        }
        guard !isPlanned else { return }
        Task {
            for pause in pauses { await release(after: pause, isLast: pause == pauses.last) }
        }
    }

    /// Waits for a pause in which no large request ends, at most for ``waitMax``, and then returns memory.
    private static func release(after pause: Duration, isLast: Bool) async {
        let end = ContinuousClock.now + waitMax
        while ContinuousClock.now < min(end, state.withLock { $0.lastEnd } + pause) {
            try? await Task.sleep(until: min(end, state.withLock { $0.lastEnd } + pause))
        }
        let isResting = state.withLock { state in
            if isLast { state.isPlanned = false }
            return ContinuousClock.now >= state.lastEnd + pause
        }
        BlockingPool.shared.submit {
            let grownBytes = state.withLock(\.restingBytes) + growthMin
            guard isResting || (ProcessUse.residentBytes ?? .max) >= grownBytes else { return }
            _ = trim?(0)
            guard isResting, let bytes = ProcessUse.residentBytes else { return }
            state.withLock { $0.restingBytes = bytes }
        }
    }
}
