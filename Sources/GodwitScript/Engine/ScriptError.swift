//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Why a function of a design document gave no answer.
public struct ScriptError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of a failure. More kinds may come: match the ones that you handle and have a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name, for example `timeout`.
        public let description: String

        /// The function threw, could not be compiled, or is not there; ``ScriptError/error`` and ``ScriptError/reason`` say which.
        public static let thrown = Code(description: "thrown")
        /// It ran longer than it may.
        public static let timeout = Code(description: "timeout")
        /// It used more memory than it may.
        public static let memory = Code(description: "memory")
        /// It was given or gave more bytes than fit in a message.
        public static let tooLarge = Code(description: "tooLarge")
        /// JavaScript's process ended for a reason of its own.
        public static let crashed = Code(description: "crashed")
        /// Too many calls wait.
        public static let busy = Code(description: "busy")
        /// There is no JavaScript on this machine.
        public static let unavailable = Code(description: "unavailable")
        /// The process for functions could not give up what it does not need, and runs none.
        public static let unconfined = Code(description: "unconfined")
        /// It gave something else than it should.
        public static let invalidAnswer = Code(description: "invalidAnswer")
    }

    /// What kind of failure it is.
    public let code: Code
    /// CouchDB's word for it, for example `compilation_error`.
    public let error: String
    /// What happened, and what to do about it where something can be done.
    public let reason: String

    package init(_ code: Code, error: String, reason: String) {
        self.code = code
        self.error = error
        self.reason = reason
    }

    /// Both words in one line.
    public var description: String { "\(error): \(reason)" }

    static func timeout(seconds: Double) -> ScriptError {
        ScriptError(
            .timeout, error: "timeout",
            reason: "The function of the design document ran longer than \(seconds) seconds and was stopped.")
    }

    static let memory = ScriptError(
        .memory, error: "out_of_memory",
        reason: "The function of the design document used more memory than allowed, and its process was stopped.")

    static let crashed = ScriptError(
        .crashed, error: "script_process_ended",
        reason: "The process that ran the function of the design document ended. Try again.")

    static let busy = ScriptError(
        .busy, error: "service_unavailable",
        reason: "Too many functions of design documents are waiting to run. Try again later.")

    static func tooLarge(bytesMax: Int) -> ScriptError {
        ScriptError(
            .tooLarge, error: "too_large",
            reason: "An argument or a result of a function of the design document has more than \(bytesMax) bytes.")
    }

    static func unavailable(_ reason: String) -> ScriptError {
        ScriptError(.unavailable, error: "not_implemented", reason: reason)
    }

    /// - Parameter cause: The words of the system.
    static func unconfined(_ cause: String) -> ScriptError {
        ScriptError(
            .unconfined, error: "functions_not_confined",
            reason:
                "The process for functions of design documents could not be confined (\(cause)) and runs no functions. "
                + "Allow the server's process to use seccomp, or set query_server_config/allow_unconfined to true on a "
                + "server whose functions are all trusted.")
    }

    static func invalidAnswer(_ what: String) -> ScriptError {
        ScriptError(
            .invalidAnswer, error: "invalid_answer", reason: "A function of the design document returned \(what).")
    }
}
