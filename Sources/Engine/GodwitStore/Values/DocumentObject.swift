//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A Swift value that is stored as a document.
///
/// The document's body is the encoded value, with the additional first member `@datatype`, which names the type.
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
/// These types are stored without loss: integers up to 128 bits, `Double`, `Float`, and `Date` for the years 0 to 9999.
/// A date is written in ISO 8601 in UTC, such as `2026-05-02T08:00:00Z`, with the necessary number of fractional
/// digits. `Data` is written in Base64, and a `URL` as its absolute string. A `Decimal` is written as a string of all
/// its digits, because a number with a fraction is a double in a document. A `Decimal` can be decoded from a string or
/// from a number. Dates are decoded with any number of fractional digits, and with `Z` or an offset such as `+02:00`. A
/// number that is not finite, or a date outside of these years, cannot be saved.
///
/// A value must encode to an object whose members do not begin with an underscore. Values can be nested to a depth of
/// 100.
public protocol DocumentObject: Codable, Sendable {
    /// The value of the member `@datatype` for this type; by default the name of the type.
    ///
    /// This name is part of the stored documents. Therefore, if you rename a type, define this property with the old
    /// name.
    static var dataType: String { get }
}

extension DocumentObject {
    /// The type's name, without the names of its module and of enclosing types.
    public static var dataType: String { String(describing: Self.self) }
}

extension StoreError.Code {
    /// The document's `@datatype` differs from the requested type.
    public static let wrongDataType = StoreError.Code(description: "wrongDataType")
    /// The document has the requested type, but cannot be decoded.
    public static let undecodable = StoreError.Code(description: "undecodable")
}
