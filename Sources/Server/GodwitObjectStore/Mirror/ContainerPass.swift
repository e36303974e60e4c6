//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// Compares the lists of one container in both storages, and copies the objects that differ.
struct ContainerPass: Sendable {
    let mirror: ObjectMirror
    let container: String
    let counts: MirrorCounts

    private var source: any ObjectStore { mirror.source }
    private var target: any ObjectStore { mirror.target }

    /// - Parameter isNew: Whether the target does not have the container.
    func run(isNew: Bool) async throws(ObjectError) {
        if isNew { try await target.createContainer(container) }
        let isPublic = try await source.allowsPublicReading(of: container)
        if try await target.allowsPublicReading(of: container) != isPublic {
            try await target.setPublicReading(isPublic, of: container)
        }
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                var (running, steps) = (0, try await MirrorSteps(self))
                while let step = try await steps.next() {
                    if running == ObjectMirror.copiesAtOnceMax {
                        try await group.next()
                        running -= 1
                    }
                    running += 1
                    group.addTask { try await perform(step) }
                }
                try await group.waitForAll()
            }
        } catch {
            throw ObjectError(reading: error, container)
        }
    }

    /// Performs one step. An error that concerns only one object is counted as a failure. An error that concerns a
    /// service ends the run.
    private func perform(_ step: MirrorStep) async throws(ObjectError) {
        do throws(ObjectError) {
            switch step {
            case .compare(let object, let copy): try await compare(object, copy)
            case .copy(let object): try await self.copy(object)
            case .delete(let name): try await delete(name)
            }
        } catch {
            guard !error.endsRun else { throw error }
            counts.add { $0.fail(step.name, in: container, error) }
        }
    }

    /// Compares an object with a copy of the same length. If their properties or entity tags differ, the object is
    /// copied again. There is one exception: the entity tags may differ if this mirror knows that it made the copy with
    /// the one entity tag from the object with the other entity tag.
    private func compare(_ object: ObjectInfo, _ copy: ObjectInfo) async throws(ObjectError) {
        let known = KnownCopies.Pair(
            container: container, name: ExactText(object.name), sourceTag: object.entityTag, targetTag: copy.entityTag)
        let hasEqualBytes = object.entityTag.isIdenticalText(to: copy.entityTag) || mirror.copies.contains(known)
        guard hasEqualBytes else { return try await self.copy(object) }
        let properties = try await source.info(of: object.name, in: container)
        let copied = try await target.info(of: object.name, in: container)
        guard properties.entityTag.isIdenticalText(to: object.entityTag),
            copied.entityTag.isIdenticalText(to: copy.entityTag),
            properties.properties.isCopied(by: copied.properties)
        else { return try await self.copy(object) }
        counts.add { $0.unchangedCount += 1 }
    }

    private func copy(_ object: ObjectInfo) async throws(ObjectError) {
        let (found, copied): (ObjectInfo, ObjectInfo)
        do throws(ObjectError) {
            (found, copied) = try await transfer(object.name, expires: true)
        } catch {
            switch error.code {
            // In the meantime, the object was deleted.
            case .objectNotFound: return
            // S3 does not support times of removal, and refuses such a request before it reads the bytes. In this case,
            // the object is copied without its time of removal.
            case .unsupported: (found, copied) = try await transfer(object.name, expires: false)
            default: throw error
            }
        }
        let isComparable = !found.isInParts && !copied.isInParts
        guard !isComparable || found.entityTag.isIdenticalText(to: copied.entityTag) else {
            throw ObjectError(
                .badDigest, "The copy has other bytes than the source. It is copied again by the next run.")
        }
        if !found.entityTag.isIdenticalText(to: copied.entityTag) {
            mirror.copies.insert(
                KnownCopies.Pair(
                    container: container, name: ExactText(object.name), sourceTag: found.entityTag,
                    targetTag: copied.entityTag))
        }
        counts.add { report in
            report.copiedCount += 1
            report.copiedBytes = report.copiedBytes.addingSaturated(found.byteCount)
        }
    }

    /// - Parameter expires: Whether to copy the time of removal.
    /// - Returns: The object as it was read, and its copy.
    private func transfer(
        _ name: String, expires: Bool
    ) async throws(ObjectError) -> (found: ObjectInfo, copied: ObjectInfo) {
        let reading = try await source.read(name, in: container)
        var properties = reading.info.properties
        if !expires { properties.expires = nil }
        let copied = try await target.put(
            .stream(reading.body, length: reading.info.byteCount), as: name, in: container, properties)
        return (reading.info, copied)
    }

    /// Deletes an object that the list of the source does not contain. Before that, a request to the source checks that
    /// the object really does not exist.
    private func delete(_ name: String) async throws(ObjectError) {
        do throws(ObjectError) {
            _ = try await source.info(of: name, in: container)
            return
        } catch {
            guard error.code == .objectNotFound else { throw error }
        }
        try await target.delete(name, in: container)
        counts.add { $0.deletedCount += 1 }
    }
}

/// A difference between two lists.
enum MirrorStep: Sendable {
    /// Both storages have the object with the same length. Its content or its properties may differ.
    case compare(ObjectInfo, ObjectInfo)
    /// The target does not have the object, or its copy has another length.
    case copy(ObjectInfo)
    /// The source does not have the object.
    case delete(String)

    var name: String {
        switch self {
        case .compare(let object, _), .copy(let object): object.name
        case .delete(let name): name
        }
    }
}

/// The differences between the lists of one container, in the order of the names.
struct MirrorSteps {
    private let pass: ContainerPass
    private var source: SortedObjects
    private var target: SortedObjects

    init(_ pass: ContainerPass) async throws(ObjectError) {
        self.pass = pass
        source = try await SortedObjects(pass.mirror.source, pass.container)
        target = try await SortedObjects(pass.mirror.target, pass.container)
    }

    /// Returns the next difference; `nil` at the end.
    mutating func next() async throws(ObjectError) -> MirrorStep? {
        while true {
            guard let object = source.next else {
                guard let other = target.next, pass.mirror.deletesOthers else { return nil }
                try await target.advance()
                return .delete(other.name)
            }
            guard let copy = target.next, !(ExactText(object.name) < ExactText(copy.name)) else {
                try await source.advance()
                return .copy(object)
            }
            guard ExactText(object.name) == ExactText(copy.name) else {
                try await target.advance()
                guard pass.mirror.deletesOthers else { continue }
                return .delete(copy.name)
            }
            try await source.advance()
            try await target.advance()
            guard object.byteCount == copy.byteCount else { return .copy(object) }
            // If the copy is younger than the object, the properties need not be compared: a later change of the
            // properties would have made the object younger than the copy.
            let isYounger = copy.modified >= object.modified + ObjectMirror.clockSecondsMax
            guard isYounger, object.entityTag.isIdenticalText(to: copy.entityTag) || object.isInParts || copy.isInParts
            else {
                return .compare(object, copy)
            }
            pass.counts.add { $0.unchangedCount += 1 }
        }
    }
}

extension ObjectInfo {
    /// Whether the object was stored in parts. Its entity tag is then not the MD5 of its bytes.
    fileprivate var isInParts: Bool { entityTag.utf8.count != 32 }
}

extension ObjectProperties {
    /// Whether a copy has the content type, the headers and the metadata.
    fileprivate func isCopied(by copy: ObjectProperties) -> Bool {
        ExactText.areEqual(contentType, copy.contentType) && headers == copy.headers && metadata == copy.metadata
    }
}

extension ObjectError {
    /// Whether an error concerns the service and not one object.
    fileprivate var endsRun: Bool {
        [.network, .accessDenied, .overloaded, .diskFull, .quotaExceeded, .closed, .cancelled, .containerNotFound]
            .contains(code)
    }
}
