//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitBase
import GodwitHost
import GodwitJSON
import GodwitObjectStore
import GodwitTransport
import UnixSignals

/// The `godwit objects copy` command: copies new and changed objects from one storage with S3's API to another, once or
/// continuously. It deletes objects only with `--delete`.
struct ObjectCopyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "copy", abstract: "Copy the objects of an account to another service, for a standby.",
        discussion: """
            SOURCE and TARGET are endpoint URLs of S3, such as http://HOST:5984/_s3. Their keys are in \
            GODWIT_SOURCE_ACCESS_KEY, GODWIT_SOURCE_SECRET_KEY, GODWIT_TARGET_ACCESS_KEY and \
            GODWIT_TARGET_SECRET_KEY, or in the URL as http://ACCESS:SECRET@HOST. Only what is absent or different is \
            copied; an interrupted copy is continued by the same command.
            """)

    @Argument(help: "The endpoint of the account to read.")
    var source: String

    @Argument(help: "The endpoint of the account to write.")
    var target: String

    @Option(help: "Copy only this bucket. It may be repeated.")
    var bucket: [String] = []

    @Flag(help: "Delete what the source does not have from the target.")
    var delete = false

    @Flag(help: "Continue: compare both again after each interval, and wait for the network if it fails.")
    var continuous = false

    @Option(help: "The seconds between two comparisons with --continuous.")
    var interval = 10

    @Option(help: "The region of the source.")
    var sourceRegion = "us-east-1"

    @Option(help: "The region of the target.")
    var targetRegion = "us-east-1"

    @Flag(help: "Print the result as JSON.")
    var json = false

    @OptionGroup var trust: TrustOption

    func validate() throws {
        guard 1...86_400 ~= interval else { throw ValidationError("--interval must be 1 to 86400 seconds.") }
    }

    func run() async throws {
        var mirror = ObjectMirror(
            from: try store(source, "source", region: sourceRegion),
            to: try store(target, "target", region: targetRegion))
        mirror.deletesOthers = delete
        if !bucket.isEmpty { mirror.containers = bucket }
        if continuous { return await copyContinuously(mirror) }
        if try await copy(mirror).failureCount > 0 { throw ExitCode(1) }
    }

    /// Copies once and prints the result.
    private func copy(_ mirror: ObjectMirror) async throws -> ObjectMirrorReport {
        let line = CopyLine()
        do {
            let report = try await mirror.run(progress: line.show)
            line.end()
            show(report)
            return report
        } catch {
            line.end()
            throw CommandFailure(message: error.message)
        }
    }

    /// Repeats runs of the copy until a signal arrives. The first successful run is always reported. A later run is
    /// reported only if it copied or deleted objects, or if it failed.
    private func copyContinuously(_ mirror: ObjectMirror) async {
        let (json, interval) = (json, interval)
        let copying = Task {
            var lastTrouble: String?
            var isFirst = true
            while !Task.isCancelled {
                do throws(ObjectError) {
                    let report = try await mirror.run()
                    if isFirst || report.copiedCount + report.deletedCount + report.failureCount > 0 { show(report) }
                    (lastTrouble, isFirst) = (nil, false)
                } catch {
                    // A failure that repeats is reported only once.
                    if !Task.isCancelled, !ExactText.areEqual(lastTrouble, error.message) {
                        CommandText.complain("\(error.message) Trying again.")
                    }
                    lastTrouble = error.message
                }
                try? await Task.sleep(for: .seconds(interval))
            }
            if !json { CommandText.printLine("Stopped.") }
        }
        for await _ in await UnixSignalsSequence(trapping: [.sigint, .sigterm]) { break }
        copying.cancel()
        await copying.value
    }

    private func store(_ text: String, _ side: String, region: String) throws -> S3ObjectStore {
        let url: RemoteURL
        do {
            url = try RemoteURL(server: text)
        } catch {
            throw CommandFailure(message: "The \(side) is no endpoint: \(error.message).")
        }
        let (access, secret): (String?, String?)
        if case .basic(let user, let password) = url.credentials {
            (access, secret) = (user, password)
        } else {
            (access, secret) = (Settings().secret("\(side)AccessKey"), Settings().secret("\(side)SecretKey"))
        }
        guard let access, let secret, !access.isEmpty, !secret.isEmpty else {
            let name = "GODWIT_\(side.uppercased())"
            throw CommandFailure(
                message: "The \(side) needs keys. Set \(name)_ACCESS_KEY and \(name)_SECRET_KEY; "
                    + "`godwit objects account add` prints those of a new account.")
        }
        return S3ObjectStore(
            endpoint: url.description, region: region, accessKey: access, secretKey: secret,
            transport: try trust.transport())
    }

    private func show(_ report: ObjectMirrorReport) {
        for failure in report.failures { CommandText.complain(failure) }
        if report.failureCount > report.failures.count {
            CommandText.complain("\(report.failureCount - report.failures.count) more objects were not copied.")
        }
        guard json else { return CommandText.printLine(CopyLine.text(report)) }
        let line: JSONValue = [
            "copied": .integer(Int64(report.copiedCount)), "bytes": .integer(Int64(report.copiedBytes)),
            "unchanged": .integer(Int64(report.unchangedCount)), "deleted": .integer(Int64(report.deletedCount)),
            "failed": .integer(Int64(report.failureCount)),
        ]
        CommandText.printLine(line.jsonText())
    }
}

/// Shows the counts of a copy in progress on a terminal.
private final class CopyLine: Sendable {
    private static let interval = Duration.milliseconds(200)

    private let isTerminal = isatty(STDOUT_FILENO) == 1
    private let lastShown = Mutex(ContinuousClock.Instant?.none)

    @Sendable func show(_ report: ObjectMirrorReport) {
        guard isTerminal else { return }
        let now = ContinuousClock.now
        let isDue = lastShown.withLock { last in
            guard last.map({ now - $0 >= CopyLine.interval }) ?? true else { return false }
            last = now
            return true
        }
        if isDue { StandardStream.output.write("\r\u{1B}[K\(CopyLine.text(report))") }
    }

    func end() {
        if lastShown.withLock({ $0 }) != nil { StandardStream.output.write("\r\u{1B}[K") }
    }

    static func text(_ report: ObjectMirrorReport) -> String {
        let copied = CommandText.count(report.copiedCount, "object")
        let tenths = report.copiedBytes / 100_000
        return "Copied \(copied) (\(tenths / 10).\(tenths % 10) MB), \(report.unchangedCount) unchanged, "
            + "\(report.deletedCount) deleted."
    }
}
