//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension stat {
    /// The time of the last change of the content.
    package var contentChangeTime: timespec {
        #if canImport(Darwin)
            st_mtimespec
        #else
            st_mtim
        #endif
    }

    /// The time of the last change of the status or the content.
    package var statusChangeTime: timespec {
        #if canImport(Darwin)
            st_ctimespec
        #else
            st_ctim
        #endif
    }
}

extension SystemFile {
    /// Calls the function of the system that returns when the written data is on disk.
    ///
    /// - Returns: A negative number for a failure, whose error is in `errno`.
    static func flushToDisk(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            // On Darwin `fsync` leaves the data in the disk's cache. Some file systems support only `fsync`.
            if fcntl(descriptor, F_FULLFSYNC) == 0 { return 0 }
        #endif
        return fsync(descriptor)
    }
}

/// The limit of the system for the open files of this process.
package enum OpenFileLimit {
    #if canImport(Darwin)
        /// The largest limit of any process.
        package static let systemMax = rlim_t(OPEN_MAX)
    #else
        /// The largest limit of any process.
        package static let systemMax: rlim_t = 1 << 20
    #endif

    #if canImport(Darwin)
        private static let resource = RLIMIT_NOFILE
    #elseif canImport(Android)
        private static let resource = Int32(RLIMIT_NOFILE)
    #elseif canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif

    /// The limits now; `nil` if the system does not report them.
    package static var current: rlimit? {
        var limits = rlimit()
        return getrlimit(resource, &limits) == 0 ? limits : nil
    }

    /// Changes the limits. Errors are ignored.
    package static func change(to limits: rlimit) {
        var limits = limits
        _ = setrlimit(resource, &limits)
    }
}
