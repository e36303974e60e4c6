//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error of an app on a device, with advice. It never contains a password or a key.
public struct DeviceError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error. Later versions may add kinds. Therefore a `switch` over kinds needs a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name.
        public let description: String

        /// The request is not valid, or a source of fixes (readings of the position) cannot be read.
        public static let input = Code(description: "input")
        /// The requested item does not exist.
        public static let notFound = Code(description: "notFound")
        /// The request is not permitted.
        public static let refused = Code(description: "refused")
        /// The file is larger than the limit.
        public static let tooLarge = Code(description: "tooLarge")
        /// The file has a format that the app does not support.
        public static let unsupported = Code(description: "unsupported")
        /// The server cannot be reached, or refuses the request.
        public static let unreachable = Code(description: "unreachable")
        /// The data on the device is locked.
        public static let locked = Code(description: "locked")
        /// The disk or the datastore failed.
        public static let storage = Code(description: "storage")
        /// Another process uses the data or the port.
        public static let inUse = Code(description: "inUse")
    }

    /// The kind of error.
    public let code: Code
    /// A description of the error, with advice.
    public let message: String
    /// The underlying error, if another layer reported one.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        (self.code, self.message, self.cause) = (code, message, cause)
    }

    /// The message.
    public var description: String { message }
}
