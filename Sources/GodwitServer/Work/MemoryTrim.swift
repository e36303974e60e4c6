import GodwitStore
import GodwitThreads

//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Glibc)
    import Glibc
#endif

/// Gives memory back to the system after requests that held much of it.
///
/// The system's allocator keeps what was freed for the thread that had it, so that a process would stay as large as its
/// largest requests made it.
enum MemoryTrim {
    /// Bytes that a request brought or read, above which its memory is given back, and the shortest time between two times.
    /// Parsed, a list of short texts takes up to forty times its length.
    private static let bytesMin = 1 << 20
    private static let pause = Duration.milliseconds(500)

    /// Bytes by which the process must have grown since it was last quiet.
    private static let growthMin = 64 << 20

    private struct State {
        var isPlanned = false
        /// The memory in use when memory was last given back and no costly request was under way.
        var quietBytes = 0
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
    /// - Parameters:
    ///   - bytes: What the request brought or read that ended.
    ///   - isQuiet: Whether no costly request is under way.
    static func plan(after bytes: Int, isQuiet: @escaping @Sendable () -> Bool) {
        #if canImport(Glibc)
            guard bytes >= bytesMin,
                state.withLock({ state in
                    defer { state.isPlanned = true }
                    return !state.isPlanned
                })
            else { return }
            Task {
                try? await Task.sleep(for: pause)
                let quietBytes = state.withLock { state in
                    state.isPlanned = false
                    return state.quietBytes
                }
                BlockingPool.shared.submit {
                    guard (ProcessUse.residentBytes ?? .max) >= quietBytes + growthMin else { return }
                    _ = trim?(0)
                    guard isQuiet(), let bytes = ProcessUse.residentBytes else { return }
                    state.withLock { $0.quietBytes = bytes }
                }
            }
        #endif
    }
}
