//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitStore

@Suite("Cached members of design documents")
struct DesignMemoryTests {
    @Test("A member is read once, until a design document changes")
    func once() {
        let memory = DesignCache()
        var looked = 0
        func ask(_ answer: Bool) -> Bool {
            memory.hasMember("validate_doc_update") {
                looked += 1
                return answer
            }
        }
        #expect(!ask(false) && !ask(true) && looked == 1)
        memory.forget()
        #expect(ask(true) && ask(false) && looked == 2)
    }

    @Test("Reads from before a change are not cached after it")
    func race() {
        let memory = DesignCache()
        let before = memory.hasMember("validate_doc_update") {
            memory.forget()
            return false
        }
        #expect(!before)
        #expect(memory.hasMember("validate_doc_update") { true })
    }

    @Test("Creations, changes and deletions of design documents are visible immediately, in all ways")
    func everyWay() async throws {
        try await withDatastore { store in
            func has() throws -> Bool { try store.hasDesignDocument(withMember: "x") }
            var design = try await store.create(Document(id: "_design/a", body: ["y": 1]))
            #expect(try !has())
            design.body = ["x": 1]
            design = try await store.update(design)
            #expect(try has())
            design.body = [:]
            design = try await store.update(design)
            #expect(try !has())
            let other = try await store.create(Document(id: "_design/b", body: ["x": 1]))
            #expect(try has())
            _ = try await store.delete(other)
            #expect(try !has())
            // A replication inserts a leaf that wins.
            let text = #"{"_id":"_design/c","_rev":"9-ff","x":2}"#
            let incoming = try IncomingDocument(
                parsing: Array(text.utf8), purpose: .replication, limits: store.limits)
            _ = try await store.writeEach([incoming], isReplicated: true, source: .replication("r"))
            #expect(try has())
            _ = try await store.purge("_design/c")
            #expect(try !has())
            let lasting = try await store.create(Document(id: "_design/d", body: ["x": 1]))
            #expect(try has())
            // A write that fails changes nothing.
            await expectFailure(.conflict) { _ = try await store.create(Document(id: "_design/d", body: [:])) }
            #expect(try has())
            _ = try await store.delete(lasting)
            #expect(try !has())
        }
    }

    @Test("Cached single documents are dropped with any change, and are limited")
    func ofDocuments() {
        let memory = DesignCache()
        func made(_ id: String, _ value: Int, bytes: Int = 1) -> Int? {
            memory.made(of: id, bytes: { _ in bytes }) { value }
        }
        #expect(made("_design/a", 1) == 1 && made("_design/a", 2) == 1)
        #expect(memory.made(of: "_design/b", bytes: { (_: Int) in 1 }, make: { nil }) == nil)
        #expect(made("_design/b", 3) == 3)
        memory.forget()
        #expect(made("_design/a", 4) == 4 && made("_design/b", 5) == 5)
        // A value is not cached when its document changed while it was computed.
        _ = memory.made(of: "_design/c", bytes: { (_: Int) in 1 }) {
            memory.forget()
            return 6
        }
        #expect(made("_design/c", 7) == 7)
        #expect(made("_design/d", 8, bytes: StoreLimits.designsKeptBytesMax + 1) == 8)
        #expect(made("_design/d", 9, bytes: StoreLimits.designsKeptBytesMax) == 9)
        #expect(made("_design/d", 10) == 9)
        #expect(made("_design/c", 11) == 11)
    }

    @Test("An owner's design documents apply only to that owner")
    func owners() async throws {
        try await withDatastore { store in
            let anna = store.scoped(to: try .owner("anna"))
            _ = try await anna.create(Document(id: "_design/a", body: ["x": 1]))
            #expect(try anna.hasDesignDocument(withMember: "x") && !store.hasDesignDocument(withMember: "x"))
        }
    }
}
