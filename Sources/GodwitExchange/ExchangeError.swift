//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A file that cannot be read any further.
public struct ExchangeError: Error, Equatable, CustomStringConvertible {
    /// The line at which reading ended, from 1; `nil` when it is not about a line.
    public let line: Int?
    /// What is wrong and what to do about it.
    public let message: String

    /// Creates an error.
    public init(line: Int? = nil, _ message: String) {
        self.line = line
        self.message = message
    }

    /// The message, behind the line.
    public var description: String { line.map { "line \($0): \(message)" } ?? message }
}

/// Why one record of a file gives no document; others do.
public struct RecordError: Error, Equatable {
    /// What is wrong.
    public let reason: String

    init(_ reason: String) { self.reason = reason }
}
