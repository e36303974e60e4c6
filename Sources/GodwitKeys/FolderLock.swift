//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFiles

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Holds the folder of a key file for one who changes it.
///
/// Two who read, change and write at once would lose a passphrase. The lock is the kernel's (`flock`), on the folder
/// itself: it ends with the process, however that ends, and leaves no file behind.
package enum FolderLock {
    private static let pauseMicroseconds: UInt32 = 5_000

    /// Runs `body` while nobody else holds the folder. Waits for that at most `secondsMax`, and blocks its thread.
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
                    "Another process is changing a key file in \(folder), for \(secondsMax) seconds now. Try again.")
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
