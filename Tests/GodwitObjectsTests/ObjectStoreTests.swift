//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitClientNIO
import GodwitFoundation
import GodwitObjectStore
import GodwitTransport
import Testing

@Suite("Each store of objects behaves alike")
struct ObjectStoreTests {
    @Test("An object is read as it was stored, with its properties", arguments: StoreKind.present)
    func roundTrip(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, container in
            let bytes = pattern(300_000)
            let properties = ObjectProperties(
                contentType: "image/jpeg", metadata: ["bird": "godwit", "ring": "7"],
                headers: ["cache-control": "max-age=60", "content-disposition": "inline"])
            let stored = try await store.put(.bytes(bytes), as: "a b/ü.jpg", in: container, properties)
            let md5 = MessageDigest.Algorithm.md5.digest(of: bytes).hexadecimal
            #expect(stored.byteCount == bytes.count && stored.entityTag == md5)
            let info = try await store.info(of: "a b/ü.jpg", in: container)
            #expect(info.byteCount == bytes.count && info.entityTag == md5 && info.properties == properties)
            #expect(abs(info.modified - Date().timeIntervalSince1970) < 60)
            let reading = try await store.read("a b/ü.jpg", in: container)
            #expect(reading.range == 0..<bytes.count && reading.info.entityTag == md5)
            #expect(try await reading.bytes(bytesMax: 1 << 20) == bytes)
            try await store.put(.bytes([1]), as: "a b/ü.jpg", in: container)
            #expect(try await store.read("a b/ü.jpg", in: container).bytes(bytesMax: 10) == [1])
        }
    }

    @Test("Empty objects and ranges", arguments: StoreKind.present)
    func ranges(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, container in
            try await store.put(.bytes([]), as: "empty", in: container)
            #expect(try await store.read("empty", in: container).bytes(bytesMax: 10).isEmpty)
            let bytes = pattern(200_000)
            try await store.put(.bytes(bytes), as: "long", in: container)
            for range in [0..<1, 65_535..<65_537, 100_000..<200_000, 199_999..<500_000, 0..<200_000] {
                let reading = try await store.read("long", in: container, range: range)
                #expect(reading.range == range.clamped(to: 0..<200_000))
                #expect(try await reading.bytes(bytesMax: 1 << 20) == Array(bytes[range.clamped(to: 0..<200_000)]))
            }
            await expect(.rangeNotSatisfiable) { try await store.read("long", in: container, range: 200_000..<200_001) }
        }
    }

    @Test("Files and streams are stored; a stream of another length is refused", arguments: StoreKind.present)
    func sources(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, container in
            let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
            defer { try? FileManager.default.removeItem(atPath: path) }
            let bytes = pattern(1_500_000)
            try Data(bytes).write(to: URL(filePath: path))
            try await store.put(.file(path), as: "file", in: container)
            #expect(try await store.read("file", in: container).bytes(bytesMax: 1 << 21) == bytes)
            try await store.put(.stream(Pieces(bytes, of: 70_000), length: bytes.count), as: "stream", in: container)
            #expect(try await store.read("stream", in: container).bytes(bytesMax: 1 << 21) == bytes)
            for length in [bytes.count - 1, bytes.count + 1] {
                await #expect(throws: ObjectError.self) {
                    try await store.put(.stream(Pieces(bytes, of: 70_000), length: length), as: "bad", in: container)
                }
            }
            await expect(.objectNotFound) { try await store.info(of: "bad", in: container) }
        }
    }

    @Test("Lists have pages, prefixes and common prefixes", arguments: StoreKind.present)
    func lists(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, container in
            let names = ["a", "b/1", "b/2", "b/3/x", "c", "d/1", "é", "😀"]
            for name in names { try await store.put(.bytes(Array(name.utf8)), as: name, in: container) }
            var all: [String] = []
            for try await object in store.allObjects(in: container) { all.append(object.name) }
            #expect(all == names)
            var (page, found) = (ObjectPage(delimiter: "/", countMax: 2), [String]())
            while true {
                let list = try await store.objects(in: container, page)
                #expect(list.objects.count + list.prefixes.count <= 2)
                found += (list.objects.map(\.name) + list.prefixes).sorted {
                    $0.utf8.lexicographicallyPrecedes($1.utf8)
                }
                guard let next = list.next else { break }
                page.after = next
            }
            #expect(found == ["a", "b/", "c", "d/", "é", "😀"])
            let below = try await store.objects(in: container, ObjectPage(prefix: "b/", delimiter: "/"))
            #expect(below.objects.map(\.name) == ["b/1", "b/2"] && below.prefixes == ["b/3/"] && below.next == nil)
            #expect(below.objects.map(\.byteCount) == [3, 3])
        }
    }

    @Test("Objects are copied and deleted; what does not exist is named", arguments: StoreKind.present)
    func copiesAndDeletions(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, container in
            let properties = ObjectProperties(contentType: "text/plain", metadata: ["k": "v"])
            try await store.put(.bytes([1, 2, 3]), as: "one/#1?.txt", in: container, properties)
            try await store.copy("one/#1?.txt", in: container, to: "two", in: container)
            #expect(try await store.info(of: "two", in: container).properties == properties)
            #expect(try await store.containers().contains(container))
            await expect(.containerNotEmpty) { try await store.deleteContainer(container) }
            for name in ["one/#1?.txt", "two", "two"] { try await store.delete(name, in: container) }
            await expect(.objectNotFound) { try await store.read("two", in: container) }
            await expect(.objectNotFound) { try await store.copy("two", in: container, to: "three", in: container) }
            try await store.createContainer(container)
            try await store.deleteContainer(container)
            await expect(.containerNotFound) { try await store.objects(in: container, ObjectPage()) }
            await expect(.containerNotFound) { try await store.put(.bytes([1]), as: "x", in: container) }
            await expect(.containerNotFound) { try await store.delete("x", in: container) }
            await expect(.containerNotFound) { try await store.deleteContainer(container) }
        }
    }

    @Test("A large object is stored in parts, with flat memory", arguments: StoreKind.present)
    func largeObject(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, container in
            // More than the S3 client sends at once.
            let (piece, count) = (pattern(1 << 20), 70)
            let stream = Pieces(piece, repeated: count)
            try await store.put(.stream(stream, length: count << 20), as: "large", in: container)
            #expect(try await store.info(of: "large", in: container).byteCount == count << 20)
            var digest = MessageDigest(.sha256)
            for try await bytes in try await store.read("large", in: container).body { digest.update(bytes) }
            var expected = MessageDigest(.sha256)
            for _ in 0..<count { expected.update(piece) }
            #expect(digest.finish() == expected.finish())
        }
    }

    @Test(
        "A temporary URL permits one use of one object",
        arguments: StoreKind.present.filter { $0 != .files && $0 != .encryptedFiles })
    func temporaryURLs(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, container in
            try await store.put(.bytes(Array("tern".utf8)), as: "a/b c", in: container)
            let transport = AsyncHTTPTransport()
            let read = try await store.temporaryURL(for: .reading, of: "a/b c", in: container, secondsMax: 60)
            let response = try await transport.send(.init(method: "GET", url: read, secondsMax: 30))
            #expect(response.status == 200)
            #expect(try await response.collect(bytesMax: 100) == Array("tern".utf8))
            let write = try await store.temporaryURL(for: .writing, of: "new", in: container, secondsMax: 60)
            var request = TransportRequest(method: "PUT", url: write, secondsMax: 30)
            request.body = .bytes([7])
            #expect((200...201).contains(try await transport.send(request).status))
            #expect(try await store.read("new", in: container).bytes(bytesMax: 10) == [7])
            // moto checks no signatures.
            guard kind != .foreignS3 else { return }
            let other = read.replacing("b%20c", with: "other")
            #expect(
                (401...403).contains(try await transport.send(.init(method: "GET", url: other, secondsMax: 30)).status))
        }
    }

    @Test("Public reading is set and read", arguments: StoreKind.present)
    func publicReading(_ kind: StoreKind) async throws {
        try await withStore(kind) { store, container in
            for isPublic in [false, true, false] {
                try await store.setPublicReading(isPublic, of: container)
                #expect(try await store.allowsPublicReading(of: container) == isPublic)
            }
            await expect(.containerNotFound) { try await store.allowsPublicReading(of: container + "-none") }
        }
    }

    private func expect(
        _ code: ObjectError.Code, _ body: () async throws -> some Any, at location: SourceLocation = #_sourceLocation
    ) async {
        do {
            _ = try await body()
            Issue.record("no error", sourceLocation: location)
        } catch {
            #expect((error as? ObjectError)?.code == code, "\(error)", sourceLocation: location)
        }
    }
}

/// Bytes that do not repeat with any power of two.
func pattern(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 / 251) } }

/// Bytes in pieces.
struct Pieces: AsyncSequence, Sendable {
    private let pieces: [[UInt8]]

    init(_ bytes: [UInt8], of count: Int) {
        pieces = stride(from: 0, to: bytes.count, by: count).map {
            Array(bytes[$0..<Swift.min($0 + count, bytes.count)])
        }
    }

    init(_ piece: [UInt8], repeated count: Int) { pieces = Array(repeating: piece, count: count) }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces[...]) }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: ArraySlice<[UInt8]>

        mutating func next() async throws -> [UInt8]? { pieces.popFirst() }
    }
}
