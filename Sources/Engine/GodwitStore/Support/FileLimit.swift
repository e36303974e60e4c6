//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The number of files that this process may have open.
package enum FileLimit {
    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif

    #if canImport(Darwin)
        /// The largest limit of any process.
        private static let systemMax = rlim_t(OPEN_MAX)
    #else
        private static let systemMax: rlim_t = 1 << 20
    #endif

    /// The current limit, at most `systemMax`; 256 if the system does not report it.
    static var current: Int { limits.map { Int(min($0.rlim_cur, systemMax)) } ?? 256 }

    /// Raises the limit to the maximum that this process may set, at most `systemMax`. Ignores errors. The usual limit
    /// is too low for many databases.
    package static func raise() {
        guard var limits else { return }
        limits.rlim_cur = max(limits.rlim_cur, min(limits.rlim_max, systemMax))
        _ = setrlimit(resource, &limits)
    }

    private static var limits: rlimit? {
        var limits = rlimit()
        return getrlimit(resource, &limits) == 0 ? limits : nil
    }
}
