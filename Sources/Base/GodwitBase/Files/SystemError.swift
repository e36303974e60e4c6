//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The error of a failed system call.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The value of `errno`.
    package let number: Int32

    /// Creates the error with a value of `errno`.
    package init(_ number: Int32) { self.number = number }

    /// The error of the last system call on this thread.
    package static var last: SystemError { SystemError(errno) }

    /// The error for a file that already exists (`EEXIST`).
    package static let isThere = SystemError(EEXIST)
    /// The error for an absent file or folder (`ENOENT`).
    package static let isMissing = SystemError(ENOENT)
    /// The error for a full disk (`ENOSPC`).
    package static let diskFull = SystemError(ENOSPC)

    /// Whether the process or the system has no free file descriptor (`EMFILE`, `ENFILE`).
    package var isOutOfFiles: Bool { number == EMFILE || number == ENFILE }

    /// The system's description, such as `No such file or directory`.
    package var description: String { String(cString: strerror(number)) }
}
