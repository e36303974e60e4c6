//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Godwit
import GodwitJSON

/// `godwit replicate`.
struct ReplicateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replicate", abstract: "Bring the documents of one database to another, once.",
        discussion: """
            SOURCE and TARGET are a URL, with credentials as http://user:password@host/db or in GODWIT_USER and \
            GODWIT_PASSWORD, or the path of a local database, DIR/name, where a slash in the name is %2F. An \
            interrupted replication goes on where it stopped.
            """)

    @Argument(help: "Where documents come from.")
    var source: String

    @Argument(help: "Where they go.")
    var target: String

    @Flag(help: "Make the target when it is not there.")
    var createTarget = false

    @Flag(help: "End with one JSON object in the words of CouchDB's replication history.")
    var json = false

    func run() async throws {
        let databases = LocalDatabases()
        let report: ReplicationReport
        do {
            let from = try await endpoint(source, databases, creating: false)
            let to = try await endpoint(target, databases, creating: createTarget)
            let progress = ProgressLine()
            report = try await Replicator(from: from, to: to, createsTarget: createTarget).run { step in
                if !json { progress.show(step) }
            }
            progress.end()
        } catch {
            await databases.close()
            throw CommandFailure(error)
        }
        await databases.close()
        show(report)
        if !report.failures.isEmpty { throw ExitCode(1) }
    }

    private func endpoint(
        _ text: String, _ databases: LocalDatabases, creating: Bool
    ) async throws -> any DatabaseEndpoint {
        guard text.contains("://") else { return LocalEndpoint(try await databases.open(text, creating: creating)) }
        let url = try RemoteURL(text)
        return RemoteEndpoint(url, credentials: url.login(Settings()))
    }

    private func show(_ report: ReplicationReport) {
        if json {
            CommandText.say(JSONValue.object(report.json).jsonText())
            return
        }
        let counts = report.counts
        CommandText.say("Replicated \(counts.documentsWritten) of \(counts.missingFound) missing revisions.")
        for failure in report.failures {
            CommandText.complain("\(failure.id): \(failure.status) \(failure.error): \(failure.reason)")
        }
    }
}

extension ReplicationReport {
    /// The report in the words of CouchDB's replication history.
    fileprivate var json: JSONObject {
        [
            "ok": .bool(failures.isEmpty),
            "docs_read": .integer(Int64(counts.documentsRead)),
            "docs_written": .integer(Int64(counts.documentsWritten)),
            "doc_write_failures": .integer(Int64(counts.writeFailures)),
            "missing_checked": .integer(Int64(counts.missingChecked)),
            "missing_found": .integer(Int64(counts.missingFound)),
            "start_last_seq": .string(startSequence), "end_last_seq": .string(endSequence),
            "failures": .array(
                failures.map { failure in
                    [
                        "id": .string(failure.id), "rev": failure.revision.map { .string($0.description) } ?? .null,
                        "status": .integer(Int64(failure.status)), "error": .string(failure.error),
                        "reason": .string(failure.reason),
                    ]
                }),
        ]
    }
}
