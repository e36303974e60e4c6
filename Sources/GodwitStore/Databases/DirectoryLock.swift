//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

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
    private let descriptor: Int32

    init(directory: String) throws(StoreError) {
        let path = "\(directory)/godwit.lock"
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw StoreError(.storage, "\(path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        // From here on `deinit` runs when this throws, and closes the file: closing it here too would close it twice.
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            throw StoreError(
                .directoryInUse,
                "\(directory) is open in another Godwit. Stop that one, take another directory, or ask it by its URL.")
        }
    }

    deinit {
        // Said aloud: a child that another thread is about to start may have a copy of the descriptor for a moment.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}
