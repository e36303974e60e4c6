//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitExchange
import Testing

@Suite("JSON Lines")
struct LineReaderTests {
    private func read(_ text: String, id: String? = nil) throws -> Reading {
        try Reading.everywhere(text) { LineReader($0, idMember: id) }
    }

    @Test("Each line is a document, without members that describe revisions")
    func lines() throws {
        let text = "\u{FEFF}{\"_id\":\"a\",\"_rev\":\"1-x\",\"_conflicts\":[],\"n\":1}\n\n  {\"n\":\"\\n\"}\r\n{}"
        let reading = try read(text)
        #expect(reading.records == [#"a {"n":1}"#, #"- {"n":"\n"}"#, "- {}"])
        #expect(try read(#"{"k":5,"_id":"a"}"#, id: "k").records == [#"5 {"k":5}"#])
    }

    @Test(
        "A line that is not a document is reported with its number",
        arguments: [
            "{", "[]", "3", "{}{}", #"{"_id":5}"#, #"{"_deleted":true}"#, #"{"_attachments":[]}"#,
            #"{"_attachments":{"a":{"stub":true}}}"#, #"{"_attachments":{"a":{"data":"*"}}}"#,
        ])
    func failures(_ line: String) throws {
        let reading = try read("{}\n\n\(line)\n{}\n")
        #expect(reading.records.count == 3 && reading.error == nil)
        #expect(reading.records[1].hasPrefix("3: "))
        #expect(reading.records[2] == "- {}")
    }
}
