//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CExif

/// The data that a camera wrote into a JPEG file.
final class CameraData {
    /// The maximum length of a text. If a text is longer, its rest is ignored.
    private static let textBytesMax = 64

    /// The tags of the directory that contains the place. They are declared here because the library declares them only
    /// as macros.
    private enum PlaceTag: UInt32 {
        case latitudeReference = 1
        case latitude, longitudeReference, longitude, altitudeReference, altitude
        case track = 15
    }

    private let data: UnsafeMutablePointer<ExifData>
    private let order: ExifByteOrder

    /// Reads the data; `nil` if the file has none.
    init?(of file: [UInt8]) {
        guard let data = exif_data_new() else { return nil }
        exif_data_load_data(data, file, UInt32(clamping: file.count))
        (self.data, order) = (data, exif_data_get_byte_order(data))
        guard
            withUnsafeBytes(
                of: data.pointee.ifd, { $0.bindMemory(to: Directory?.self).contains { $0?.pointee.count ?? 0 > 0 } })
        else { return nil }
    }

    deinit { exif_data_unref(data) }

    private typealias Directory = UnsafeMutablePointer<ExifContent>

    /// The orientation, 1 to 8; `nil` if it is not known.
    var orientation: Int? {
        guard let entry = entry(EXIF_TAG_ORIENTATION, in: EXIF_IFD_0), entry.pointee.format == EXIF_FORMAT_SHORT,
            entry.pointee.components >= 1, entry.pointee.size >= 2
        else { return nil }
        let orientation = Int(exif_get_short(entry.pointee.data, order))
        return (1...8).contains(orientation) ? orientation : nil
    }

    /// The local time at which the picture was taken. If it is missing, the time at which the file was changed; `nil`
    /// if both are missing.
    var time: String? {
        text(EXIF_TAG_DATE_TIME_ORIGINAL, in: EXIF_IFD_EXIF) ?? text(EXIF_TAG_DATE_TIME, in: EXIF_IFD_0)
    }

    /// The offset of the local time from UTC; `nil` if it is missing.
    var timeOffset: String? { text(ExifTag(rawValue: 0x9011), in: EXIF_IFD_EXIF) }

    /// The place; `nil` if the latitude, the longitude or the hemisphere of one of them is missing or not valid.
    var place: PhotoDetails.Place? {
        guard let latitude = degrees(.latitude, .latitudeReference, negative: "S"), abs(latitude) <= 90,
            let longitude = degrees(.longitude, .longitudeReference, negative: "W"), abs(longitude) <= 180
        else { return nil }
        let isBelowSea = placeEntry(.altitudeReference).map { $0.pointee.size >= 1 && $0.pointee.data[0] == 1 } ?? false
        let altitude = rationals(.altitude, count: 1).map { isBelowSea ? -$0[0] : $0[0] }
        return PhotoDetails.Place(
            latitude: latitude, longitude: longitude, altitude: altitude, course: rationals(.track, count: 1)?[0])
    }

    // MARK: Entries

    private func entry(_ tag: ExifTag, in directory: ExifIfd) -> UnsafeMutablePointer<ExifEntry>? {
        let content = withUnsafeBytes(of: data.pointee.ifd) {
            $0.bindMemory(to: Directory?.self)[Int(directory.rawValue)]
        }
        guard let entry = exif_content_get_entry(content, tag), entry.pointee.data != nil else { return nil }
        return entry
    }

    private func placeEntry(_ tag: PlaceTag) -> UnsafeMutablePointer<ExifEntry>? {
        entry(ExifTag(rawValue: tag.rawValue), in: EXIF_IFD_GPS)
    }

    private func text(_ tag: ExifTag, in directory: ExifIfd) -> String? {
        entry(tag, in: directory).flatMap { text($0) }
    }

    private func text(_ entry: UnsafeMutablePointer<ExifEntry>) -> String? {
        guard entry.pointee.format == EXIF_FORMAT_ASCII else { return nil }
        let length = min(Int(entry.pointee.size), CameraData.textBytesMax)
        let bytes = UnsafeBufferPointer(start: entry.pointee.data, count: length).prefix { $0 != 0 }
        return bytes.isEmpty || !bytes.allSatisfy({ (0x20..<0x7F).contains($0) })
            ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the first numbers of an entry; `nil` if the entry is missing, has fewer numbers, or contains a number
    /// that is not finite.
    private func rationals(_ tag: PlaceTag, count: Int) -> [Double]? {
        let bytesPerNumber = 8
        guard let entry = placeEntry(tag), entry.pointee.format == EXIF_FORMAT_RATIONAL,
            entry.pointee.components >= count, entry.pointee.size >= count * bytesPerNumber
        else { return nil }
        let numbers = (0..<count).map { index in
            let number = exif_get_rational(entry.pointee.data + index * bytesPerNumber, order)
            return Double(number.numerator) / Double(number.denominator)
        }
        return numbers.allSatisfy(\.isFinite) ? numbers : nil
    }

    private func degrees(_ tag: PlaceTag, _ reference: PlaceTag, negative: String) -> Double? {
        guard let parts = rationals(tag, count: 3), let text = placeEntry(reference).flatMap({ text($0) }) else {
            return nil
        }
        let value = parts[0] + parts[1] / 60 + parts[2] / 3_600
        return text.hasPrefix(negative) ? -value : value
    }
}
