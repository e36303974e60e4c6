//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitExchange
import GodwitHost
import GodwitJSON
import GodwitStore
import GodwitTransport

extension ExchangeFormat: ExpressibleByArgument {}
extension ConflictPolicy: ExpressibleByArgument {}

/// The `godwit import` command: writes the records of a file to a database.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Import documents from a file: GeoJSON, JSON Lines, CSV, GPX.",
        discussion: """
            FILE is read as a stream and may have any length; - is standard input. TARGET is the path of a local \
            database, DIR/name, where a slash in the name is %2F, or a URL, with credentials as \
            http://user:password@host/db or in GODWIT_USER and GODWIT_PASSWORD. A record without an id gets one that \
            is derived from its content, so that a second import of the same file creates no duplicates. A record that \
            cannot be read is reported with its line, the others are imported, and the exit code is 1. If two records \
            have the same id but different content, the second one is a failure.
            """)

    @Argument(help: "The file.")
    var file: String

    @Argument(help: "The database.")
    var target: String

    @Option(help: "geojson, jsonl, csv or gpx; by default from the end of the file's name.")
    var format: ExchangeFormat?

    @Flag(help: "Create the database if it does not exist.")
    var createTarget = false

    @Option(
        help: """
            What to do with a document whose id is in the database: skip does not change it, replace writes a new \
            revision if it differs, fail counts it as a failure.
            """)
    var onConflict = ConflictPolicy.skip

    @Option(help: "The property, member or column that is the id.")
    var id: String?

    @Option(help: "GeoJSON: the member that contains the features.")
    var features = "features"

    @Option(help: "CSV: the column of the latitude. By default latitude, lat or y.")
    var latitude: String?

    @Option(help: "CSV: the column of the longitude. By default longitude, lon, lng, long or x.")
    var longitude: String?

    @Option(
        help: """
            CSV: the character between two fields, or tab. By default that of the file's line sep=;, or the comma, \
            semicolon, tab or | in the first row; in a .tsv file a tab.
            """)
    var delimiter: String?

    @Flag(help: "CSV: the rows have no places; each column is a member of the document.")
    var plain = false

    @Flag(help: "GPX: one line for each segment of a track and each route, instead of a document for each point.")
    var tracks = false

    @Flag(help: "Print a JSON object with counts and failures at the end.")
    var json = false

    @OptionGroup var trust: TrustOption

    @OptionGroup var options: KeyOptions

    func validate() throws {
        try LocalDatabases.check(target)
        guard let delimiter, delimiter != "tab" else { return }
        guard delimiter.utf8.count == 1, !["\"", "\n", "\r"].contains(delimiter) else {
            throw ValidationError("--delimiter must be one ASCII character, or tab.")
        }
    }

    func run() async throws {
        guard let format = format ?? ExchangeFormat(path: file) else {
            throw ValidationError("Specify the format of \(file) with --format: geojson, jsonl, csv or gpx.")
        }
        let input = try ReadFile(file)
        let progress = ProgressLine(.bytes)
        let databases = LocalDatabases(key: try await options.key())
        let report: ImportReport
        do {
            let store = try await databases.store(target, creating: createTarget, trust)
            // Checks the target before the file is read.
            _ = try await store.info()
            let total = input.byteCount
            var importer = Importer(into: store, onConflict: onConflict) { readBytes in
                progress.show(readBytes, of: total)
                try StandardStream.output.check()
            }
            report = try await importer.run(try reader(input, format))
        } catch {
            await databases.close()
            progress.end()
            guard (error as? StoreError)?.code != .databaseNotFound else {
                throw CommandFailure(message: "the database \(shownTarget) does not exist. --create-target creates it.")
            }
            throw CommandFailure(error)
        }
        await databases.close()
        progress.end()
        show(report)
        if !report.isComplete { throw ExitCode(1) }
    }

    private func reader(_ input: ReadFile, _ format: ExchangeFormat) throws -> any RecordReader {
        let window = try FileWindow { () throws(ExchangeError) in try input.read() }
        switch format {
        case .geojson:
            return FeatureReader(
                window, featuresMember: features, idProperty: id, hasLines: ExchangeFormat.hasFeatureLines(file))
        case .jsonl: return LineReader(window, idMember: id)
        case .csv:
            var csvOptions = CSVOptions()
            (csvOptions.latitude, csvOptions.longitude, csvOptions.id) = (latitude, longitude, id)
            csvOptions.isPlain = plain
            let tab = UInt8(ascii: "\t")
            if let delimiter {
                csvOptions.delimiter = delimiter == "tab" ? tab : delimiter.utf8.first!
            } else if ExchangeFormat.hasTabs(file) {
                csvOptions.delimiter = tab
            }
            return CSVReader(window, options: csvOptions)
        case .gpx: return GPXDocuments(window, joinsTracks: tracks)
        }
    }

    /// The target without credentials.
    private var shownTarget: String { (try? RemoteURL(target))?.description ?? target }

    private func show(_ report: ImportReport) {
        if json { return CommandText.printLine(JSONValue.object(report.json).jsonText()) }
        CommandText.printLine(
            "Imported \(CommandText.count(report.writtenCount, "new document")) of "
                + "\(CommandText.count(report.readCount, "record")) to \(shownTarget).")
        let lines = [
            (report.replacedCount, "existed and got a new revision.", "existed and got a new revision."),
            (report.skippedCount, "existed already and was not changed.", "existed already and were not changed."),
            (
                report.repeatedCount, "is the same as one before it in the file.",
                "are the same as one before them in the file."
            ),
            (
                report.derivedCount, "has no id in the file: it is derived from the content.",
                "have no id in the file: theirs are derived from their content."
            ),
        ]
        for (count, singular, plural) in lines where count > 0 {
            CommandText.printLine("\(count) \(CommandText.verb(count, singular, plural))")
        }
        for failure in report.failures {
            let id = failure.id.map { ", \($0)" } ?? ""
            CommandText.complain("line \(failure.line) (record \(failure.number)\(id)): \(failure.reason)")
        }
        let unlistedCount = report.failedCount - report.failures.count
        if unlistedCount > 0 {
            CommandText.complain(
                "\(CommandText.count(unlistedCount, "more record")) \(CommandText.verb(unlistedCount, "was", "were")) not imported."
            )
        }
        if let reason = report.stopReason {
            CommandText.complain("\(reason)\nThe import ended there; the records before it are in the database.")
        }
    }
}
