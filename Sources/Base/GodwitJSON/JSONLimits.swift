//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Limits for the depth and the length of a JSON text.
public struct JSONLimits: Sendable, Hashable {
    /// The maximum nesting of arrays and objects.
    public var depthMax: Int
    /// The maximum length of the text in bytes.
    public var bytesMax: Int
    /// Whether a scan ends with ``JSONError/Code/cancelled`` when the current task is cancelled. The default is
    /// `false`.
    package var stopsWhenCancelled = false

    /// The number of bytes between two checks for cancellation.
    static let bytesPerCheck = 1 << 16

    /// The maximum length of any text in bytes. It cannot be greater, because offsets are stored in 32 bits.
    public static let bytesCeiling = Int(UInt32.max)

    /// The maximum depth of a ``JSONValue`` that is parsed; a greater ``depthMax`` does not raise this maximum.
    ///
    /// A value is released recursively, level by level, on the stack of the thread that releases it. A stack of 512 KB,
    /// the smallest of a thread on Apple's platforms, was enough for 2 000 to 3 600 levels.
    public static let valueDepthMax = 1_000

    /// The default limits: ten thousand levels, and 4 GiB less one byte.
    public static let `default` = JSONLimits()

    /// Creates limits.
    ///
    /// - Parameters:
    ///   - depthMax: The maximum nesting of arrays and objects.
    ///   - bytesMax: The maximum length of the text in bytes, at most ``bytesCeiling``; a greater value is reduced to
    ///     this maximum.
    public init(depthMax: Int = 10_000, bytesMax: Int = JSONLimits.bytesCeiling) {
        self.depthMax = depthMax
        self.bytesMax = min(bytesMax, JSONLimits.bytesCeiling)
    }
}
