//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Copies all objects of one storage to a second storage. The second storage can then replace the first one.
///
/// ```swift
/// let mirror = ObjectMirror(from: store, to: standby)
/// let report = try await mirror.run()
/// ```
///
/// A run compares the two lists of each container, and copies the objects that are absent or different in the second
/// storage. At most ``copiesAtOnceMax`` objects are copied at the same time, piece by piece. If a run is interrupted,
/// the next run continues its work.
///
/// An object is not copied again if its copy has the same length and the same entity tag, and is younger by at least
/// ``clockSecondsMax``. If the object or the copy was uploaded in parts, their entity tags cannot be compared, and only
/// the lengths and the times are compared. If the entity tags are equal but the copy is not younger by
/// ``clockSecondsMax``, the properties of both are requested and compared.
///
/// A mirror copies bytes, content types, headers such as `Content-Encoding`, metadata of objects, and the permission
/// for public reading. Times of removal are not compared. If both services support them, they are copied together with
/// the bytes. Accounts, keys and quotas are not copied.
public struct ObjectMirror: Sendable {
    /// The largest number of objects that are copied at the same time.
    public static let copiesAtOnceMax = 4
    /// The largest difference between the clocks of both services, in seconds.
    public static let clockSecondsMax = 900.0

    let source: any ObjectStore
    let target: any ObjectStore
    /// The containers to copy; `nil` for all.
    public var containers: [String]?
    /// Whether objects and containers that the source does not have are deleted from the target. Before an object of an
    /// existing container is deleted from the target, a separate request to the source confirms that the object does
    /// not exist. Containers are deleted only if ``containers`` is `nil`.
    public var deletesOthers = false
    /// The copies of earlier runs whose entity tags cannot be compared.
    let copies = KnownCopies()

    /// Creates a mirror. For repeated runs, use the same mirror. It remembers the copies of objects that were uploaded
    /// in parts, whose entity tags cannot be compared.
    ///
    /// - Parameters:
    ///   - source: The storage to read.
    ///   - target: The storage to write.
    public init(from source: any ObjectStore, to target: any ObjectStore) {
        self.source = source
        self.target = target
    }

    /// Copies all differences once.
    ///
    /// - Parameter progress: A closure that is called after each object. Several calls may run at the same time.
    /// - Returns: The counts, and the objects that could not be copied.
    /// - Throws: ``ObjectError`` if a list cannot be read, if the source has no container with one of the given names,
    ///   or if a service fails as a whole, for example because of the network, the credentials or a full disk. Failures
    ///   of single objects are in the report.
    public func run(
        progress: @escaping @Sendable (ObjectMirrorReport) -> Void = { _ in }
    ) async throws(ObjectError) -> ObjectMirrorReport {
        let counts = MirrorCounts(progress)
        let existing = try await source.containers()
        let sources = Set(existing.map { ExactText($0) })
        let wanted = containers ?? existing
        let present = Set(try await target.containers().map { ExactText($0) })
        for name in wanted {
            guard sources.contains(ExactText(name)) else {
                throw ObjectError(.containerNotFound, "The source has no container \(name).")
            }
            let pass = ContainerPass(mirror: self, container: name, counts: counts)
            do throws(ObjectError) {
                try await pass.run(isNew: !present.contains(ExactText(name)))
            } catch {
                // S3 does not accept every name of a container. If the name is refused, only this container fails, and
                // the run continues.
                guard error.code == .invalidName else { throw error }
                counts.add { $0.fail("", in: name, error) }
            }
        }
        if deletesOthers, containers == nil { try await deleteOtherContainers(counts) }
        return counts.report
    }

    private func deleteOtherContainers(_ counts: MirrorCounts) async throws(ObjectError) {
        // The list of the target is requested first. Otherwise, a container that is created in both storages between
        // the two requests would be only in the list of the target, and would be deleted.
        let targets = try await target.containers()
        let sources = Set(try await source.containers().map { ExactText($0) })
        for name in targets where !sources.contains(ExactText(name)) {
            for try await object in target.allObjects(in: name) {
                try await target.delete(object.name, in: name)
                counts.add { $0.deletedCount += 1 }
            }
            try await target.deleteContainer(name)
        }
    }
}

/// The result of a run of ``ObjectMirror``.
public struct ObjectMirrorReport: Equatable, Sendable {
    /// The number of objects that were copied.
    public internal(set) var copiedCount = 0
    /// The number of bytes of the copied objects.
    public internal(set) var copiedBytes = 0
    /// The number of objects whose copies were already equal.
    public internal(set) var unchangedCount = 0
    /// The number of objects that were deleted from the target.
    public internal(set) var deletedCount = 0
    /// The number of failures. A failure is an object that could not be copied or deleted, or a container whose name
    /// the target does not accept.
    public internal(set) var failureCount = 0
    /// The first failures. Each text contains the container, the name of the object, and the reason.
    public internal(set) var failures: [String] = []

    /// The largest number of failures in a report.
    public static let failuresMax = 100

    /// - Parameter name: The object; empty for the container itself.
    mutating func fail(_ name: String, in container: String, _ error: ObjectError) {
        failureCount += 1
        if failures.count < ObjectMirrorReport.failuresMax {
            failures.append("\(container)\(name.isEmpty ? "" : "/")\(name): \(error.message)")
        }
    }
}
