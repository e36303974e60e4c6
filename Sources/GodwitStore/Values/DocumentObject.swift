//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A Swift value that is kept as a document.
///
/// The document's body is what the value encodes to, with the member `@datatype` in front, which names the type.
///
/// ```swift
/// struct Trip: DocumentObject {
///     var title: String
///     var start: Date
/// }
///
/// var trip = try await trips.save(Trip(title: "Coast", start: .now), id: "coast")
/// trip.value.title = "The coast"
/// trip = try await trips.save(trip)
/// let same = try trips.object("coast", as: Trip.self)
/// ```
///
/// What is exact: integers up to 128 bits, `Double`, `Float`, and `Date`, which is written in ISO 8601 in UTC, such as
/// `2026-05-02T08:00:00Z`, with as many digits of a second as it has, for the years 0 to 9999. `Data` is Base64, `URL`
/// its absolute string, and `Decimal` a string of all its digits, because a number with a fraction is a double in
/// a document; it is read from numbers too. Dates are read with any number of digits of a second, and with `Z` or an
/// offset such as `+02:00`. A number that is not finite, and a date outside of these years, cannot be saved.
///
/// A value encodes to an object; none of the members of that begins with an underscore. Values stand in each other up
/// to a depth of 100.
public protocol DocumentObject: Codable, Sendable {
    /// What the member `@datatype` holds for this type.
    ///
    /// The type's name unless the type says otherwise. It is part of the stored documents: when a type is renamed, let
    /// it keep this.
    static var dataType: String { get }
}

extension DocumentObject {
    /// The type's name, without that of a module or of a type around it.
    public static var dataType: String { String(describing: Self.self) }
}

extension StoreError.Code {
    /// The document's `@datatype` names another type than the one that it was to be read as.
    public static let wrongDataType = StoreError.Code(description: "wrongDataType")
    /// The document is of the type that it was to be read as, and does not decode.
    public static let undecodable = StoreError.Code(description: "undecodable")
}
