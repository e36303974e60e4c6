//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The kind of a value in a JSON text.
@usableFromInline
package enum JSONKind: UInt8, Sendable {
    /// The literal `null`.
    case null
    /// The literal `true`.
    case `true`
    /// The literal `false`.
    case `false`
    /// A number written without fraction and exponent, of any length.
    case integer
    /// A number written with a fraction, an exponent or both.
    case double
    /// A string; also the name of a member.
    case string
    /// An array.
    case array
    /// An object.
    case object
}
