//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitSync
import GodwitTransport
import TestKit
import Testing

@Suite("Interrupted pushes that are repeated", .endsWhenHung)
struct CutPushTests {
    private static let photo = (0..<4_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) }
    private static let cut = 1_700_000
    /// The maximum size of a request with a photo, without the photo.
    private static let frameBytesMax = 2_000

    /// The faults of requests to the target.
    private final class Faults: Sendable {
        struct State {
            /// The number of requests with a photo that are interrupted.
            var cuts = 0
            var cutBytes = CutPushTests.cut
            var isSpoiling = false
            /// Whether the next response to a request with a photo is lost.
            var losesAnswer = false
            /// The response to the request for arrived bytes, in place of the target's.
            var arrivals: (status: Int, body: String)?
            var questions = 0
            /// The lengths of the requests with a photo.
            var lengths: [Int] = []
            /// The reported numbers of bytes at the target.
            var told: [Int] = []
        }

        private let state = Mutex(State())

        func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

        var lengths: [Int] { state.withLock { $0.lengths } }

        var questions: Int { state.withLock { $0.questions } }

        var told: [Int] { state.withLock { $0.told } }

        func losesAnswer() -> Bool {
            state.withLock { state in
                defer { state.losesAnswer = false }
                return state.losesAnswer
            }
        }

        /// Expects requests with these numbers of bytes of the photo.
        func expectLengths(_ expected: [Int]) {
            let lengths = lengths
            #expect(lengths.count == expected.count, "\(lengths)")
            for (length, wanted) in zip(lengths, expected) {
                #expect((wanted..<wanted + frameBytesMax).contains(length), "\(lengths)")
            }
        }

        func doctor(_ request: inout TransportRequest) -> (status: Int, body: String)? {
            state.withLock { state in
                if request.url.hasSuffix("/_godwit/arrivals") {
                    state.questions += 1
                    return state.arrivals
                }
                guard case .stream(let pieces, let length) = request.body else { return nil }
                state.lengths.append(length)
                guard state.cuts > 0 else { return nil }
                state.cuts -= 1
                let cut = CutPieces(pieces: pieces, bytesMax: state.cutBytes, isSpoiling: state.isSpoiling)
                request.body = .stream(cut, length: length)
                return nil
            }
        }
    }

    /// Pushes all changes.
    private typealias Push = @Sendable () async throws -> Void

    private func withFaults(
        attempts: Int = 1, isSourceRemote: Bool = false,
        _ body: @escaping @Sendable (Faults, _ source: Datastore, _ target: Datastore, Push) async throws -> Void
    ) async throws {
        let faults = Faults()
        try await withManager { manager in
            let source = try await manager.datastore(named: "source")
            let target = try await manager.datastore(named: "target")
            _ = try await source.create(
                Document(id: "a", body: [:], attachments: ["photo.jpg": .data(Self.photo, contentType: "image/jpeg")]))
            try await withServer(of: manager) { address in
                var limits = ReplicationLimits()
                limits.retrySeconds = 0.001
                limits.attemptsMax = attempts
                let credentials = Credentials.basic(user: "admin", password: "secret")
                let here: any DatabaseEndpoint =
                    isSourceRemote
                    ? RemoteEndpoint(try RemoteURL("\(address)/source"), credentials: credentials)
                    : LocalEndpoint(source)
                try await body(faults, source, target) { [limits] in
                    let remote = RemoteEndpoint(
                        try RemoteURL("\(address)/target"), credentials: credentials, limits: limits,
                        transport: DoctoredTransport { request in
                            let answer = faults.doctor(&request)
                            guard case .stream = request.body, faults.losesAnswer() else { return answer }
                            _ = try await DoctoredTransport { _ in nil }.send(request)
                            throw ReplicationError(.network, "lost")
                        })
                    let report = try await Replicator(from: here, to: remote, limits: limits).run { progress in
                        faults.change { $0.told.append(progress.attachmentBytes) }
                    }
                    #expect(report.failures.isEmpty && report.counts.documentsWritten == 1)
                }
                let stored = try #require(try target.document("a").attachments["photo.jpg"])
                let bytes = try await target.bytes(of: stored).collect(bytesMax: .max)
                #expect((bytes == Self.photo) as Bool)
                #expect(try await target.check() == [])
            }
        }
    }

    @Test("Each run sends the bytes that the target lacks", arguments: [false, true])
    func resumed(isSourceRemote: Bool) async throws {
        try await withFaults(isSourceRemote: isSourceRemote) { faults, _, target, push in
            faults.change { $0.cuts = 2 }
            for _ in 1...2 { await #expect(throws: ReplicationError.self) { try await push() } }
            let count = try target.documentCount
            #expect(count == 0)
            try await push()
            let lengths = faults.lengths
            try #require(lengths.count == 3)
            // Bytes that were in buffers at the interruption are lost.
            for (position, length) in lengths.enumerated() {
                #expect(abs(Self.photo.count - position * Self.cut - length) < 300_000, "\(lengths)")
            }
        }
    }

    @Test("A one-shot run continues as long as each attempt makes progress, and reports it")
    func progress() async throws {
        try await withFaults(attempts: 3) { faults, _, _, push in
            faults.change { $0.cuts = 8 }
            faults.change { $0.cutBytes = 450_000 }
            try await push()
            #expect(faults.lengths.count > 4)
            let told = faults.told
            #expect(told == told.sorted() && told.last == Self.photo.count)
        }
    }

    @Test(
        "A peer that does not report received bytes gets all bytes, and is asked once", arguments: [400, 404, 405, 501])
    func unknown(status: Int) async throws {
        try await withFaults(attempts: 3) { faults, _, target, push in
            faults.change { $0.cuts = 2 }
            faults.change { $0.arrivals = (status, #"{"error":"not_found","reason":"missing"}"#) }
            try await push()
            faults.expectLengths([Int](repeating: Self.photo.count, count: 3))
            #expect(faults.questions == 1)
            // The reported progress pauses while bytes are sent again, and never decreases.
            let told = faults.told
            #expect(told == told.sorted() && told.last == Self.photo.count)
            try await target.compact()
            let bytes = try target.info().fileBytes
            #expect(bytes < 2 * Self.photo.count)
        }
    }

    @Test(
        "Invalid responses to the query are ignored",
        arguments: [
            (200, "<html>Log in</html>"), (200, #"{"arrivals":[]}"#), (200, #"{"arrivals":[{"bytes":-1}]}"#),
            (200, #"{"arrivals":[{"bytes":4000001}]}"#), (503, ""),
        ])
    func nonsense(status: Int, body: String) async throws {
        try await withFaults { faults, _, _, push in
            faults.change { $0.arrivals = (status, body) }
            try await push()
            faults.expectLengths([Self.photo.count])
        }
    }

    @Test("Bytes that the target has removed are sent from the beginning")
    func gone() async throws {
        try await withFaults { faults, _, _, push in
            faults.change { $0.arrivals = (200, #"{"arrivals":[{"bytes":1000000}]}"#) }
            try await push()
            faults.expectLengths([Self.photo.count - 1_000_000, Self.photo.count])
        }
    }

    @Test("Received bytes that make the attachment invalid are dropped, and it is sent again")
    func spoilt() async throws {
        try await withFaults { faults, _, _, push in
            faults.change { $0.cuts = 1 }
            faults.change { $0.isSpoiling = true }
            await #expect(throws: ReplicationError.self) { try await push() }
            try await push()
            let lengths = faults.lengths
            #expect(lengths.count == 3 && lengths[1] < Self.photo.count && lengths[2] > Self.photo.count, "\(lengths)")
        }
    }

    @Test("A document is not sent again if only the response was lost")
    func answered() async throws {
        try await withFaults(attempts: 3) { faults, _, _, push in
            faults.change { $0.losesAnswer = true }
            try await push()
            faults.expectLengths([Self.photo.count])
        }
    }

    @Test("A small document is sent without a query, until it was interrupted")
    func small() async throws {
        try await withFaults(attempts: 3) { faults, source, target, push in
            let bytes = Array(Self.photo.prefix(900_000))
            try await source.purge("a")
            _ = try await source.create(
                Document(id: "b", body: [:], attachments: ["photo.jpg": .data(bytes, contentType: "image/jpeg")]))
            try await push()
            #expect(faults.questions == 0)
            // Before the large photo is sent, the target is asked once for arrived bytes.
            _ = try await source.create(
                Document(id: "a", body: [:], attachments: ["photo.jpg": .data(Self.photo, contentType: "image/jpeg")]))
            try await push()
            #expect(faults.questions == 1)
            try await source.purge("b")
            try await target.purge("b")
            _ = try await source.create(
                Document(id: "c", body: [:], attachments: ["photo.jpg": .data(bytes, contentType: "image/jpeg")]))
            faults.change { $0.cuts = 2 }
            faults.change { $0.cutBytes = 500_000 }
            faults.change { $0.lengths = [] }
            try await push()
            let lengths = faults.lengths
            // The bytes of the first attempt are not kept, but the bytes of the second one are.
            #expect(lengths.count == 3 && lengths[1] > 900_000 && lengths[2] < 900_000, "\(lengths)")
        }
    }
}

/// The pieces of a request that ends too early, with one byte changed if the test corrupts it.
private struct CutPieces: AsyncSequence, Sendable {
    let pieces: any AsyncSequence<[UInt8], any Error> & Sendable
    let bytesMax: Int
    let isSpoiling: Bool

    func makeAsyncIterator() -> Iterator { Iterator(cut: self, pieces: pieces.makeAsyncIterator()) }

    struct Iterator: AsyncIteratorProtocol {
        let cut: CutPieces
        var pieces: any AsyncIteratorProtocol<[UInt8], any Error>
        var count = 0

        mutating func next() async throws -> [UInt8]? {
            guard count < cut.bytesMax else {
                // Gives the sent bytes time to arrive before the connection ends.
                try await Task.sleep(for: .milliseconds(200))
                throw ReplicationError(.network, "cut")
            }
            guard var piece = try await pieces.next(isolation: nil) else { return nil }
            if cut.isSpoiling, count > 100_000 { piece[0] ^= 1 }
            count += piece.count
            return piece
        }
    }
}
