//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason why a picture was refused, or why no copy of it could be made.
public struct PhotoError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of an error.
    public enum Code: String, Sendable {
        /// The file is neither a JPEG nor a PNG picture.
        case unknownFormat
        /// The picture is damaged or incomplete.
        case damaged
        /// The file, or the picture in it, is larger than the limit.
        case tooLarge
        /// Decoding the picture needs more time or memory than the limits allow.
        case tooCostly
        /// The process for pictures cannot be started, or too many pictures wait.
        case unavailable
    }

    /// The kind of the error.
    public let code: Code
    /// The reason, for the user.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }

    /// The reason.
    public var description: String { message }
}
