//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitStore

@Suite("Rendering of stored revisions")
struct DocumentRendererTests {
    private func text(
        _ store: Datastore, _ id: String, _ renderer: DocumentRenderer = DocumentRenderer()
    ) throws -> String {
        let text = try store.readTogether { table in
            var text = DocumentText()
            renderer.append(StoredRevision(winnerOf: try #require(try table.row(id: id))), to: &text)
            return try table.filled(text)
        }
        try JSONScanner.validate(text)
        return String(decoding: text, as: UTF8.self)
    }

    @Test(
        "The body's bytes are inserted unchanged, with any spaces",
        arguments: [
            ("{}", ""), ("{ }", ""), ("{\n\t}", ""), (#"{"a": 1 }"#, #","a": 1 "#), (#"{ "a":1}"#, #", "a":1"#),
        ])
    func splice(body: String, rest: String) async throws {
        try await withDatastore { store in
            let document = IncomingDocument(id: "d", body: try incoming(body).body)
            let revision = try await store.transact { try $0.apply(document) }
            let found = try text(store, "d")
            #expect(found == #"{"_id":"d","_rev":"\#(revision)"\#(rest)}"#)
        }
    }

    @Test("An id is escaped, and a deletion is marked")
    func identity() async throws {
        try await withDatastore { store in
            let revision = try await store.save(#"{"_id":"a\"\\\n","_deleted":true}"#)
            let found = try text(store, "a\"\\\n")
            #expect(found == #"{"_id":"a\"\\\n","_rev":"\#(revision)","_deleted":true}"#)
        }
    }

    @Test("Members that a client requests in addition to the body")
    func meta() async throws {
        try await withDatastore { store in
            try await store.graft(#"{"_id":"d","_rev":"2-b","n":1}"#)
            var renderer = DocumentRenderer()
            renderer.path = try [revision("2-b"), revision("1-a")]
            renderer.pathStatus = try [(revision("2-b"), "available"), (revision("1-a"), "missing")]
            renderer.localSequence = 1
            renderer.conflicts = [try revision("2-a")]
            renderer.deletedConflicts = []
            let found = try text(store, "d", renderer)
            #expect(
                found == #"{"_id":"d","_rev":"2-b","_revisions":{"start":2,"ids":["b","a"]},"#
                    + #""_revs_info":[{"rev":"2-b","status":"available"},{"rev":"1-a","status":"missing"}],"#
                    + #""_local_seq":1,"_conflicts":["2-a"],"n":1}"#)
        }
    }

    @Test("Attachments are stubs, or have their bytes unless an ancestor has them")
    func attachments() async throws {
        try await withDatastore { store in
            try await store.graft(
                #"{"_id":"d","_rev":"2-b","_attachments":{"x":{"content_type":"text/plain","data":"aGVsbG8="}}}"#)
            let head =
                #"{"_id":"d","_rev":"2-b","_attachments":{"x":{"content_type":"text/plain","revpos":2,"#
                + #""digest":"md5-XUFAKrxLKna5cZ2REBfFkg==","#
            let stub = head + #""length":5,"stub":true}}}"#
            var renderer = DocumentRenderer()
            #expect(try text(store, "d", renderer) == stub)
            renderer.attachments = .inline(unlessIn: [])
            #expect(try text(store, "d", renderer) == head + #""data":"aGVsbG8="}}}"#)
            renderer.attachments = .inline(unlessIn: [try revision("1-a")])
            #expect(try text(store, "d", renderer) == head + #""data":"aGVsbG8="}}}"#)
            renderer.attachments = .inline(unlessIn: [try revision("2-b")])
            let found = try text(store, "d", renderer)
            #expect(found == stub)
        }
    }
}
