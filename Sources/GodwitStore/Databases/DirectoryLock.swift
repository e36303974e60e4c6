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

/// Holds a directory of databases for one manager of one process.
///
/// Two processes that checkpoint one file at a time could damage it, so the second is refused. The lock is the kernel's
/// (`flock`): it ends with the process, however that ends.
struct DirectoryLock: ~Copyable {
    private let file: SystemFile

    init(directory: String) throws(StoreError) {
        let path = "\(directory)/godwit.lock"
        let file = try DatabaseFiles.open(path, O_RDWR | O_CREAT, "opening")
        let isTaken = try DatabaseFiles.attempt("locking", path) { () throws(SystemError) in try file.lock() }
        guard isTaken else {
            throw StoreError(
                .directoryInUse,
                "\(directory) is open in another Godwit. Stop that one, take another directory, or ask it by its URL.")
        }
        self.file = file
    }

    deinit { file.unlock() }
}
