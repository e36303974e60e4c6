//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitBase
import GodwitDatabase
import GodwitHost
import GodwitJSON
import GodwitSelector
import GodwitStore
import GodwitSync
import GodwitTransport
import UnixSignals

/// The `godwit replicate` command: replicates one database to another, once or continuously.
struct ReplicateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replicate",
        abstract: "Replicate a database to another one, once or continuously.",
        discussion: """
            SOURCE and TARGET are a URL, with credentials as http://user:password@host/db or in GODWIT_USER and \
            GODWIT_PASSWORD, or the path of a local database, DIR/name, where a slash in the name is %2F. An \
            interrupted replication continues where it stopped; Ctrl-C stops it immediately.
            """)

    @Argument(help: "The database to read.")
    var source: String

    @Argument(help: "The database to write.")
    var target: String

    @Flag(help: "Create the target if it does not exist.")
    var createTarget = false

    @Flag(help: "Continue after all changes are replicated: wait for new changes, and for the network if it fails.")
    var continuous = false

    @Option(help: "Only documents that match a Mango selector, in JSON.", transform: OptionText.selector)
    var selector: Selector?

    @Option(help: "Only these documents: their ids, separated by commas.", transform: OptionText.ids)
    var docIds: [String]?

    @Option(
        help: "Only documents that a filter function of the source accepts: design/function.",
        transform: OptionText.filter)
    var filter: String?

    @Option(help: "The largest attachment to copy to a local target, in bytes; larger ones stay at the source.")
    var attachmentBytesMax: Int?

    @Flag(help: "Print progress as lines of JSON, and at the end an object with the members of CouchDB's history.")
    var json = false

    @OptionGroup var trust: TrustOption

    @OptionGroup var options: KeyOptions

    @Option(
        help: """
            A file with the key of the source's directory, if it is not that of --encryption-key-file. Its passphrase \
            may be in GODWIT_SOURCE_PASSPHRASE.
            """)
    var sourceKeyFile: String?

    @Option(
        help: """
            A file with the key of the target's directory, if it is not that of --encryption-key-file. Its passphrase \
            may be in GODWIT_TARGET_PASSPHRASE.
            """)
    var targetKeyFile: String?

    private static let missingTargetAdvice = "It is the target: --create-target creates it."

    func validate() throws {
        for side in [source, target] { try LocalDatabases.check(side) }
        guard [selector != nil, docIds != nil, filter != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("Use only one of --selector, --doc-ids and --filter.")
        }
        for (name, file, side) in [("source", sourceKeyFile, source), ("target", targetKeyFile, target)]
        where file != nil && side.includes("://") {
            throw ValidationError("--\(name)-key-file is only for a local \(name): a server has its own key.")
        }
        guard let attachmentBytesMax else { return }
        guard attachmentBytesMax >= 0 else { throw ValidationError("--attachment-bytes-max must not be negative.") }
        guard !target.includes("://") else {
            throw ValidationError("--attachment-bytes-max is only for a local target: a server must get all bytes.")
        }
    }

    func run() async throws {
        let databases = LocalDatabases(key: try await options.key())
        let report: ReplicationReport
        do {
            if let sourceKeyFile {
                let key = try await KeyOptions.key(in: sourceKeyFile, passphrase: "sourcePassphrase")
                try await databases.use(key, for: source)
            }
            if let targetKeyFile {
                let key = try await KeyOptions.key(in: targetKeyFile, passphrase: "targetPassphrase")
                try await databases.use(key, for: target)
            }
            let sourceEndpoint = try await endpoint(
                source, databases, creating: false, advice: "It is the source of the replication: check its name.")
            try await checkSource(sourceEndpoint)
            let targetEndpoint = try await endpoint(
                target, databases, creating: createTarget, advice: ReplicateCommand.missingTargetAdvice)
            var replicator = Replicator(from: sourceEndpoint, to: targetEndpoint, createsTarget: createTarget)
            replicator.missingTargetAdvice = ReplicateCommand.missingTargetAdvice
            replicator.isContinuous = continuous
            replicator.attachmentBytesMax = attachmentBytesMax
            replicator.selection = selection
            report = try await follow(replicator.start())
        } catch {
            await databases.close()
            throw CommandFailure(error)
        }
        await databases.close()
        show(report)
        if !report.failures.isEmpty || (report.wasStopped && !continuous) { throw ExitCode(1) }
    }

    /// Shows the progress of a run until it ends. Stops the run at SIGINT and SIGTERM.
    private func follow(_ run: ReplicationRun) async throws -> ReplicationReport {
        let signals = Task {
            for await _ in await UnixSignalsSequence(trapping: [.sigint, .sigterm]) { run.stop() }
        }
        defer { signals.cancel() }
        let progress = ReplicationLines(isJSON: json)
        for try await event in run { progress.show(event) }
        progress.end()
        return try await run.report()
    }

    private var selection: ReplicationSelection {
        if let docIds { return .documents(docIds) }
        if let filter { return .filter(filter) }
        return selector.map { ReplicationSelection(.selector($0)) } ?? ReplicationSelection()
    }

    private func endpoint(
        _ text: String, _ databases: LocalDatabases, creating: Bool, advice: String
    ) async throws -> any DatabaseEndpoint {
        guard !text.includes("://") else {
            let url = try RemoteURL(text)
            return RemoteEndpoint(url, credentials: url.login(Settings()), transport: try trust.transport())
        }
        do {
            return LocalEndpoint(try await databases.open(text, creating: creating))
        } catch let error as StoreError where error.code == .databaseNotFound {
            throw CommandFailure(message: "\(error.message) \(advice)")
        }
    }

    /// Checks that the source exists. The check runs before a new local target is created. The source of a continuous
    /// replication is not checked, because it may appear later.
    private func checkSource(_ source: any DatabaseEndpoint) async throws {
        guard createTarget, !target.includes("://"), !continuous else { return }
        do throws(ReplicationError) {
            _ = try await source.open(creating: false)
        } catch {
            throw error.advising("It is the source of the replication: check its name.")
        }
    }

    private func show(_ report: ReplicationReport) {
        if json {
            CommandText.printLine(JSONValue.object(report.json).jsonText())
            return
        }
        let counts = report.counts
        let missing = CommandText.count(counts.missingFound, "missing revision")
        CommandText.printLine("Replicated \(counts.documentsWritten) of \(missing).")
        if report.wasStopped, !continuous {
            CommandText.printLine("Stopped before the end. Run the same command again to continue.")
        }
        for failure in report.failures {
            CommandText.complain("\(failure.id): \(failure.status) \(failure.error): \(failure.reason)")
        }
        let unlistedCount = counts.writeFailures - report.failures.count
        if unlistedCount > 0 {
            CommandText.complain(
                "\(CommandText.count(unlistedCount, "more revision")) \(CommandText.verb(unlistedCount, "was", "were")) not replicated."
            )
        }
    }
}

extension ReplicationReport {
    /// The report with the names of CouchDB's replication history.
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
