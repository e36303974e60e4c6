//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import Testing

@Suite("Extreme numbers of peers")
struct ExtremeNumberTests {
    @Test func extremeNumbersOfARevisionAreReplaced() async throws {
        let answer = #"""
            {"results":[{"id":"a","docs":[{"ok":{"_id":"a","_rev":"2-bb",
            "_revisions":{"start":-9223372036854775808,"ids":["bb","aa"]},
            "_attachments":{"x":{"stub":true,"revpos":9223372036854775807,"length":9223372036854775807,
            "content_type":"t/x","digest":"md5-"}}}}]}]}
            """#
        let transport = DoctoredTransport { _ in (200, answer) }
        let endpoint = RemoteEndpoint(try RemoteURL("http://peer.test/trips"), transport: transport)
        let revision = try #require(RevisionID("2-bb"))
        let ancestor = try #require(RevisionID("1-aa"))
        let wanted = WantedRevisions(id: "a", revisions: [revision], knownAncestors: [ancestor])
        let result = try await endpoint.read([wanted], bytesMax: 1 << 20, attachmentBytesMax: 0)
        #expect(result.documents.first?.attachments.first?.length == 1 << 40)
    }

    @Test(arguments: ["9223372036854775807", "-9223372036854775808"])
    func extremePendingCountsAreBounded(pending: String) async throws {
        let answer = #"{"results":[{"id":"a","seq":1,"changes":[{"rev":"1-a"}]}],"last_seq":1,"pending":\#(pending)}"#
        let transport = DoctoredTransport { _ in (200, answer) }
        let endpoint = RemoteEndpoint(try RemoteURL("http://peer.test/trips"), transport: transport)
        let page = try await endpoint.changes(ChangesQuery(limit: 10))
        #expect(page.pending >= 0)
        var plan = ReplicationMachine.Plan(id: "id", sessionID: "session") { "2026-11-21T00:00:00Z" }
        plan.limits = ReplicationLimits()
        var machine = ReplicationMachine(plan)
        let steps: [ReplicationMachine.Outcome] = [.opened, .checkpoints([(nil, nil)]), .changes(page)]
        var actions = machine.handle(.begin, at: 0)
        for outcome in steps {
            guard case .perform(let id, _)? = actions.first else { break }
            actions = machine.handle(.done(id, outcome), at: 0)
        }
        #expect(machine.progress.changesTotal == max(page.pending, 1))
    }

    @Test(arguments: ["-1", "99999", "9223372036854775807"])
    func aStatusThatHTTPDoesNotHaveIsReplaced(status: String) async throws {
        let answer = #"[{"id":"a","rev":"1-a","error":"forbidden","reason":"","status":\#(status)}]"#
        let transport = DoctoredTransport { _ in (201, answer) }
        let endpoint = RemoteEndpoint(try RemoteURL("http://peer.test/trips"), transport: transport)
        let revision = try #require(RevisionID("1-a"))
        let document = ReplicatedDocument(id: "a", revision: revision, text: Array("{}".utf8))
        let failures = try await endpoint.write([document], replication: "id")
        #expect(failures.first?.status == 403)
    }

    @Test func extremeLengthsOfAttachmentsAreReplaced() async throws {
        for (length, expected) in [("-5", 0), ("9223372036854775807", 1 << 40)] {
            let answer = #"""
                {"_id":"a","_rev":"1-aa","_attachments":{"x":{"content_type":"t/x","length":\#(length),"revpos":-1,
                "digest":"","stub":true}}}
                """#
            let transport = DoctoredTransport { _ in (200, answer) }
            let database = try CouchDatabase("http://peer.test/trips", transport: transport)
            let document = try await database.document("a")
            #expect(document.attachments["x"]?.length == expected)
        }
    }

    @Test func aPathHasAllBytesOfAnID() throws {
        #expect(Peer.path(of: "_design/\u{301}a") == "_design/%CC%81a")
        #expect(Peer.path(of: "_design/a/b") == "_design/a%2Fb")
    }

    @Test func datesThatHTTPCannotRepresentAreReplaced() {
        #expect(HTTPDate.text(.min) == "Thu, 01 Jan 1970 00:00:00 GMT")
        #expect(HTTPDate.text(.max) == "Fri, 31 Dec 9999 23:59:59 GMT")
    }
}
