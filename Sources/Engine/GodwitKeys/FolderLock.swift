//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// An exclusive lock of the folder that contains a key file. A process holds the lock while it changes the file.
///
/// Without the lock, one of two concurrent changes could be lost, for example an added passphrase. The lock is a lock
/// of the kernel (`flock`) and not a file. Therefore it is released even if the process is killed.
package enum FolderLock {
    private static let pauseMicroseconds: UInt32 = 5_000

    /// Runs `body` while it holds the lock of a folder. Blocks its thread, at most for `secondsMax` seconds.
    ///
    /// - Throws: ``KeyError`` with code ``KeyError/Code/busy`` if the lock is not free in this time,
    ///   ``KeyError/Code/storage`` if the folder cannot be opened or locked; the error of `body`.
    package static func hold<Result>(
        _ folder: String, secondsMax: Int = KeyLimits.lockWaitSecondsMax, while body: () throws(KeyError) -> Result
    ) throws(KeyError) -> Result {
        let file: SystemFile
        do {
            file = try SystemFile(folder, O_RDONLY | O_DIRECTORY)
        } catch {
            throw PrivateFile.failure("The folder \(folder) cannot be opened", error)
        }
        try lock(file, folder, secondsMax)
        defer { file.unlock() }
        return try body()
    }

    private static func lock(_ file: SystemFile, _ folder: String, _ secondsMax: Int) throws(KeyError) {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(secondsMax)
        while try !isLocked(file, folder) {
            guard clock.now < deadline else {
                throw KeyError(
                    .busy,
                    "Another process has been changing a key file in \(folder) for \(secondsMax) seconds. Try again.")
            }
            usleep(pauseMicroseconds)
        }
    }

    private static func isLocked(_ file: SystemFile, _ folder: String) throws(KeyError) -> Bool {
        do {
            return try file.lock()
        } catch {
            throw PrivateFile.failure("The folder \(folder) cannot be locked", error)
        }
    }
}
