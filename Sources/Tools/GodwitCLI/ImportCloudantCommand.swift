//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitBase
import GodwitClientNIO
import GodwitCloudantImport
import GodwitDatabase
import GodwitFoundation
import GodwitHost
import GodwitJSON
import GodwitKeys
import GodwitQuery
import GodwitStore
import GodwitSync
import GodwitTransport

/// The `godwit import-cdt` command: imports the datastores of Cloudant Sync.
struct ImportCloudantCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import-cdt", abstract: "Import the datastores of Cloudant Sync (CDTDatastore, sync-android).",
        discussion: """
            DIR is the directory of the old library: with files NAME.touchdb, or with folders that contain db.sync. \
            TARGET is a directory of databases, or the URL of a server, with credentials as http://user:password@host or \
            in GODWIT_USER and GODWIT_PASSWORD; a database gets the name of its datastore. Revision ids, histories, \
            conflicts and attachments are kept. The old files are only read. An interrupted import is continued by the same \
            command. All is compared at the end; each loss is named, and the exit code is 1.
            """)

    @Argument(help: "The directory of the datastores, or one of them.")
    var dir: String

    @Argument(help: "A directory of databases, or the URL of a server. Not needed with --dry-run.")
    var target: String?

    @Flag(help: "Read everything and report it; write nothing.")
    var dryRun = false

    @Option(help: "Import only the datastore with this name.")
    var datastore: String?

    @Option(help: "The name of the new database, if one datastore is imported.")
    var `as`: String?

    @Option(
        help:
            "A file with the key of encrypted datastores: 64 hexadecimal digits, the key that their provider returned.")
    var cdtKeyFile: String?

    @Option(
        help: ArgumentHelp(
            "A file with the key as their provider stored it: a JSON object with encryptedDPK, salt, iv and iterations.",
            discussion: "The password is in GODWIT_CDT_PASSWORD, else it is asked for on a terminal."))
    var cdtWrappedKey: String?

    @Flag(help: "Print a JSON object for each datastore.")
    var json = false

    @OptionGroup var trust: TrustOption

    @OptionGroup var options: KeyOptions

    func validate() throws {
        guard dryRun || target != nil else { throw ValidationError("Specify a target, or --dry-run.") }
        guard cdtKeyFile == nil || cdtWrappedKey == nil else {
            throw ValidationError("Specify --cdt-key-file or --cdt-wrapped-key, not both.")
        }
    }

    func run() async throws {
        var found: [CloudantStoreFiles]
        do {
            found = try CloudantStoreFiles.find(in: dir)
        } catch {
            throw CommandFailure(message: error.message)
        }
        if let datastore { found = found.filter { $0.name.isIdenticalText(to: datastore) } }
        guard let first = found.first else {
            throw CommandFailure(message: "\(dir) has no datastore \(datastore ?? "").")
        }
        guard `as` == nil || found.count == 1 else {
            throw CommandFailure(
                message:
                    "--as is for one datastore, but there are \(found.count), \(first.name) among them. Add --datastore."
            )
        }
        let key = try await oldKey()
        let databases = LocalDatabases(key: try await options.key())
        var isComplete = true
        do {
            for files in found {
                let report = try await run(files, key, databases)
                show(report, files)
                isComplete = isComplete && report.isComplete
            }
        } catch {
            await databases.close()
            guard let failure = error as? StoreError, failure.code == .encrypted || failure.code == .wrongKey else {
                throw CommandFailure(error)
            }
            throw CommandFailure(
                message: "\(failure.message) The key is in the file of --cdt-key-file or --cdt-wrapped-key.")
        }
        await databases.close()
        if !isComplete { throw ExitCode(1) }
    }

    /// Returns the key of the old datastores; `nil` if the options specify none.
    private func oldKey() async throws -> EncryptionKey? {
        if let cdtKeyFile { return try await KeyOptions.key(in: cdtKeyFile) }
        guard let cdtWrappedKey else { return nil }
        guard let bytes = FileManager.default.contents(atPath: cdtWrappedKey) else {
            throw CommandFailure(message: "\(cdtWrappedKey) cannot be read. Check its name and permissions.")
        }
        guard let password = try Settings().secret("cdtPassword") ?? TerminalPassphrase.ask(for: "The old password")
        else {
            throw CommandFailure(message: "Set the password in GODWIT_CDT_PASSWORD.")
        }
        do {
            return try CloudantWrappedKey(parsing: Array(bytes)).key(password: password)
        } catch {
            throw CommandFailure(message: "\(cdtWrappedKey): \(error.message)")
        }
    }

    private func run(
        _ files: CloudantStoreFiles, _ key: EncryptionKey?, _ databases: LocalDatabases
    ) async throws -> CloudantImportReport {
        let store = try CloudantStore(files, key: key)
        defer { store.close() }
        let line = ProgressLine(.documents)
        defer { line.end() }
        guard let target, !dryRun else {
            return try await CloudantImporter.survey(store) { line.show($0, of: $1) }
        }
        let importer = try await importer(store, into: target, named: `as` ?? files.name, databases)
        return try await importer.run { _, done, total in line.show(done, of: total) }
    }

    private func importer(
        _ store: CloudantStore, into target: String, named name: String, _ databases: LocalDatabases
    ) async throws -> CloudantImporter {
        guard name.utf8.first != UInt8(ascii: "_") else {
            throw CommandFailure(
                message:
                    "The datastore's name \(name) is reserved for databases of the server. Choose another with --as.")
        }
        guard target.includes("://") else {
            let directory = target.ends(with: "/") ? String(Substring(target.utf8.dropLast())) : target
            return CloudantImporter(
                store,
                into: try await databases.open("\(directory)/\(name.replacingBytes("/", with: "%2F"))", creating: true))
        }
        let server = try RemoteURL(server: target)
        let address = "\(server.description)/\(name.percentEncoded)"
        let (url, credentials) = (try RemoteURL(address), server.login(Settings()))
        let transport = try trust.transport()
        let database = try CouchDatabase(url.description, credentials: credentials, transport: transport)
        do {
            try await database.createDatabase()
        } catch {
            guard error.code == .databaseExists else { throw error }
        }
        return CloudantImporter(
            store, into: RemoteEndpoint(url, credentials: credentials, transport: transport), indexes: database)
    }

    private func show(_ report: CloudantImportReport, _ files: CloudantStoreFiles) {
        if json {
            CommandText.printLine(JSONValue.object(report.json(files)).jsonText())
            return
        }
        let documents = CommandText.count(report.documentCount, "document")
        if dryRun {
            CommandText.printLine(
                "\(files.name): \(documents) with \(CommandText.count(report.revisionsPresent, "leaf revision")), "
                    + "\(CommandText.count(report.attachmentCount, "attachment")), "
                    + "\(CommandText.count(report.localDocumentCount, "local document")), "
                    + "\(report.indexes.count) indexes. Nothing was written.")
        } else {
            CommandText.printLine(
                "\(files.name): \(documents), \(report.revisionsWritten) revisions written, "
                    + "\(report.revisionsPresent) were there already.")
            CommandText.printLine(
                "Compared with the target: \(CommandText.count(report.revisionsCompared, "leaf revision")), "
                    + "\(CommandText.count(report.attachmentCount, "attachment")). "
                    + (report.isComplete
                        ? "Nothing is missing: the old files may be removed." : "Keep the old files: see below."))
        }
        for repair in report.repairs { CommandText.complain("Changed: \(repair.description)") }
        if report.unlistedRepairCount > 0 {
            CommandText.complain("\(report.unlistedRepairCount) more parts were changed.")
        }
        for loss in report.losses { CommandText.complain(loss.description) }
        if report.unlistedLossCount > 0 { CommandText.complain("\(report.unlistedLossCount) more parts were lost.") }
    }
}

extension CloudantImportReport {
    fileprivate func json(_ files: CloudantStoreFiles) -> JSONObject {
        [
            "datastore": .string(files.name), "complete": .bool(isComplete),
            "documents": .integer(Int64(documentCount)),
            "written": .integer(Int64(revisionsWritten)), "present": .integer(Int64(revisionsPresent)),
            "compared": .integer(Int64(revisionsCompared)), "attachments": .integer(Int64(attachmentCount)),
            "local_documents": .integer(Int64(localDocumentCount)), "indexes": .array(indexes.map { .string($0) }),
            "more_losses": .integer(Int64(unlistedLossCount)),
            "losses": .array(losses.map(\.json)), "repairs": .array(repairs.map(\.json)),
            "more_repairs": .integer(Int64(unlistedRepairCount)),
        ]
    }
}

extension CloudantLoss {
    fileprivate var json: JSONValue { ["subject": .string(subject), "reason": .string(reason)] }
}
