//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A thread that belongs neither to libdispatch nor to Swift's task executors.
package enum BlockingThread {
    /// The default stack size of a thread, in bytes. It is greater than the stack that SQLite needs. The default of
    /// some systems (musl) may be too small for SQLite.
    package static let stackBytes = 1 << 20

    /// Runs `body` on a new thread, which ends when `body` returns.
    ///
    /// - Returns: `false` if the system cannot start a thread. In that case, `body` does not run.
    package static func start(stackBytes: Int = stackBytes, _ body: @escaping @Sendable () -> Void) -> Bool {
        let retainedBody = Unmanaged.passRetained(Body(run: body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, stackBytes)
        guard createThread(&attributes, retainedBody.toOpaque()) != 0 else { return true }
        retainedBody.release()
        return false
    }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// - Returns: 0, or the error number of the system.
    private static func createThread(
        _ attributes: UnsafePointer<pthread_attr_t>, _ body: UnsafeMutableRawPointer
    ) -> Int32 {
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        return pthread_create(&thread, attributes, main, body)
    }

    #if canImport(Darwin)
        private static let main: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { body in
            Unmanaged<Body>.fromOpaque(body).takeRetainedValue().run()
            return nil
        }
    #else
        private static let main: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { body in
            Unmanaged<Body>.fromOpaque(body!).takeRetainedValue().run()
            return nil
        }
    #endif
}
