//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A value that only one thread at a time can access.
///
/// It has the interface of `Mutex` in the standard library's `Synchronization`. On Linux, that type uses the kernel's
/// futex directly. ThreadSanitizer does not recognize this, and reports every access as a race. ThreadSanitizer
/// recognizes POSIX locks, so this type uses a POSIX lock.
package struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Proof of `Sendable`: the value is accessed only under the lock, and was transferred when the mutex was created.
    // The functions are inlinable: without specialization in other modules, generic code takes several times as long.
    @usableFromInline let lock: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline let value: UnsafeMutablePointer<Value>

    /// Creates an unlocked mutex that owns a value.
    @inlinable
    package init(_ value: consuming sending Value) {
        lock = .allocate(capacity: 1)
        lock.initialize(to: pthread_mutex_t())
        pthread_mutex_init(lock, nil)
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
    }

    @inlinable
    deinit {
        pthread_mutex_destroy(lock)
        lock.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` with the value while the calling thread holds the lock, if no thread holds it now.
    ///
    /// - Returns: The result of `body`; `nil` if another thread holds the lock.
    @inlinable
    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard pthread_mutex_trylock(lock) == 0 else { return nil }
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }

    /// Runs `body` with the value while the calling thread holds the lock. The lock is not recursive: `body` must not
    /// use the same mutex.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(lock)
        defer { pthread_mutex_unlock(lock) }
        return try body(&value.pointee)
    }
}
