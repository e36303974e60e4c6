//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
import Foundation

/// Makes copies of pictures in a separate process.
public struct DevicePhotos: PhotoProcessor {
    private let workers: PhotoWorkers

    /// Creates a processor.
    public init(_ workers: PhotoWorkers = PhotoWorkers()) { self.workers = workers }

    /// See ``DeviceKit/PhotoProcessor/copy(of:longestSide:quality:)``.
    public func copy(
        of file: [UInt8], longestSide: Int?, quality: Double
    ) async throws(DeviceError) -> ProcessedPhoto {
        let copy: PhotoCopy
        do throws(PhotoError) {
            copy = try await workers.copy(of: file, as: PhotoForm(longestSide: longestSide, quality: quality))
        } catch {
            throw DeviceError(error)
        }
        let place = copy.details.place.flatMap {
            PhotoPlace(latitude: $0.latitude, longitude: $0.longitude, altitude: $0.altitude, course: $0.course)
        }
        return ProcessedPhoto(
            jpeg: copy.jpeg, width: copy.details.width, height: copy.details.height, takenAt: copy.details.takenAt,
            place: place)
    }
}

extension PhotoDetails {
    /// The time at which the picture was taken, in seconds since 1970. A time without an offset from UTC is in the time
    /// zone of this device. `nil` if it is not known.
    var takenAt: Double? {
        guard let time else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = timeOffset == nil ? "yyyy:MM:dd HH:mm:ss" : "yyyy:MM:dd HH:mm:ssZZZZZ"
        return formatter.date(from: time + (timeOffset ?? ""))?.timeIntervalSince1970
    }
}

extension DeviceError {
    init(_ error: PhotoError) {
        let code: Code =
            switch error.code {
            case .unknownFormat: .unsupported
            case .tooLarge, .tooCostly: .tooLarge
            case .damaged: .input
            case .unavailable: .storage
            }
        self.init(code, error.message, cause: error)
    }
}
