//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import GodwitHost
import LocationTrackerClient
import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Shows the status of a journey. On a terminal, the status is a line that is overwritten after each change. At the
/// end, a summary is printed.
final class StatusLine: Sendable {
    /// The minimum time between two updates of the line.
    private static let minimumInterval = Duration.milliseconds(100)

    private struct State {
        var isOpen = false
        var lastShown: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    /// Shows a status if standard output is a terminal and the last update was long enough ago.
    func show(_ status: TrackerStatus) {
        guard Terminal.isInteractive else { return }
        state.withLock { state in
            let now = ContinuousClock.now
            guard state.lastShown.map({ now - $0 >= StatusLine.minimumInterval }) ?? true else { return }
            state.lastShown = now
            state.isOpen = true
            StandardStream.output.write("\r\u{1B}[K\(status.line)")
        }
    }

    /// Prints a message on a separate line.
    func note(_ text: String) {
        state.withLock { state in
            if state.isOpen { StandardStream.output.write("\n") }
            state.isOpen = false
            CommandText.complain(text)
        }
    }

    /// Ends the line and prints the result of the journey.
    func end(_ status: TrackerStatus) {
        state.withLock { state in
            if state.isOpen { StandardStream.output.write("\r\u{1B}[K\(status.line)\n") }
            state.isOpen = false
        }
        let (fixes, locations, pushed) = (status.counts.fixes, status.counts.locations, status.pushed)
        CommandText.printLine("Tracked \(locations) locations of \(fixes) fixes, \(pushed) of them pushed.")
        if let trouble = status.trouble { CommandText.complain(trouble) }
        guard pushed < locations else { return }
        CommandText.printLine(
            "\(locations - pushed) are stored on this machine; `location-tracker sync` pushes them over a network."
        )
    }
}

extension TrackerStatus {
    /// The status in one line.
    fileprivate var line: String {
        let time = fix.map {
            Date(timeIntervalSince1970: Double($0.timeMilliseconds) / 1_000).formatted(.iso8601)
        }
        let network = isOnline.map { $0 ? "online" : "offline" }
        let place = nearest.map { "nearest \($0.place.name) \(Int($0.meters.rounded())) m" }
        return [
            time, "locations \(counts.locations) of \(counts.fixes) fixes", "pushed \(pushed)/\(counts.locations)",
            network, place,
        ].compactMap(\.self).joined(separator: "  ")
    }
}
