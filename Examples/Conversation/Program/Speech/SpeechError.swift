//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason why a text was not spoken, or why speech was not recognized.
struct SpeechError: Error {
    /// The kinds of errors.
    enum Code: String, Sendable {
        /// The voice, the text or the audio is not accepted.
        case input
        /// The audio or the text is longer than the limit.
        case tooLong
        /// The audio or the text needs too much time or memory.
        case tooCostly
        /// No process is free, none can be started, the process has ended, or the request was cancelled.
        case unavailable
    }

    /// The kind of the error.
    let code: Code
    /// A sentence that says what to do.
    let message: String

    /// Creates an error.
    init(_ code: Code, _ message: String) { (self.code, self.message) = (code, message) }
}
