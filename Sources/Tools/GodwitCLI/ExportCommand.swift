//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitBase
import GodwitExchange
import GodwitHost
import GodwitJSON
import GodwitSelector
import GodwitStore

/// The formats of `godwit export`.
enum ExportFormat: String, CaseIterable, ExpressibleByArgument {
    case jsonl, geojson, csv, gpx

    var exchangeFormat: ExchangeFormat {
        switch self {
        case .jsonl: .jsonl
        case .geojson: .geojson
        case .csv: .csv
        case .gpx: .gpx
        }
    }
}

/// The `godwit export` command: writes the documents of a database to a file.
struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export", abstract: "Write the documents of a database to a file: JSON Lines, GeoJSON, CSV, GPX.",
        discussion: """
            SOURCE is the path of a local database, DIR/name, where a slash in the name is %2F, or a URL, with \
            credentials as http://user:password@host/db or in GODWIT_USER and GODWIT_PASSWORD. The file, - for \
            standard output, appears when it is complete. It contains the winning revision of each document that is \
            not deleted, without its revision id: conflicts, deleted documents and histories are not exported (use \
            godwit backup or godwit replicate for them). Only JSON Lines contains design documents. Writes during the \
            export may be missing.
            """)

    @Argument(help: "The database.")
    var source: String

    @Argument(help: "The file to create.")
    var file: String

    @Option(help: "The format of the file; by default from the end of its name.")
    var format: ExportFormat?

    @Option(help: "Only documents that match a Mango selector, in JSON.", transform: OptionText.selector)
    var selector: Selector?

    @Option(
        help: "Only documents whose ids begin with a text: NAME: for a user's documents in a consolidated database.")
    var idPrefix: String?

    @Flag(help: "JSON Lines: the attachments too, in Base64.")
    var attachments = false

    @Flag(help: "Print a JSON object with counts at the end.")
    var json = false

    @OptionGroup var trust: TrustOption

    @OptionGroup var options: KeyOptions

    private var isToOutput: Bool { file == "-" }

    func validate() throws { try LocalDatabases.check(source) }

    func run() async throws {
        guard let format = format(of: file) else {
            throw ValidationError("Specify the format of \(file) with --format: jsonl, geojson, csv or gpx.")
        }
        guard !attachments || format == .jsonl else { throw ValidationError("--attachments needs the format jsonl.") }
        let databases = LocalDatabases(key: try await options.key())
        let report: Exporter.Report
        do {
            let store = try await databases.store(source, creating: false, trust)
            report = try await isToOutput ? write(store, format, to: nil) : writeFile(store, format)
        } catch {
            await databases.close()
            throw CommandFailure(error)
        }
        await databases.close()
        show(report)
        if !report.isComplete { throw ExitCode(1) }
    }

    /// Writes to a temporary file first, so that the file exists only when it is complete.
    private func writeFile(_ store: any DocumentStore, _ format: ExchangeFormat) async throws -> Exporter.Report {
        let unfinished = try UnfinishedBackup(of: file)
        defer { unfinished.end() }
        let output = try WrittenFile(unfinished.partial)
        let report = try await write(store, format, to: output)
        try output.flush()
        try unfinished.publish()
        return report
    }

    private func write(
        _ store: any DocumentStore, _ format: ExchangeFormat, to output: WrittenFile?
    ) async throws -> Exporter.Report {
        let total = try await store.info().documentCount
        let progress = ProgressLine(.documents)
        defer { progress.end() }
        var exporter = Exporter(
            from: store, as: format, includesAttachments: attachments, range: range, selector: selector,
            onProgress: { if output != nil { progress.show($0, of: total) } }
        ) { bytes in
            guard let output else {
                StandardStream.output.write(bytes)
                return try StandardStream.output.check()
            }
            try output.append(bytes)
        }
        return try await exporter.run()
    }

    /// The ids to export. The upper limit of ids with a prefix is the prefix with the last Unicode character appended.
    private var range: IDRange {
        idPrefix.map { IDRange(lower: $0, upper: $0 + "\u{10FFFF}", upperIsIncluded: false) } ?? IDRange()
    }

    private func show(_ report: Exporter.Report) {
        // When the export goes to standard output, messages go to standard error.
        let stream = isToOutput ? StandardStream.error : StandardStream.output
        guard !json else { return stream.write(JSONValue.object(report.json).jsonText() + "\n") }
        for failure in report.bad { StandardStream.error.write("\(failure.id): \(failure.reason)\n") }
        stream.write(
            "Exported \(CommandText.count(report.writtenCount, "document"))\(isToOutput ? "" : " to \(file)").\n")
        if report.leftOutCount > 0 {
            let geometryText =
                switch format(of: file) {
                case .csv: "a geometry that is not a point"
                case .gpx: "no point and no line"
                default: "no geometry"
                }
            stream.write(
                "\(documentsHave(report.leftOutCount)) \(geometryText) and \(were(report.leftOutCount)) left out.\n")
        }
        if !report.isComplete {
            stream.write(
                "\(documentsHave(report.badCount)) a geometry that cannot be read and \(were(report.badCount)) left out.\n"
            )
        }
        if report.withoutAttachmentsCount > 0 {
            stream.write(
                "\(documentsHave(report.withoutAttachmentsCount)) attachments, which were left out"
                    + "\(format(of: file) == .jsonl ? ": --attachments includes them" : "").\n")
        }
    }

    /// Returns the number of documents with a verb, for example `1 document has` or `2 documents have`.
    private func documentsHave(_ count: Int) -> String {
        "\(CommandText.count(count, "document")) \(CommandText.verb(count, "has", "have"))"
    }

    private func were(_ count: Int) -> String { CommandText.verb(count, "was", "were") }

    private func format(of file: String) -> ExchangeFormat? { format?.exchangeFormat ?? ExchangeFormat(path: file) }
}
