//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A file that cannot be read any further.
package struct ExchangeError: Error, Equatable, CustomStringConvertible {
    /// The line at which reading ended, from 1; `nil` when it is not about a line.
    package let line: Int?
    /// What is wrong and what to do about it.
    package let message: String

    package init(line: Int? = nil, _ message: String) {
        self.line = line
        self.message = message
    }

    package var description: String { line.map { "line \($0): \(message)" } ?? message }
}

/// Why one record of a file gives no document; others do.
package struct RecordError: Error, Equatable {
    package let reason: String

    init(_ reason: String) { self.reason = reason }
}
