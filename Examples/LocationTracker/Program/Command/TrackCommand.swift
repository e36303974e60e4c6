//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import DeviceKit
import GodwitClientNIO
import GodwitHost
import LocationTrackerClient
import UnixSignals

/// The `location-tracker track` command: tracks a journey.
struct TrackCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "track", abstract: "Track a journey: store its locations, and push them when there is a network.",
        discussion: """
            Ctrl-C ends it; recorded locations are kept. SIGUSR1 puts the app into the background or back. In the \
            background, locations are 100 m apart instead of 15.
            """)

    @Option(help: "Play a GPX file.")
    var gpx: String?

    @Option(help: "The speed at which the file is played, relative to the original.")
    var speed: Double?

    @Option(help: "Read NMEA 0183 from a file or a device; - is standard input.")
    var nmea: String?

    @Option(help: "Read from a gpsd: HOST:PORT, or HOST with the usual port 2947.")
    var gpsd: GPSDAddress?

    @Flag(help: "Start in the background.")
    var background = false

    @OptionGroup var serverOption: ServerOption
    @OptionGroup var dataOption: DataOption

    func validate() throws {
        guard [gpx != nil, nmea != nil, gpsd != nil].count(where: { $0 }) == 1 else {
            throw ValidationError("Specify the source of locations: one of --gpx, --nmea and --gpsd.")
        }
        guard speed == nil || gpx != nil else { throw ValidationError("--speed can only be used with --gpx.") }
        guard speed ?? 1 > 0 else { throw ValidationError("--speed must be a number above 0.") }
    }

    func run() async throws {
        let line = StatusLine()
        let source = try source(line)
        let (session, account) = try await Device(dataOption).resume()
        let server = try TrackerServer(serverOption.url ?? account.serverURL, transport: AsyncHTTPTransport())
        let store = try await session.openStore(of: account)
        let tracker = Tracker(store: store, account: account, server: server) { line.show($0) }
        let monitor = LocationMonitor(isInBackground: background)
        let tracking = Task { try await tracker.run(source, on: monitor) }
        let signals = Task {
            for await signal in await UnixSignalsSequence(trapping: [.sigint, .sigterm, .sigusr1]) {
                if signal == .sigusr1 { monitor.isInBackground.toggle() } else { tracking.cancel() }
            }
        }
        let outcome = await tracking.result
        signals.cancel()
        await store.close()
        line.end(tracker.status)
        if let source = source as? NMEASource, source.skippedCount > 0 {
            CommandText.complain("\(source.skippedCount) lines were not NMEA sentences and were skipped.")
        }
        do {
            try outcome.get()
        } catch is CancellationError {
            return
        }
    }

    private func source(_ line: StatusLine) throws -> any LocationSource {
        if let gpx { return GPXPlayback(try ImportCommand.track(gpx), speed: speed ?? 1) }
        if let nmea { return NMEASource(path: nmea) }
        let address = gpsd ?? GPSDAddress(host: "127.0.0.1", port: GPSDSource.portUsual)
        return GPSDSource(host: address.host, port: address.port) { event in
            if case .waiting(let seconds, let reason) = event {
                line.note(
                    "gpsd at \(address.host):\(address.port): \(reason). Next try in \(Int(seconds.rounded(.up))) s.")
            }
        }
    }
}

/// The address of a `gpsd`.
struct GPSDAddress: ExpressibleByArgument {
    let host: String
    let port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    init?(argument: String) {
        var (host, port) = (argument[...], GPSDSource.portUsual)
        if let colon = argument.lastIndex(of: ":"), argument.last != "]" {
            guard let number = Int(argument[argument.index(after: colon)...]), (1...65_535).contains(number) else {
                return nil
            }
            (host, port) = (argument[..<colon], number)
        }
        if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
        guard !host.isEmpty else { return nil }
        self.init(host: String(host), port: port)
    }
}
