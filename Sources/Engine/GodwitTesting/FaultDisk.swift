//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CFaultDisk
import GodwitBase
public import GodwitKeys
import GodwitQuery
public import GodwitStore

/// A simulated disk for tests of failures: a full disk, failing operations, power loss.
///
/// ```swift
/// let disk = FaultDisk()
/// let manager = try disk.manager(directory: directory)
/// let trips = try await manager.datastore(named: "trips")
/// disk.setCapacity(bytes: 1_000_000)
/// // … what does the app do when `create` throws `diskFull`?
/// ```
public final class FaultDisk: Sendable {
    /// A kind of operation that can be made to fail.
    public enum Operation: Int, CaseIterable, Sendable {
        case read, write, flush, truncate, delete, open
    }

    /// The numbers of operations of a disk.
    public struct Counts: Hashable, Sendable {
        /// The number of reads of a page or a part of one.
        public let reads: Int
        /// The number of writes.
        public let writes: Int
        /// The number of flushes to the medium.
        public let flushes: Int
        /// The number of written bytes.
        public let bytesWritten: Int
    }

    /// The name of the disk as a VFS of SQLite.
    package let name: String

    /// Proof of `Sendable`: the disk's mutex protects the object, which is freed in `deinit`.
    private nonisolated(unsafe) let disk: OpaquePointer

    private static let lastNumber = Mutex(0)

    /// Creates a disk without failures on top of the system's files.
    public init() {
        let number = FaultDisk.lastNumber.withLock { number in
            number += 1
            return number
        }
        name = "godwit-faults-\(number)"
        disk = faultdisk_make(name)!
    }

    deinit { faultdisk_free(disk) }

    /// Opens a directory whose files are on this disk. The disk must outlive the manager.
    ///
    /// - Throws: ``StoreError``, as ``DatastoreManager/init(directory:durability:limits:key:)``.
    public func manager(
        directory: String, durability: Durability = .full, limits: StoreLimits = .default, key: EncryptionKey? = nil
    ) throws(StoreError) -> DatastoreManager {
        try DatastoreManager(
            directory: directory, durability: durability, limits: limits, key: key, indexes: QueryKinds.all, disk: name)
    }

    /// Limits the total size of all files on the disk. A write beyond the limit fails as on a full disk.
    ///
    /// - Parameter bytes: The limit in bytes; `nil` for no limit.
    public func setCapacity(bytes: Int?) { faultdisk_set_capacity(disk, bytes.map(Int64.init) ?? -1) }

    /// Makes operations of a kind fail. Replaces an earlier setting for this kind.
    ///
    /// - Parameters:
    ///   - operation: The kind of operation.
    ///   - skipped: The number of operations that succeed before the first failure.
    ///   - times: The number of operations that fail.
    public func fail(_ operation: Operation, after skipped: Int = 0, times: Int = 1) {
        faultdisk_fail(disk, faultdisk_operation(UInt32(operation.rawValue)), Int64(skipped), Int64(times))
    }

    /// Simulates a power loss: all operations fail from now on. For each write since the last flush of its file, the
    /// disk keeps the written bytes, loses them, or keeps only a part, as a real disk does.
    ///
    /// Close the manager, restore the power and open the directory again, as after a restart.
    ///
    /// - Parameter seed: Determines which writes are lost; the same seed and the same writes have the same result.
    public func cutPower(seed: UInt64) { faultdisk_cut_power(disk, seed) }

    /// Restores the power and removes all failures of ``fail(_:after:times:)``. The limit of ``setCapacity(bytes:)``
    /// remains.
    public func restorePower() { faultdisk_restore_power(disk) }

    /// The numbers of operations so far.
    public var counts: Counts {
        let counts = faultdisk_count(disk)
        return Counts(
            reads: Int(counts.reads), writes: Int(counts.writes), flushes: Int(counts.flushes),
            bytesWritten: Int(counts.bytes_written))
    }
}
