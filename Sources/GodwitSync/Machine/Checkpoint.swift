//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
package import GodwitJSON
import GodwitStore

/// How far a replication came, as both sides keep it in `_local/ID`, in CouchDB's form.
package struct Checkpoint: Equatable, Sendable {
    /// One run of the replication, in the words of CouchDB's history.
    package struct Session: Equatable, Sendable {
        package var id: String
        package var startTime: String
        package var endTime: String
        package var startSequence: String
        package var endSequence: String
        package var counts: ReplicationCounts
    }

    /// The runs, the newest first.
    package var sessions: [Session]

    package init(sessions: [Session]) { self.sessions = Array(sessions.prefix(ReplicationLimits.historyMax)) }

    /// The member of a target's checkpoint that says that the source takes none, because we may only read it.
    package static let sourceRefused = "source_refused"

    /// The form of ids and bodies that CouchDB calls version 4.
    private static let idVersion: Int64 = 4

    package var body: JSONObject {
        let newest = sessions.first
        return [
            "session_id": .string(newest?.id ?? ""), "source_last_seq": .string(newest?.endSequence ?? "0"),
            "replication_id_version": .integer(Checkpoint.idVersion), "history": .array(sessions.map(\.json)),
        ]
    }

    /// Where two sides last agreed.
    ///
    /// The sides may differ when one of them lost its newest checkpoint; the newest run that both know is what counts.
    ///
    /// - Returns: The place in the source's changes; `nil` when they never agreed.
    package static func common(_ source: JSONObject?, _ target: JSONObject?) -> String? {
        if source == nil, let target, target[sourceRefused]?.boolValue == true {
            return target["source_last_seq"].map(sequence)
        }
        guard let source, let target else { return nil }
        if let session = source["session_id"]?.stringValue, session == target["session_id"]?.stringValue {
            return source["source_last_seq"].map(sequence)
        }
        let known = Set((target["history"]?.arrayValue ?? []).compactMap { $0["session_id"]?.stringValue })
        let agreed = (source["history"]?.arrayValue ?? []).first { entry in
            entry["session_id"]?.stringValue.map(known.contains) ?? false
        }
        return agreed?["recorded_seq"].map(sequence)
    }

    private static func sequence(_ value: JSONValue) -> String { value.stringValue ?? value.jsonText() }

    /// The runs that an earlier checkpoint recorded.
    package static func history(_ body: JSONObject?) -> [JSONValue] { body?["history"]?.arrayValue ?? [] }

    /// The id under which two sides keep their checkpoints: everything that changes the set of documents is in it.
    ///
    /// - Parameters:
    ///   - source: What names the source.
    ///   - target: What names the target.
    ///   - selection: What names the choice of documents; empty for all.
    package static func id(source: String, target: String, selection: String = "") -> String {
        // The lengths keep two pairs of names apart that read the same when they stand side by side.
        var text = "godwit-1 \(source.utf8.count) \(source) \(target.utf8.count) \(target)"
        if !selection.isEmpty { text += " \(selection.utf8.count) \(selection)" }
        return MessageDigest.Algorithm.md5.digest(of: text.utf8).hexadecimal
    }
}

extension Checkpoint.Session {
    package var json: JSONValue {
        [
            "session_id": .string(id), "start_time": .string(startTime), "end_time": .string(endTime),
            // As in CouchDB, the beginning is a number.
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
