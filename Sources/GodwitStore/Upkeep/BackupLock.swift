//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFiles
import GodwitThreads

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Holds the name of a backup for one who writes it or changes its key.
///
/// The lock is the kernel's (`flock`), on a file beside it, since the backup itself changes hands by being renamed. It ends with
/// the process; the file, which is empty, is removed by whoever holds it last.
final class BackupLock: Sendable {
    private let path: String
    private let file: Mutex<SystemFile?>

    /// - Throws: ``StoreError`` with code ``StoreError/Code/fileInUse``.
    init(of backup: String) throws(StoreError) {
        path = backup + ".godwit-lock"
        var taken: SystemFile?
        while taken == nil { taken = try BackupLock.take(path, for: backup) }
        file = Mutex(taken)
    }

    deinit { release() }

    var isHeld: Bool { file.withLock { $0 != nil } }

    /// Lets others have the name; again it does nothing.
    func release() {
        file.withLock { file in
            guard let held = file else { return }
            unlink(path)
            held.unlock()
            file = nil
        }
    }

    /// - Returns: `nil` when the file was removed by its last holder meanwhile.
    private static func take(_ path: String, for backup: String) throws(StoreError) -> SystemFile? {
        let file: SystemFile
        do {
            file = try SystemFile(path, O_RDWR | O_CREAT)
        } catch {
            throw StoreError(.storage, "\(path) cannot be made: \(error).")
        }
        // Where the file system has no locks there is none to wait for.
        guard (try? file.lock()) != false else {
            throw StoreError(
                .fileInUse, "\(backup) is being written, or given another key, by somebody else. Try again afterwards.")
        }
        var named = stat()
        guard let held = try? file.status(), stat(path, &named) == 0, held.st_ino == named.st_ino else { return nil }
        return file
    }
}
