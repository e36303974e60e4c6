//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore
import GodwitSync
import GodwitTransport
import Testing

@Suite("Checkpoints")
struct CheckpointTests {
    private func body(session: String, sequence: String, history: [(String, String)] = []) -> JSONObject {
        [
            "session_id": .string(session), "source_last_seq": .string(sequence),
            "history": .array(history.map { ["session_id": .string($0.0), "recorded_seq": .string($0.1)] }),
        ]
    }

    @Test("The latest position that both sides agree on")
    func common() {
        let source = body(session: "s3", sequence: "30", history: [("s3", "30"), ("s2", "20"), ("s1", "10")])
        #expect(Checkpoint.common(nil, source) == nil)
        #expect(Checkpoint.common(source, nil) == nil)
        #expect(Checkpoint.common(source, source) == "30")
        let behind = body(session: "s2", sequence: "20", history: [("s2", "20"), ("s1", "10")])
        #expect(Checkpoint.common(source, behind) == "20")
        let stranger = body(session: "x", sequence: "99", history: [("x", "99")])
        #expect(Checkpoint.common(source, stranger) == nil)
    }

    @Test(
        "A side that was restored to an earlier state of the same run determines the position",
        arguments: [
            ("30-g1A", "20-g1B", "20-g1B"), ("20-g1A", "30-g1B", "20-g1A"), (#"[9,"x"]"#, #"[10,"y"]"#, #"[9,"x"]"#),
            ("opaque", "other", "10"),
        ])
    func restored(_ source: String, _ target: String, _ expected: String) {
        let earlier = ("s1", "10")
        // The run is the newest of both sides, and then an older run of the source.
        for newest in [[], [("s3", "40")]] {
            let left = body(
                session: newest.first?.0 ?? "s2", sequence: newest.first?.1 ?? source,
                history: newest + [("s2", source), earlier])
            let right = body(session: "s2", sequence: target, history: [("s2", target), earlier])
            #expect(Checkpoint.common(left, right) == expected)
        }
    }

    @Test("A position that is a number or a list, as of other peers")
    func otherSequences() {
        var number = body(session: "s", sequence: "")
        number["source_last_seq"] = 12
        #expect(Checkpoint.common(number, number) == "12")
        number["source_last_seq"] = [12, "g1AAA"]
        #expect(Checkpoint.common(number, number) == #"[12,"g1AAA"]"#)
    }

    @Test("The id depends on both sides and their order")
    func id() {
        #expect(Checkpoint.id(source: "a", target: "b") == Checkpoint.id(source: "a", target: "b"))
        #expect(Checkpoint.id(source: "a", target: "b") != Checkpoint.id(source: "b", target: "a"))
        #expect(Checkpoint.id(source: "a\nb", target: "c") != Checkpoint.id(source: "a", target: "b\nc"))
    }
}

@Suite("Addresses of remote databases")
struct RemoteURLTests {
    @Test("Credentials are extracted and unescaped")
    func credentials() throws {
        let url = try RemoteURL("http://us%40er:p%3Ass@host:5984/a%2Fb/?x=1#y")
        #expect(url.description == "http://host:5984/a%2Fb")
        guard case .basic("us@er", "p:ss") = url.credentials else { return #expect(Bool(false)) }
    }

    @Test(
        "An invalid address is refused without repeating it",
        arguments: [
            "ftp://secret@host/db", "http://", "http://u:secret@host", "http://u:secret@host/", "nonsense secret",
        ])
    func invalid(_ text: String) {
        let error = #expect(throws: ReplicationError.self) { try RemoteURL(text) }
        #expect(error?.message.contains("secret") == false)
    }
}
