//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

import struct Synchronization.Atomic

/// Reserved disk space for the operations that must succeed on a full disk: catalogue changes at a start after a crash,
/// and the deletion of databases.
///
/// The reserve is a file of zeros in the directory. It is removed when one of these operations finds the disk full.
/// Until the file can be created again, all other writes are rejected, so that they do not use the released space.
final class DiskReserve: Sendable {
    private struct State {
        var lastTry = Moment.distantPast
        var observer: (@Sendable (_ hasCapacity: Bool) -> Void)?
    }

    private static let fileName = "reserve"

    private let path: String
    private let state = Mutex(State())
    private let released = Atomic(false)

    init(directory: String) { path = "\(directory)/\(DiskReserve.fileName)" }

    /// Whether the reserve was released, so that writes are rejected.
    var isReleased: Bool { released.load(ordering: .relaxed) }

    /// Creates the file if it is absent. Blocks for the disk.
    ///
    /// - Parameter observer: Called with `false` when the reserve is released, and with `true` when it is restored.
    /// - Returns: Whether the reserve exists and the disk has at least `diskReserveBytes` of other free space.
    func keep(observer: @escaping @Sendable (_ hasCapacity: Bool) -> Void) -> Bool {
        let hasCapacity = state.withLock { state in
            state.observer = observer
            let isCreated = createFile()
            released.store(!isCreated, ordering: .relaxed)
            return isCreated
        }
        return hasCapacity && freeBytes >= StoreLimits.diskReserveBytes
    }

    /// Runs an operation that must succeed on a full disk. If the disk is full and the reserve exists, releases the
    /// reserve and runs the operation again.
    func perform<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            guard StoreError(wrapping: error, subject: path).code == .diskFull, release() else { throw error }
            return try body()
        }
    }

    /// Creates the file again if the reserve was released, with at most one attempt in `diskReserveRetrySeconds`.
    /// Blocks for the disk.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/diskFull`` if the file could not be created again yet.
    func checkFreeSpace() throws(StoreError) {
        guard isReleased else { return }
        let isDue = state.withLock { state in
            // A call that makes no attempt does not begin a new interval. Otherwise, frequent calls would prevent all
            // attempts.
            guard state.lastTry.secondsAgo >= StoreLimits.diskReserveRetrySeconds else { return false }
            state.lastTry = .now
            return true
        }
        if isDue { refill() }
        guard isReleased else { return }
        throw StoreError(
            .diskFull,
            "the disk is full. Documents can be read and databases deleted. Free disk space to write again.")
    }

    /// Creates the file again if the reserve was released and the disk has space now. Blocks for the disk.
    func refill() {
        let observer = state.withLock { state -> (@Sendable (Bool) -> Void)? in
            guard isReleased, createFile() else { return nil }
            released.store(false, ordering: .relaxed)
            return state.observer
        }
        observer?(true)
    }

    /// - Returns: Whether a file was removed, so that the disk has more free space now.
    private func release() -> Bool {
        let (wasRemoved, observer) = state.withLock { state -> (Bool, (@Sendable (Bool) -> Void)?) in
            guard unlink(path) == 0 else { return (false, nil) }
            state.lastTry = .now
            released.store(true, ordering: .relaxed)
            return (true, state.observer)
        }
        observer?(false)
        return wasRemoved
    }

    /// - Returns: Whether the file exists with its full size.
    private func createFile() -> Bool {
        var status = stat()
        if stat(path, &status) == 0, status.st_size >= StoreLimits.diskReserveBytes { return true }
        do {
            let zeros = [UInt8](repeating: 0, count: StoreLimits.diskReserveBytes)
            try DatabaseFiles.write(zeros, to: path, flushes: true)
            return true
        } catch {
            unlink(path)
            return false
        }
    }

    /// The free space on the disk without the reserve, in bytes; 0 if it cannot be determined.
    private var freeBytes: Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return 0 }
        let (bytes, overflows) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflows ? .max : Int(clamping: bytes)
    }
}
