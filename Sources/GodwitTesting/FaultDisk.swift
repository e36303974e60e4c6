//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CFaultDisk
public import GodwitKeys
import GodwitQuery
public import GodwitStore
import GodwitThreads

/// A disk that fails when a test says so: full, failing, or without power.
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

    /// What a disk has done.
    public struct Counts: Hashable, Sendable {
        /// Reads of a page or a part of one.
        public let reads: Int
        /// Writes.
        public let writes: Int
        /// Flushes to the medium.
        public let flushes: Int
        /// The bytes of all writes.
        public let bytesWritten: Int
    }

    /// The name under which SQLite knows the disk.
    package let name: String

    /// Proof of `Sendable`: the disk's own mutex guards what it points to, and it is freed with this object.
    private nonisolated(unsafe) let disk: OpaquePointer

    private static let numbers = Mutex(0)

    /// Makes a disk that works, over the system's files.
    public init() {
        let number = FaultDisk.numbers.withLock { number in
            number += 1
            return number
        }
        name = "godwit-faults-\(number)"
        disk = faultdisk_make(name)!
    }

    deinit { faultdisk_free(disk) }

    /// Opens a directory whose files are on this disk. The disk must outlive the manager.
    ///
    /// - Throws: ``StoreError`` as ``DatastoreManager/init(directory:durability:limits:key:)`` does.
    public func manager(
        directory: String, durability: Durability = .full, limits: StoreLimits = .default, key: EncryptionKey? = nil
    ) throws(StoreError) -> DatastoreManager {
        try DatastoreManager(
            directory: directory, durability: durability, limits: limits, key: key, indexes: QueryKinds.all, disk: name)
    }

    /// Limits what all databases on the disk take together; beyond it a write fails as on a full disk.
    ///
    /// - Parameter bytes: The limit; `nil` for none.
    public func setCapacity(bytes: Int?) { faultdisk_set_capacity(disk, bytes.map(Int64.init) ?? -1) }

    /// Makes operations of a kind fail.
    ///
    /// - Parameters:
    ///   - operation: The kind.
    ///   - skipped: How many succeed before.
    ///   - times: How many fail.
    public func fail(_ operation: Operation, after skipped: Int = 0, times: Int = 1) {
        faultdisk_fail(disk, faultdisk_operation(UInt32(operation.rawValue)), Int64(skipped), Int64(times))
    }

    /// Cuts the power: everything fails from now on, and of what was written since each file's last flush all, some, or
    /// half of a page is on the disk.
    ///
    /// Close the manager, restore the power and open it again, as after a start.
    ///
    /// - Parameter seed: Decides what is lost; the same seed over the same writes loses the same.
    public func cutPower(seed: UInt64) { faultdisk_cut_power(disk, seed) }

    /// Restores the power; nothing fails any more.
    public func restorePower() { faultdisk_restore_power(disk) }

    /// What the disk has done so far.
    public var counts: Counts {
        let counts = faultdisk_count(disk)
        return Counts(
            reads: Int(counts.reads), writes: Int(counts.writes), flushes: Int(counts.flushes),
            bytesWritten: Int(counts.bytes_written))
    }
}
