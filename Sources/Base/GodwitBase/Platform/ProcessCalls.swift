//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension rusage {
    /// The maximum memory in use so far, in bytes.
    package var peakBytes: Int {
        #if canImport(Darwin)
            let unit = 1
        #else
            let unit = 1024
        #endif
        return Int(ru_maxrss) * unit
    }
}

/// `SOCK_STREAM` as a number.
package var streamSocket: Int32 {
    #if canImport(Glibc) && !canImport(Android) && !canImport(Darwin)
        Int32(SOCK_STREAM.rawValue)
    #else
        SOCK_STREAM
    #endif
}
