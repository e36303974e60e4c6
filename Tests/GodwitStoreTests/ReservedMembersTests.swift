//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import Testing

@testable import GodwitStore

@Suite("Reserved members")
struct ReservedMembersTests {
    @Test func everything() throws {
        let document = try incoming(
            """
            {"_id":"a","_rev":"3-c","_deleted":true,"n":1,
            "_revisions":{"start":3,"ids":["c","0123456789abcdef0123456789abcdef"]}}
            """, purpose: .replication)
        #expect(document.id == "a" && document.isDeleted)
        #expect(document.revision?.description == "3-c")
        #expect(document.path.map(\.description) == ["3-c", "2-0123456789abcdef0123456789abcdef"])
        #expect(document.attachments == nil)
        #expect(document.canonicalBody.isEmpty)
    }

    @Test func theHistoryOfAnEditNamesItsParentAtMost() throws {
        let document = try incoming(#"{"_id":"a","_revisions":{"start":2,"ids":["b","a"]}}"#)
        #expect(document.revision?.description == "2-b" && document.path.isEmpty)
    }

    @Test func nothing() throws {
        let document = try incoming("{}")
        #expect(document.id == nil && document.revision == nil && !document.isDeleted)
        #expect(document.path.isEmpty && document.attachments == nil)
    }

    @Test(
        "CouchDB's messages",
        arguments: [
            (#"{"_id":1}"#, StoreError.Code.invalidDocumentID, "Document id must be a string"),
            (#"{"_id":null}"#, .invalidDocumentID, "Document id must be a string"),
            (#"{"_id":""}"#, .invalidDocumentID, "Document id must not be empty"),
            (#"{"_id":"_x"}"#, .invalidDocumentID, "Only reserved document ids may start with underscore."),
            (#"{"_rev":1}"#, .invalidRevision, "Invalid rev format"),
            (#"{"_rev":"x"}"#, .invalidRevision, "Invalid rev format"),
            (#"{"_rev":""}"#, .invalidRevision, "Invalid rev format"),
            (#"{"_x":1}"#, .invalidDocument, "Bad special document member: _x"),
            (#"{"_":1}"#, .invalidDocument, "Bad special document member: _"),
            (#"{"\u005fx":1}"#, .invalidDocument, "Bad special document member: _x"),
            (#"{"_deleted":"yes"}"#, .invalidDocument, "_deleted must be true or false"),
            (#"{"_attachments":[]}"#, .invalidDocument, "_attachments must be a JSON object"),
            (
                #"{"_attachments":{"_a":{"data":""}}}"#, .invalidRequest,
                "Attachment name '_a' starts with prohibited character '_'"
            ),
        ])
    func couchDBsWords(text: String, code: StoreError.Code, message: String) {
        for purpose in [IncomingDocument.Purpose.edit, .replication] {
            let error = #expect(throws: StoreError.self) { try incoming(text, purpose: purpose) }
            #expect(error?.code == code)
            #expect(error?.message == message)
        }
    }

    @Test(
        "An invalid history is refused",
        arguments: [
            "1", "[]", "{}", #"{"start":1}"#, #"{"ids":["a"]}"#, #"{"start":1,"ids":[]}"#, #"{"start":0,"ids":["a"]}"#,
            #"{"start":-1,"ids":["a"]}"#, #"{"start":1,"ids":["b","a"]}"#, #"{"start":"1","ids":["a"]}"#,
            #"{"start":1,"ids":"a"}"#, #"{"start":1,"ids":[1]}"#, #"{"start":1,"ids":[""]}"#,
            #"{"start":1,"ids":["a b"]}"#,
            #"{"start":9223372036854775807,"ids":["a"]}"#, #"{"start":1000000000000000,"ids":["a"]}"#,
            #"{"start":1e300,"ids":["a"]}"#,
        ])
    func brokenHistory(history: String) {
        let error = #expect(throws: StoreError.self) {
            try incoming(#"{"_revisions":\#(history)}"#, purpose: .replication)
        }
        #expect([.invalidDocument, .invalidRequest, .invalidRevision].contains(error?.code))
    }

    @Test("As in CouchDB, _revisions determines the revision, not _rev")
    func revisionAndHistory() throws {
        let text = #"{"_rev":"2-a","_revisions":{"start":2,"ids":["b","a"]}}"#
        #expect(try incoming(text, purpose: .replication).revision == revision("2-b"))
        #expect(try incoming(text).revision == revision("2-a"))
    }

    @Test("An impossible revision is refused", arguments: ["0-a", "1-"])
    func unstorableRevisions(text: String) throws {
        let error = #expect(throws: StoreError.self) { try incoming(#"{"_rev":"\#(text)"}"#, purpose: .replication) }
        #expect(error?.code == .invalidRevision)
        // An edit of the revision is a conflict, which the database detects.
        #expect(try incoming(#"{"_rev":"\#(text)"}"#).revision == revision(text))
    }

    @Test("Limits of a history and of a hash")
    func limits() throws {
        var limits = StoreLimits()
        limits.revisionPathMax = 3
        limits.revisionHashBytesMax = 8
        func read(_ text: String) throws -> IncomingDocument {
            try incoming(text, purpose: .replication, limits: limits)
        }
        #expect(try read(#"{"_revisions":{"start":9,"ids":["c","b","a"]}}"#).path.count == 3)
        #expect(throws: StoreError.self) { try read(#"{"_revisions":{"start":9,"ids":["d","c","b","a"]}}"#) }
        #expect(try read(#"{"_rev":"1-12345678"}"#).revision?.hashText == "12345678")
        for text in [#"{"_rev":"1-123456789"}"#, #"{"_revisions":{"start":1,"ids":["123456789"]}}"#] {
            let error = #expect(throws: StoreError.self) { try read(text) }
            #expect(error?.code == .invalidRevision)
        }
    }

    @Test("Attachments: bytes, stubs, and the last of two with one name")
    func attachments() throws {
        let document = try incoming(
            """
            {"_attachments":{
            "b":{"content_type":"text/plain","data":"aGVsbG8="},
            "a":{"stub":true,"digest":"md5-x","length":5,"revpos":1},
            "c":{"data":"","content_type":7},
            "d":{"data":"!","data":"\\/\\/79"},
            "f":{"follows":true,"content_type":"text/x","length":3,"revpos":2},
            "e":{"data":"QQ=="},"e":{"data":"Qg"}}}
            """)
        let found = try #require(document.attachments).map { attachment in
            switch attachment {
            case .stub(let name, let position): "\(name): stub of \(position ?? 0)"
            case .inline(let name, let type, let bytes, _): "\(name): \(type) \(bytes)"
            case .stored(let name, _, _, _): "\(name): stored"
            case .following(let name, let type, let position): "\(name): \(type) follows \(position ?? 0)"
            case .known(let name, _, _): "\(name): known"
            case .absent(let name, _, _, _): "\(name): absent"
            }
        }
        #expect(
            found == [
                "a: stub of 1", "b: text/plain [104, 101, 108, 108, 111]", "c: application/octet-stream []",
                "d: application/octet-stream [255, 254, 253]", "e: application/octet-stream [66]",
                "f: text/x follows 2",
            ])
    }

    @Test("Names that are equal in Unicode are two attachments")
    func canonicallyEquivalentNames() throws {
        let document = try incoming(
            "{\"_attachments\":{\"\u{E9}\":{\"data\":\"QQ==\"},\"e\u{301}\":{\"data\":\"Qg==\"}}}")
        #expect(document.attachments?.count == 2)
    }

    @Test("White space between the digits of Base64 is ignored, as in CouchDB")
    func digitsInLines() throws {
        let document = try incoming(#"{"_attachments":{"a":{"data":"QUJD\nQUJD\r\n\tQU JD\n"},"b":{"data":"QU JD"}}}"#)
        let bytes = document.attachments?.map { attachment -> [UInt8] in
            if case .inline(_, _, let bytes, _) = attachment { bytes } else { [] }
        }
        #expect(bytes == [Array("ABCABCABC".utf8), Array("ABC".utf8)])
    }

    @Test(
        "Invalid attachments are refused",
        arguments: [
            #"{"a":1}"#, #"{"a":{}}"#, #"{"a":{"stub":false}}"#, #"{"a":{"data":1}}"#, #"{"a":{"data":"Q"}}"#,
            #"{"a":{"data":"Q=Q="}}"#, #"{"a":{"data":"é"}}"#, #"{"a":{"data":"QU\u000bJD"}}"#,
            #"{"":{"data":""}}"#, #"{"a":{"stub":"true"}}"#,
        ])
    func refusedAttachments(text: String) {
        let error = #expect(throws: StoreError.self) { try incoming(#"{"_attachments":\#(text)}"#) }
        #expect(error?.code == .invalidRequest)
    }
}
