//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON
import GodwitStore

/// A checkpoint of a replication in CouchDB's form. Both sides store it as `_local/ID`.
package struct Checkpoint: Equatable, Sendable {
    /// One run of the replication, as in CouchDB's history.
    package struct Session: Equatable, Sendable {
        /// The run's id, `session_id`: 32 hexadecimal digits in Godwit.
        package var id: String
        /// The time when the run began, as an HTTP date.
        package var startTime: String
        /// The time when this checkpoint was created, as an HTTP date.
        package var endTime: String
        /// The source's sequence at which the run began; `0` for the beginning.
        package var startSequence: String
        /// The source's sequence up to which all changes are replicated; `0` for none.
        package var endSequence: String
        /// The counts of documents and revisions of the run.
        package var counts: ReplicationCounts
    }

    /// The runs, the newest run first.
    package var sessions: [Session]

    /// Creates a checkpoint from runs, the newest first. Keeps only the first ``ReplicationLimits/historyMax`` runs.
    package init(sessions: [Session]) { self.sessions = Array(sessions.prefix(ReplicationLimits.historyMax)) }

    /// The name of a member of the target's checkpoint. The member says that the source refuses checkpoints, because
    /// the user has only the right to read the source.
    package static let sourceRefused = "source_refused"

    /// The version of the ids and bodies of checkpoints that CouchDB uses.
    private static let idVersion: Int64 = 4

    /// The body of the local document in CouchDB's form.
    package var body: JSONObject {
        let newest = sessions.first
        return [
            "session_id": .string(newest?.id ?? ""), "source_last_seq": .string(newest?.endSequence ?? "0"),
            "replication_id_version": .integer(Checkpoint.idVersion), "history": .array(sessions.map(\.json)),
        ]
    }

    /// Finds the last sequence that both sides recorded.
    ///
    /// The checkpoints differ if one side lost its newest checkpoints, for example because a backup of this side was
    /// restored. Then this side may also lack documents. Therefore, the newest run that both sides have is used, and
    /// the earlier of the two sequences that the sides recorded for this run. (CouchDB uses the source's sequence.) If
    /// the source refuses checkpoints, only the target's checkpoint is used.
    ///
    /// - Returns: The source's sequence. The result is `nil` if the two checkpoints have no run in common. It is also
    ///   `nil` if the target has no checkpoint, or if the source has none although it accepts checkpoints.
    package static func common(_ source: JSONObject?, _ target: JSONObject?) -> String? {
        if source == nil, let target, target[sourceRefused]?.boolValue == true {
            return target["source_last_seq"].map(sequence)
        }
        guard let source, let target else { return nil }
        let targetRuns = Dictionary(recordedSequences(target)) { first, _ in first }
        for (run, recorded) in recordedSequences(source) {
            if let other = targetRuns[run], let earlier = earlier(recorded, other) { return earlier }
        }
        return nil
    }

    /// Returns the runs of a checkpoint, the newest first, with the sequences that were recorded for them.
    private static func recordedSequences(_ body: JSONObject) -> [(run: String, sequence: String)] {
        func entry(_ run: JSONValue?, _ recorded: JSONValue?) -> (run: String, sequence: String)? {
            guard let run = run?.stringValue, let recorded else { return nil }
            return (run, sequence(recorded))
        }
        let newest = entry(body["session_id"], body["source_last_seq"])
        return [newest].compactMap(\.self) + history(body).compactMap { entry($0["session_id"], $0["recorded_seq"]) }
    }

    /// Returns the earlier of two sequences of the source; `nil` if they differ and cannot be compared. A sequence of
    /// CouchDB begins with a number that grows with each change: `12-g1AAA`, or `[12,"g1AAA"]` in old versions.
    private static func earlier(_ first: String, _ second: String) -> String? {
        if first.isIdenticalText(to: second) { return first }
        // Bounded: a text is parsed.
        func number(_ text: String) -> UInt64? { UInt64(text.drop { $0 == "[" }.prefix { $0 != "-" && $0 != "," }) }
        guard let firstNumber = number(first), let secondNumber = number(second) else { return nil }
        return firstNumber <= secondNumber ? first : second
    }

    private static func sequence(_ value: JSONValue) -> String { value.stringValue ?? value.jsonText() }

    /// The runs that a checkpoint lists.
    package static func history(_ body: JSONObject?) -> [JSONValue] { body?["history"]?.arrayValue ?? [] }

    /// Returns the id of the checkpoints of a replication. The id depends on everything that determines the set of
    /// replicated documents.
    ///
    /// - Parameters:
    ///   - source: The text that identifies the source.
    ///   - target: The text that identifies the target.
    ///   - selection: The text that identifies the selection of documents. The text is empty for all documents.
    package static func id(source: String, target: String, selection: String = "") -> String {
        // The text contains the lengths of the names. Otherwise, two different pairs of names could have the same text.
        var text = "godwit-1 \(source.utf8.count) \(source) \(target.utf8.count) \(target)"
        if !selection.isEmpty { text += " \(selection.utf8.count) \(selection)" }
        return MessageDigest.Algorithm.md5.digest(of: text.utf8).hexadecimal
    }
}

extension Checkpoint.Session {
    /// The run as an element of CouchDB's `history`.
    package var json: JSONValue {
        [
            "session_id": .string(id), "start_time": .string(startTime), "end_time": .string(endTime),
            // CouchDB writes the sequence of the beginning as a number.
            "start_last_seq": startSequence == "0" ? 0 : .string(startSequence), "end_last_seq": .string(endSequence),
            "recorded_seq": .string(endSequence),
            "missing_checked": .integer(Int64(counts.missingChecked)),
            "missing_found": .integer(Int64(counts.missingFound)),
            "docs_read": .integer(Int64(counts.documentsRead)),
            "docs_written": .integer(Int64(counts.documentsWritten)),
            "doc_write_failures": .integer(Int64(counts.writeFailures)),
        ]
    }
}
