//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(CoreLocation)
    import CoreLocation
    import Synchronization

    /// A source that gets its fixes (readings of the position) from Apple's systems. In the foreground, it reports
    /// fixes with an accuracy of about 10 m. In the background, it reports only significant changes. Use only one
    /// sequence of ``fixes()`` at a time.
    ///
    /// The app's `Info.plist` must contain a reason for the access (`NSLocationAlwaysAndWhenInUseUsageDescription`),
    /// and `location` among the background modes.
    public final class CoreLocationSource: LocationSource {
        /// The maximum number of fixes that wait for the consumer. If there are more, the oldest are dropped.
        private static let fixesWaitingMax = 1_024

        private struct State {
            var isInBackground = false
            var listener: Listener?
        }

        private let state = Mutex(State())
        private let distances: Distances

        /// Creates a source. It does not ask the user for permission yet.
        ///
        /// - Parameters:
        ///   - foregroundMetersMin: The distance between two fixes in the foreground, in meters.
        ///   - backgroundMetersMin: The distance between two fixes in the background, in meters.
        public init(foregroundMetersMin: Double, backgroundMetersMin: Double) {
            distances = Distances(foreground: foregroundMetersMin, background: backgroundMetersMin)
        }

        /// See ``LocationSource/fixes()``. Throws the system's error when the user denies access.
        public func fixes() -> AsyncThrowingStream<Fix, any Error> {
            AsyncThrowingStream(bufferingPolicy: .bufferingNewest(CoreLocationSource.fixesWaitingMax)) { stream in
                Task { @MainActor in
                    let listener = Listener(
                        self.distances, onFix: { stream.yield($0) }, onFailure: { stream.finish(throwing: $0) })
                    let isInBackground = self.state.withLock { state in
                        state.listener = listener
                        return state.isInBackground
                    }
                    listener.follow(isInBackground: isInBackground)
                }
                stream.onTermination = { _ in Task { @MainActor in self.stop() } }
            }
        }

        /// See ``LocationSource/isInBackground(_:)``.
        public func isInBackground(_ isInBackground: Bool) {
            Task { @MainActor in
                let listener = self.state.withLock { state in
                    state.isInBackground = isInBackground
                    return state.listener
                }
                listener?.follow(isInBackground: isInBackground)
            }
        }

        @MainActor private func stop() {
            let listener = state.withLock { state in
                defer { state.listener = nil }
                return state.listener
            }
            listener?.stop()
        }
    }

    private struct Distances {
        let foreground: Double
        let background: Double
    }

    /// The system's delegate.
    @MainActor
    private final class Listener: NSObject, CLLocationManagerDelegate {
        private let manager = CLLocationManager()
        private let distances: Distances
        private let onFix: @Sendable (Fix) -> Void
        private let onFailure: @Sendable (any Error) -> Void

        init(
            _ distances: Distances, onFix: @escaping @Sendable (Fix) -> Void,
            onFailure: @escaping @Sendable (any Error) -> Void
        ) {
            self.distances = distances
            self.onFix = onFix
            self.onFailure = onFailure
            super.init()
            manager.delegate = self
            manager.requestAlwaysAuthorization()
        }

        func follow(isInBackground: Bool) {
            manager.distanceFilter = isInBackground ? distances.background : distances.foreground
            stop()
            if isInBackground {
                manager.desiredAccuracy = kCLLocationAccuracyHundredMeters
                manager.startMonitoringSignificantLocationChanges()
            } else {
                manager.desiredAccuracy = kCLLocationAccuracyNearestTenMeters
                manager.startUpdatingLocation()
            }
        }

        func stop() {
            manager.stopUpdatingLocation()
            manager.stopMonitoringSignificantLocationChanges()
        }

        nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            for location in locations { onFix(Fix(location)) }
        }

        nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
            // Other errors are not reported, because they are temporary, and the system continues to search for the
            // position.
            if (error as? CLError)?.code == .denied { onFailure(error) }
        }
    }

    extension Fix {
        /// Creates a fix from a location of the system. The accuracy is negative when the location has no valid
        /// position.
        fileprivate init(_ location: CLLocation) {
            self.init(
                latitude: location.coordinate.latitude, longitude: location.coordinate.longitude,
                timeMilliseconds: Int64((location.timestamp.timeIntervalSince1970 * 1_000).rounded()),
                accuracyMeters: location.horizontalAccuracy)
        }
    }
#endif
