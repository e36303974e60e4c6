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

/// The values of environment variables.
enum Settings {
    /// The variable that contains the key of the data. If it is missing, the key is in a key file that the user's
    /// password protects.
    static let keyVariable = "LOCATION_TRACKER_KEY"

    static var server: String? { value("LOCATION_TRACKER_SERVER") }
    static var data: String { value("LOCATION_TRACKER_DATA") ?? "\(value("HOME") ?? ".")/.location-tracker" }
    static var password: String? { value("LOCATION_TRACKER_PASSWORD") }
    static var hasKey: Bool { value(keyVariable) != nil }

    /// Returns a value; `nil` when it is missing or empty.
    private static func value(_ name: String) -> String? {
        ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }
}

/// The option for the folder of the data.
struct DataOption: ParsableArguments {
    @Option(help: "The directory of the data: LOCATION_TRACKER_DATA, else ~/.location-tracker.")
    var data: String?

    var folder: String { data ?? Settings.data }
}

/// The option for the server.
struct ServerOption: ParsableArguments {
    @Option(help: "The server's address, for example https://tracker.example.org; else LOCATION_TRACKER_SERVER.")
    var server: String?

    /// The URL in the option. If the option is missing, it is the URL in the environment variable.
    var url: String? { server ?? Settings.server }
}
