//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error that ends reading or writing a file.
public struct ExchangeError: Error, Equatable, CustomStringConvertible {
    /// The line at which reading ended, from 1; `nil` when the error has no line.
    public let line: Int?
    /// A description of the error, with advice.
    public let message: String

    /// Creates an error.
    public init(line: Int? = nil, _ message: String) {
        self.line = line
        self.message = message
    }

    /// The message. If the line is known, it precedes the message.
    public var description: String { line.map { "line \($0): \(message)" } ?? message }
}

/// The reason why one record of a file has no document. The other records can still be read.
public struct RecordError: Error, Equatable {
    /// A description of the error.
    public let reason: String

    init(_ reason: String) { self.reason = reason }
}
