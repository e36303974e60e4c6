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

    private static let isPlanned = Mutex(false)

    #if canImport(Glibc)
        /// glibc's `malloc_trim`, which its module for Swift leaves out.
        private static let trim = dlsym(nil, "malloc_trim").map {
            unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
        }
    #endif

    /// Gives memory back soon.
    ///
    /// - Parameter bytes: What the request held that ended.
    static func plan(after bytes: Int) {
        #if canImport(Glibc)
            guard bytes >= bytesMin,
                isPlanned.withLock({ planned in
                    defer { planned = true }
                    return !planned
                })
            else { return }
            Task {
                try? await Task.sleep(for: pause)
                isPlanned.withLock { $0 = false }
                BlockingPool.shared.submit { _ = trim?(0) }
            }
        #endif
    }
}
