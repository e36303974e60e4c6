//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs what takes a processor for a third of a second, or waits for the disk, on threads of its own: Swift's tasks go on
/// meanwhile. Few run at a time, since each derivation takes 128 MB.
enum KeyWork {
    private static let turns = Turns(KeyLimits.derivationsMax)

    /// Runs `body` when its turn comes, and gives its result.
    static func run<Result: Sendable>(
        _ body: @escaping @Sendable () throws(KeyError) -> Result
    ) async throws(KeyError) -> Result {
        await turns.take()
        let outcome = await withCheckedContinuation { continuation in
            let isStarted = KeyThread.start {
                continuation.resume(returning: Swift.Result(catching: body))
            }
            if !isStarted {
                let error = KeyError(.unavailable, "The system gives no thread to work on a key.")
                continuation.resume(returning: .failure(error))
            }
        }
        await turns.give()
        return try outcome.get()
    }
}

/// Turns that are given to so many at a time, in the order in which they were asked for.
private actor Turns {
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func take() async {
        if free > 0 {
            free -= 1
        } else {
            await withCheckedContinuation { waiting.append($0) }
        }
    }

    func give() {
        if waiting.isEmpty {
            free += 1
        } else {
            waiting.removeFirst().resume()
        }
    }
}

/// A thread of our own, outside libdispatch's and so outside those of Swift's tasks.
private enum KeyThread {
    private static let stackBytes = 1 << 20

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs `body` on a new thread, which ends with it.
    ///
    /// - Returns: Whether the system gave a thread; otherwise `body` does not run.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let task = Unmanaged.passRetained(Body(run: body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, stackBytes)
        guard create(&attributes, task.toOpaque()) != 0 else { return true }
        task.release()
        return false
    }

    private static func create(
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
