//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// The state of a database's file and of its log. If two states are equal, the database did not change between them.
/// The state is read without opening the database.
struct FileState: Equatable, CustomStringConvertible {
    /// The inode, size and time of the last change of both files.
    let description: String
    /// Whether the last change is old enough that a later change certainly has a different time, even if the file
    /// system stores times with a low resolution.
    let isSettled: Bool

    /// The minimum age of a change, in seconds, so that a later change certainly has another time.
    private static let settledSeconds = 3

    /// Reads the state of the files of a database.
    ///
    /// - Returns: `nil` if the file does not exist.
    init?(of path: String) {
        guard let file = FileState.status(path) else { return nil }
        let log = FileState.status(path + "-wal").flatMap { $0.st_size > 0 ? $0 : nil }
        description = ([file] + [log].compactMap { $0 }).map(FileState.text).joined(separator: " ")
        let newest = max(file.contentChangeTime.tv_sec, log.map { $0.contentChangeTime.tv_sec } ?? 0)
        isSettled = newest + FileState.settledSeconds < time(nil)
    }

    /// The state that a text describes.
    init(stored text: String) {
        description = text
        isSettled = true
    }

    static func == (one: FileState, other: FileState) -> Bool {
        one.description.isIdenticalText(to: other.description)
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    private static func text(_ status: stat) -> String {
        "\(status.st_ino):\(status.st_size):\(status.contentChangeTime.tv_sec).\(status.contentChangeTime.tv_nsec)"
    }
}
