//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// An exclusive lock on a directory. Only one manager, of this or another process, can hold it.
///
/// Two processes that checkpoint the same file at the same time could damage it. The kernel releases the lock (`flock`)
/// when the process ends, even after a crash.
struct DirectoryLock: ~Copyable {
    private let file: SystemFile

    init(directory: String) throws(StoreError) {
        let path = "\(directory)/godwit.lock"
        let file = try DatabaseFiles.open(path, O_RDWR | O_CREAT, "opening")
        let isLocked = try DatabaseFiles.attempt("locking", path) { () throws(SystemError) in try file.lock() }
        guard isLocked else {
            throw StoreError(
                .directoryInUse,
                "\(directory) is open in another Godwit process. Stop it, use another directory, or use its URL.")
        }
        self.file = file
    }

    deinit { file.unlock() }
}
