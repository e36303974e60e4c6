//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
public import GodwitDatabase

/// An image of the feed on the device.
public struct FeedPhoto: Equatable, Sendable {
    /// The id.
    public let id: String
    /// The text that the owner wrote; empty if there is no text.
    public let caption: String
    /// The name of the owner's account.
    public let owner: String
    /// The full name of the owner.
    public let ownerName: String
    /// The width of the picture in pixels.
    public let width: Int
    /// The height of the picture in pixels.
    public let height: Int
    /// The time of the upload; `Date.distantPast` if the document has no valid time.
    public let uploaded: Date
    /// The position in the feed. If images are sorted by this text, they are in the order of their times.
    public let order: String

    /// Reads a document. `nil` if it is not an image.
    public init?(_ document: Document) {
        let text = { (name: String) in document.body[name]?.stringValue ?? "" }
        guard let id = document.id, text("type") == "image", !text("order").isEmpty else { return nil }
        (self.id, caption, owner) = (id, text("caption"), text("userId"))
        ownerName = text("userName").isEmpty ? text("userId") : text("userName")
        (width, height) = (document.body["width"]?.intValue ?? 0, document.body["height"]?.intValue ?? 0)
        uploaded = (try? Date(text("uploadedTs") + "Z", strategy: .iso8601)) ?? .distantPast
        order = text("order")
    }
}

extension Date {
    /// Returns the time from this date until another date, in one unit as in the original: for example `2w`, `3d`,
    /// `5h`, `8m` or `12s`. If less than a second has passed, or if the other date is earlier, the text is `now`.
    public func age(at now: Date) -> String {
        guard let seconds = Int(exactly: now.timeIntervalSince(self).rounded(.towardZero)) else { return "now" }
        let units = [(604_800, "w"), (86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")]
        guard let (length, name) = units.first(where: { seconds >= $0.0 }) else { return "now" }
        return "\(seconds / length)\(name)"
    }

    /// Returns the name of a picture that was taken at this date: `MM-dd-yyyy_HHmmss.JPG`.
    ///
    /// - Parameter timeZone: The time zone of the name.
    public func pictureName(timeZone: TimeZone = .current) -> String {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = timeZone
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: self)
        let two = { (number: Int?) in String(format: "%02d", number ?? 0) }
        return "\(two(parts.month))-\(two(parts.day))-\(String(format: "%04d", parts.year ?? 0))_"
            + "\(two(parts.hour))\(two(parts.minute))\(two(parts.second)).JPG"
    }
}
