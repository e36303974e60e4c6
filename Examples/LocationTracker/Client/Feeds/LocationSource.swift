//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Where readings of the position come from.
///
/// ``GPXPlayback`` plays a track, ``NMEASource`` reads a receiver, ``GPSDSource`` asks a `gpsd`, and on Apple's systems
/// `CoreLocationSource` the system. One of your own is a sequence of readings.
public protocol LocationSource: Sendable {
    /// The readings.
    associatedtype Fixes: AsyncSequence<Fix, any Error>

    /// The readings as they come, from now on. The sequence ends when there are no more, and throws when they cannot be
    /// read.
    func fixes() -> Fixes

    /// Says whether the app is in the background, for a source that saves power there. Does nothing by default.
    func isInBackground(_ isInBackground: Bool)
}

extension LocationSource {
    /// Does nothing.
    public func isInBackground(_ isInBackground: Bool) {}
}
