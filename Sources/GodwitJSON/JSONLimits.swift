//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// How deep and how long a JSON text may be.
public struct JSONLimits: Sendable, Hashable {
    /// How many arrays and objects may stand inside each other.
    public var depthMax: Int
    /// How many bytes the text may have.
    public var bytesMax: Int
    /// Whether a scan ends with ``JSONError/Code/cancelled`` when the current task is cancelled. Default: false.
    package var stopsWhenCancelled = false

    /// The number of bytes between two checks for cancellation.
    static let bytesPerCheck = 1 << 16

    /// The most bytes that any text may have: offsets are kept in 32 bits.
    public static let bytesCeiling = Int(UInt32.max)

    /// How deep a ``JSONValue`` that is parsed may be, whatever ``depthMax`` says.
    ///
    /// A value's memory is given back level by level on the stack of the thread that drops it. A stack of 512 KB, the
    /// smallest that Apple's platforms give a thread, held 2 000 to 3 600 levels.
    public static let valueDepthMax = 1_000

    /// Ten thousand levels and 4 GiB less one byte.
    public static let `default` = JSONLimits()

    /// Makes limits.
    ///
    /// - Parameters:
    ///   - depthMax: How many arrays and objects may stand inside each other.
    ///   - bytesMax: How many bytes the text may have. More than ``bytesCeiling`` counts as that.
    public init(depthMax: Int = 10_000, bytesMax: Int = JSONLimits.bytesCeiling) {
        self.depthMax = depthMax
        self.bytesMax = min(bytesMax, JSONLimits.bytesCeiling)
    }
}
