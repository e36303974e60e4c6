//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitJSON

/// A Swift value that is one JSON scalar in a document.
protocol JSONScalar {
    /// The value as JSON; `nil` if JSON cannot represent it.
    var scalar: JSONValue? { get }

    /// Decodes the value; `nil` if the scalar has another type or is invalid.
    init?(scalar: JSONValue)
}

extension Bool: JSONScalar {
    var scalar: JSONValue? { .bool(self) }

    init?(scalar: JSONValue) {
        guard let bool = scalar.boolValue else { return nil }
        self = bool
    }
}

extension String: JSONScalar {
    var scalar: JSONValue? { .string(self) }

    init?(scalar: JSONValue) {
        guard let string = scalar.stringValue else { return nil }
        self = string
    }
}

extension Date: JSONScalar {
    /// ISO 8601 in UTC, exact; `nil` outside of the years 0 to 9999.
    var scalar: JSONValue? { ISO8601.text(timeIntervalSinceReferenceDate).map { .string($0) } }

    init?(scalar: JSONValue) {
        guard let seconds = scalar.stringValue.flatMap({ ISO8601.seconds($0) }) else { return nil }
        self.init(timeIntervalSinceReferenceDate: seconds)
    }
}

extension Data: JSONScalar {
    /// Base64 with padding.
    var scalar: JSONValue? {
        var digits: [UInt8] = []
        Base64.append(Array(self), to: &digits)
        return .string(String(decoding: digits, as: UTF8.self))
    }

    init?(scalar: JSONValue) {
        guard let bytes = scalar.stringValue.flatMap({ Base64.decode($0.utf8) }) else { return nil }
        self.init(bytes)
    }
}

extension URL: JSONScalar {
    /// The absolute URL.
    var scalar: JSONValue? { .string(absoluteString) }

    init?(scalar: JSONValue) {
        guard let string = scalar.stringValue else { return nil }
        self.init(string: string)
    }
}
