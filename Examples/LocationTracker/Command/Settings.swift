//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Values of the environment.
enum Settings {
    /// The variable that holds the key of what is stored, where it is not behind the user's password.
    static let keyVariable = "LOCATION_TRACKER_KEY"

    static var server: String? { value("LOCATION_TRACKER_SERVER") }
    static var data: String { value("LOCATION_TRACKER_DATA") ?? "\(value("HOME") ?? ".")/.location-tracker" }
    static var password: String? { value("LOCATION_TRACKER_PASSWORD") }
    static var hasKey: Bool { value(keyVariable) != nil }

    /// A value; one that is empty is none.
    private static func value(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// Where what is stored lies.
struct DataOption: ParsableArguments {
    @Option(help: "The directory of the data: LOCATION_TRACKER_DATA, else ~/.location-tracker.")
    var data: String?

    var folder: String { data ?? Settings.data }
}

/// Which server is talked to.
struct ServerOption: ParsableArguments {
    @Option(help: "The server's address, for example https://tracker.example.org; else LOCATION_TRACKER_SERVER.")
    var server: String?

    /// What was given.
    var url: String? { server ?? Settings.server }
}
