//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The limits of speech.
struct SpeechLimits: Sendable {
    /// The maximum number of processes that recognize speech, each for one session.
    var recognitionsMax = max(1, ProcessInfo.processInfo.activeProcessorCount - 1)
    /// The maximum number of texts that are spoken at the same time, each by one process. Idle processes are counted
    /// too: if a new process would exceed the limit, an idle process with another voice is ended.
    var synthesesMax = 2
    /// The maximum number of sessions that wait for a process. The same limit applies separately to the texts that
    /// wait. Further sessions and texts are refused.
    var waitingMax = 32
    /// The maximum number of waiting sessions of one owner. The same limit applies separately to the waiting texts of
    /// one owner.
    var waitingPerOwnerMax = 4
    /// The maximum length of a text that is spoken, in Unicode scalars.
    var textLengthMax = 2_000
    /// The maximum duration of the audio of one session, in seconds. The session itself may take twice as long.
    var audioSecondsMax = 60.0
    /// The maximum time for the processing of one part of the audio or of one text, in seconds.
    var workSecondsMax = 60.0
    /// The maximum resident memory of a process, in bytes. It is checked only on Linux.
    var memoryBytesMax = 384 << 20

    /// The maximum length of a part of the audio that is sent to a process, in bytes.
    static let audioPieceBytesMax = 16 << 10
    /// The maximum length of a spoken text as a file, in bytes.
    static let fileBytesMax = 32 << 20

    /// Creates the default limits.
    init() {}
}
