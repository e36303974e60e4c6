//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitDatabase
import GodwitFoundation
import GodwitHost
import GodwitJSON
import GodwitObjects
import GodwitViews

/// The `godwit doctor` command: checks every database of a directory and prints the faults.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check every database of a directory, and report faults.",
        discussion: """
            It reads every file completely: documents, revision trees, winners, counters, lists, attachments with \
            their digests, and the catalogue. Nothing is changed, except that operations that a crash interrupted are \
            finished, as at any start. No server may have the directory open. The exit code is 1 if there is a fault.
            """)

    @Argument(help: "A directory of databases, as used by `godwit serve --data`.")
    var directory: String

    @Flag(help: "Print one JSON object a line: each database, then the directory.")
    var json = false

    @OptionGroup var options: KeyOptions

    func run() async throws {
        guard FileManager.default.fileExists(atPath: directory + "/catalogue.sqlite") else {
            throw CommandFailure(message: "\(directory) is not a directory of databases: it has no catalogue.sqlite.")
        }
        do {
            let manager = try DatastoreManager(
                directory: directory, key: try await options.key(), scripts: commandScripts)
            var (databaseCount, faultCount) = (0, 0)
            let catalogueFaults = try await manager.check { report, _, _ in
                databaseCount += 1
                faultCount += report.faults.count
                show(report)
            }
            let objectFaults = try await objectFaults(manager)
            await manager.close()
            showHeldWork()
            faultCount += catalogueFaults.count + objectFaults.count
            showDirectory(catalogueFaults, databases: databaseCount, faults: faultCount)
            if faultCount > 0 { throw ExitCode(1) }
        } catch let code as ExitCode {
            throw code
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Prints the background work that the next server will not start. It is no fault of the data.
    private func showHeldWork() {
        let held = WorkJournal.held(in: directory)
        if json {
            if !held.isEmpty { printJSON(["held": .array(held.map { .string($0) })]) }
            return
        }
        for work in held {
            CommandText.printLine(
                "held: the \(work), which was running when the server ended several times. Start the server, with --safe "
                    + "if necessary, and start the work again in the console or with POST /_godwit/work.")
        }
    }

    /// Checks the object storage of the directory, if it has one, and prints the result.
    private func objectFaults(_ manager: DatastoreManager) async throws -> [Fault] {
        let part = ObjectPart()
        let folder = manager.folder(named: part.folderName)
        guard folder.exists else { return [] }
        let faults = try await part.check(folder)
        if json {
            printJSON(["storage": .string(part.folderName), "faults": .array(faults.map { .string($0.description) })])
        } else if faults.isEmpty {
            CommandText.printLine("object storage: nothing wrong.")
        } else {
            for fault in faults { CommandText.printLine("object storage: \(fault)") }
        }
        return faults
    }

    private func show(_ report: DatabaseReport) {
        if json {
            printJSON([
                "database": .string(report.name),
                "documents": report.documentCount.map { .integer(Int64($0)) } ?? .null,
                "faults": .array(report.faults.map { .string($0.description) }),
            ])
        } else if report.faults.isEmpty {
            let documents = CommandText.count(report.documentCount ?? 0, "document")
            CommandText.printLine("\(report.name): \(documents), nothing wrong.")
        } else {
            for fault in report.faults { CommandText.printLine("\(report.name): \(fault)") }
        }
    }

    private func showDirectory(_ catalogueFaults: [Fault], databases: Int, faults: Int) {
        if json {
            printJSON([
                "directory": .string(directory), "databases": .integer(Int64(databases)),
                "faults": .array(catalogueFaults.map { .string($0.description) }),
            ])
            return
        }
        for fault in catalogueFaults { CommandText.printLine("\(directory): \(fault)") }
        let verdict = faults == 0 ? "nothing wrong" : CommandText.count(faults, "fault")
        CommandText.printLine("Checked \(CommandText.count(databases, "database")) and the catalogue: \(verdict).")
    }

    private func printJSON(_ object: JSONObject) { CommandText.printLine(JSONValue.object(object).jsonText()) }
}
