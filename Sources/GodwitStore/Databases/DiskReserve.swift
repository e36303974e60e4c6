//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitThreads

import struct Synchronization.Atomic

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Room on the disk for what has to go on when it is full: the catalogue at a start after a crash, and the deletion of
/// databases.
///
/// It is a file of zeros in the directory, which is removed when the catalogue finds the disk full. From then on other
/// writes are refused, so that they do not take its room, until the file can be made again.
final class DiskReserve: Sendable {
    private struct State {
        var lastTry = Moment.distantPast
        var observer: (@Sendable (_ hasRoom: Bool) -> Void)?
    }

    private static let fileName = "reserve"

    private let path: String
    private let state = Mutex(State())
    private let released = Atomic(false)

    init(directory: String) { path = "\(directory)/\(DiskReserve.fileName)" }

    /// Whether its room was given away, so that writes are refused.
    var isReleased: Bool { released.load(ordering: .relaxed) }

    /// Makes the file when it is not there. Blocks for the disk.
    ///
    /// - Parameter observer: Told when the room is given away, and when it is there again.
    /// - Returns: Whether the disk has room for writes.
    func keep(observer: @escaping @Sendable (_ hasRoom: Bool) -> Void) -> Bool {
        let hasRoom = state.withLock { state in
            state.observer = observer
            let isMade = make()
            released.store(!isMade, ordering: .relaxed)
            return isMade
        }
        return hasRoom && freeBytes >= StoreLimits.diskReserveBytes
    }

    /// Runs what has to go on when the disk is full: a second time without the reserve when there was no room.
    func perform<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            guard StoreError(wrapping: error, subject: path).code == .diskFull, release() else { throw error }
            return try body()
        }
    }

    /// Makes the file again if its room was given away. Blocks for the disk.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/diskFull`` when there is no room for it.
    func checkRoom() throws(StoreError) {
        guard isReleased else { return }
        let isDue = state.withLock { state in
            defer { state.lastTry = .now }
            return state.lastTry.secondsAgo >= StoreLimits.diskReserveRetrySeconds
        }
        if isDue { refill() }
        guard isReleased else { return }
        throw StoreError(
            .diskFull,
            "the disk is full. Documents can be read and databases deleted; writes go on when there is room again.")
    }

    /// Makes the file again if its room was given away and there is room now. Blocks for the disk.
    func refill() {
        let observer = state.withLock { state -> (@Sendable (Bool) -> Void)? in
            guard isReleased, make() else { return nil }
            released.store(false, ordering: .relaxed)
            return state.observer
        }
        observer?(true)
    }

    /// - Returns: Whether there was a file, so that there is more room now.
    private func release() -> Bool {
        let (wasThere, observer) = state.withLock { state -> (Bool, (@Sendable (Bool) -> Void)?) in
            guard unlink(path) == 0 else { return (false, nil) }
            state.lastTry = .now
            released.store(true, ordering: .relaxed)
            return (true, state.observer)
        }
        observer?(false)
        return wasThere
    }

    /// - Returns: Whether the file is there with all its bytes.
    private func make() -> Bool {
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

    /// What the disk has left for files, beside the reserve.
    private var freeBytes: Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return 0 }
        let (bytes, overflows) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return overflows ? .max : Int(clamping: bytes)
    }
}
