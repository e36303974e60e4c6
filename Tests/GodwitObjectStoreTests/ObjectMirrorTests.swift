//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import Testing

@Suite("A storage is copied to another one")
struct ObjectMirrorTests {
    /// The states of a name in a storage: absent, or with one of two contents.
    private static let contents: [[UInt8]?] = [nil, [1, 2, 3], [4, 5, 6]]
    private static let names = ["a", "a/b", "é"]

    @Test("In all small worlds of three names, the copy has what the source has", arguments: [false, true])
    func smallWorlds(_ deletesOthers: Bool) async throws {
        var worlds: [[Int]] = [[]]
        for _ in 0..<2 * Self.names.count { worlds = worlds.flatMap { world in (0..<3).map { world + [$0] } } }
        for world in worlds {
            let (source, target) = (MemoryStore(), MemoryStore())
            for (index, name) in Self.names.enumerated() {
                if let bytes = Self.contents[world[index]] { try await source.put(.bytes(bytes), as: name, in: "box") }
                if let bytes = Self.contents[world[index + Self.names.count]] {
                    try await target.put(.bytes(bytes), as: name, in: "box")
                }
            }
            let old = target.table("box")
            var mirror = ObjectMirror(from: source, to: target)
            mirror.deletesOthers = deletesOthers
            let report = try await mirror.run()
            var expected = source.table("box")
            if !deletesOthers { expected.merge(old) { new, _ in new } }
            #expect(target.table("box") == expected, "\(world)")
            #expect(report.failureCount == 0)
            let different = source.table("box").filter { old[$0.key] != $0.value }.count
            #expect(report.copiedCount == different && report.unchangedCount == source.table("box").count - different)
            #expect(try await mirror.run().copiedCount == 0)
        }
    }

    @Test("Changed metadata is copied, and objects that are much older are not read again")
    func metadata() async throws {
        let (source, target) = (MemoryStore(), MemoryStore())
        try await source.put(.bytes([1]), as: "a", in: "box", ObjectProperties(metadata: ["k": "v"]))
        let mirror = ObjectMirror(from: source, to: target)
        _ = try await mirror.run()
        try await source.put(.bytes([1]), as: "a", in: "box", ObjectProperties(metadata: ["k": "w"]))
        #expect(try await mirror.run().copiedCount == 1)
        #expect(try target.info(of: "a", in: "box").properties.metadata == ["k": "w"])
        let questions = source.questionCount
        target.makeYounger(by: ObjectMirror.clockSecondsMax + 10)
        #expect(try await mirror.run().unchangedCount == 1)
        #expect(source.questionCount == questions)
    }

    @Test("An object in parts is copied once by one mirror")
    func parts() async throws {
        let (source, target) = (MemoryStore(isInParts: true), MemoryStore())
        try await source.put(.bytes([1, 2]), as: "a", in: "box")
        let mirror = ObjectMirror(from: source, to: target)
        #expect(try await mirror.run().copiedCount == 1)
        #expect(try await mirror.run().copiedCount == 0)
        try await source.put(.bytes([3, 4]), as: "a", in: "box")
        #expect(try await mirror.run().copiedCount == 1)
        #expect(target.table("box") == ["a": [3, 4]])
        // Another mirror cannot compare the tags, unless the copy is much younger.
        #expect(try await ObjectMirror(from: source, to: target).run().copiedCount == 1)
        target.makeYounger(by: ObjectMirror.clockSecondsMax + 10)
        #expect(try await ObjectMirror(from: source, to: target).run().copiedCount == 0)
    }

    @Test("A failure of one object is reported, and the others are copied")
    func failures() async throws {
        let (source, target) = (MemoryStore(), MemoryStore())
        for name in ["a", "b", "c"] { try await source.put(.bytes(Array(name.utf8)), as: name, in: "box") }
        source.damage("b")
        let report = try await ObjectMirror(from: source, to: target).run()
        #expect(report.copiedCount == 2 && report.failureCount == 1)
        #expect(report.failures.first?.hasPrefix("box/b: ") == true)
        #expect(target.table("box").keys.sorted() == ["a", "c"])
    }

    @Test("Unsorted lists end the run; containers of the target stay unless deletions are requested")
    func containers() async throws {
        let (source, target) = (MemoryStore(), MemoryStore())
        target.createContainer("other")
        try await target.put(.bytes([1]), as: "x", in: "other")
        var mirror = ObjectMirror(from: source, to: target)
        _ = try await mirror.run()
        #expect(target.table("other").count == 1)
        mirror.deletesOthers = true
        #expect(try await mirror.run().deletedCount == 1)
        #expect(target.containers() == ["box"])
        for name in ["b", "a"] { try await source.put(.bytes([1]), as: name, in: "box") }
        source.reverseLists()
        await #expect(throws: ObjectError.self) { try await mirror.run() }
    }
}

/// A storage in memory with the container `box`.
private final class MemoryStore: ObjectStore {
    private struct State {
        var containers: [String: [String: (bytes: [UInt8], info: ObjectInfo)]] = ["box": [:]]
        var questionCount = 0
        var damaged: String?
        var isReversed = false
        var clock = 1_000.0
        var tagCount = 0
    }

    private let state = Mutex(State())
    /// Whether entity tags are those of objects in parts.
    private let isInParts: Bool

    init(isInParts: Bool = false) { self.isInParts = isInParts }

    var questionCount: Int { state.withLock { $0.questionCount } }

    func table(_ container: String) -> [String: [UInt8]] {
        state.withLock { $0.containers[container]?.mapValues(\.bytes) ?? [:] }
    }

    func damage(_ name: String) { state.withLock { $0.damaged = name } }

    func reverseLists() { state.withLock { $0.isReversed = true } }

    func makeYounger(by seconds: Double) {
        state.withLock { state in
            for (container, objects) in state.containers {
                for (name, object) in objects {
                    let info = object.info
                    state.containers[container]?[name]?.info = ObjectInfo(
                        name: name, byteCount: info.byteCount, entityTag: info.entityTag,
                        modified: info.modified + seconds, properties: info.properties)
                }
            }
        }
    }

    func createContainer(_ name: String) { state.withLock { $0.containers[name] = $0.containers[name] ?? [:] } }
    func deleteContainer(_ name: String) { state.withLock { $0.containers[name] = nil } }
    func containers() -> [String] { state.withLock { $0.containers.keys.sorted() } }
    func setPublicReading(_ isPublic: Bool, of container: String) {}
    func allowsPublicReading(of container: String) -> Bool { false }

    @discardableResult
    func put(
        _ source: ObjectSource, as name: String, in container: String, _ properties: ObjectProperties
    ) async throws(ObjectError) -> ObjectInfo {
        var bytes: [UInt8] = []
        do {
            switch source {
            case .bytes(let all): bytes = all
            case .stream(let stream, _): for try await piece in stream { bytes += piece }
            case .file: throw ObjectError(.unsupported, "No files.")
            }
        } catch {
            throw ObjectError(reading: error, name)
        }
        return state.withLock { state in
            state.clock += 1
            state.tagCount += 1
            let tag = MessageDigest.Algorithm.md5.digest(of: bytes).hexadecimal
            let info = ObjectInfo(
                name: name, byteCount: bytes.count, entityTag: isInParts ? "\(tag)-\(state.tagCount)" : tag,
                modified: state.clock, properties: properties)
            state.containers[container]?[name] = (bytes, info)
            return info
        }
    }

    func info(of name: String, in container: String) throws(ObjectError) -> ObjectInfo {
        let found = state.withLock { state in
            state.questionCount += 1
            return state.containers[container]?[name]?.info
        }
        guard let found else { throw ObjectError(.objectNotFound, "No \(name).") }
        return found
    }

    func read(_ name: String, in container: String, range: Range<Int>?) throws(ObjectError) -> ObjectReading {
        let (found, isDamaged) = state.withLock { ($0.containers[container]?[name], $0.damaged == name) }
        guard let found else { throw ObjectError(.objectNotFound, "No \(name).") }
        guard !isDamaged else { throw ObjectError(.corrupt, "Damaged.") }
        let body = AsyncThrowingStream<[UInt8], any Error> { continuation in
            continuation.yield(found.bytes)
            continuation.finish()
        }
        return ObjectReading(info: found.info, range: 0..<found.bytes.count, body: body)
    }

    func delete(_ name: String, in container: String) { state.withLock { $0.containers[container]?[name] = nil } }

    func copy(
        _ name: String, in container: String, to newName: String, in newContainer: String
    ) throws(ObjectError) -> ObjectInfo {
        throw ObjectError(.unsupported, "No copies.")
    }

    func objects(in container: String, _ page: ObjectPage) -> ObjectList {
        state.withLock { state in
            let all = (state.containers[container] ?? [:]).values.map(\.info)
            let sorted = all.sorted { ExactText($0.name) < ExactText($1.name) }
            return ObjectList(objects: state.isReversed ? sorted.reversed() : sorted)
        }
    }

    func temporaryURL(
        for use: ObjectUse, of name: String, in container: String, secondsMax: Int
    ) throws(ObjectError) -> String {
        throw ObjectError(.unsupported, "No URLs.")
    }
}
