//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits for pictures.
public struct PhotoLimits: Sendable {
    /// The maximum length of a file in bytes.
    public var fileBytesMax = 32 << 20
    /// The maximum number of pixels of a picture. A JPEG with several scans needs 6 bytes of memory for each pixel.
    public var pixelsMax = 40_000_000
    /// The maximum of both the width and the height of a picture, in pixels.
    public var sideMax = 30_000
    /// The maximum time for one picture, in seconds.
    public var secondsMax = 10.0
    /// The maximum resident memory of the process for pictures, in bytes. It is checked only on Linux.
    public var memoryBytesMax = 512 << 20
    /// The maximum number of pictures of one owner that wait for the process. Further pictures are refused.
    public var waitingPerOwnerMax = 256
    /// The maximum number of pictures of all owners that wait for the process. Further pictures are refused.
    public var waitingMax = 4_096

    /// Creates the default limits.
    public init() {}
}
