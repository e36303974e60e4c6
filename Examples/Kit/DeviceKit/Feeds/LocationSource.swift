//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A source of fixes. A fix is a reading of the position.
///
/// ``GPXPlayback`` plays a track, ``NMEASource`` reads a receiver, ``GPSDSource`` uses `gpsd`, and `CoreLocationSource`
/// uses Apple's systems. You can also write your own source, which returns a sequence of fixes.
public protocol LocationSource: Sendable {
    /// The fixes.
    associatedtype Fixes: AsyncSequence<Fix, any Error>

    /// Returns the fixes that arrive from now on. The sequence ends when there are no more fixes. It throws an error
    /// when fixes cannot be read.
    func fixes() -> Fixes

    /// Tells the source whether the app is in the background. The source can then save power. Default: does nothing.
    func isInBackground(_ isInBackground: Bool)
}

extension LocationSource {
    /// Does nothing.
    public func isInBackground(_ isInBackground: Bool) {}
}
