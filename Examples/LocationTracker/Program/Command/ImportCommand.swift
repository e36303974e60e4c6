//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import LocationTrackerClient

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads GPX files completely into memory.
enum ImportCommand {
    /// Returns the track of a GPX file.
    static func track(_ path: String) throws(TrackerError) -> GPXTrack {
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw TrackerError(.input, "\(path) cannot be read. Check its name and permissions.")
        }
        do throws(GPXError) {
            return try GPXTrack(parsing: Array(bytes))
        } catch {
            throw TrackerError(.input, "\(path): \(error)", cause: error)
        }
    }
}
