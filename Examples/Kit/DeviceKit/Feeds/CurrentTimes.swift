//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A source that replaces the time of each fix by the time at which the fix arrives. With it, a recorded track seems to
/// be recorded now.
public struct CurrentTimes<Source: LocationSource>: LocationSource {
    private let source: Source

    /// Creates a source with the fixes of another source.
    public init(_ source: Source) { self.source = source }

    /// See ``LocationSource/fixes()``.
    public func fixes() -> AsyncMapSequence<Source.Fixes, Fix> {
        source.fixes().map { fix in
            Fix(
                latitude: fix.latitude, longitude: fix.longitude,
                timeMilliseconds: Int64(Date.now.timeIntervalSince1970 * 1_000), accuracyMeters: fix.accuracyMeters,
                altitudeMeters: fix.altitudeMeters, courseDegrees: fix.courseDegrees)
        }
    }
}
