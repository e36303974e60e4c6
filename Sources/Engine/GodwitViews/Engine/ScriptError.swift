//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The reason why a function of a design document returned no answer.
public struct ScriptError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The kind of a failure. Later versions may add kinds. Therefore a `switch` over kinds needs a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name, for example `timeout`.
        public let description: String

        /// The function threw, could not be compiled, or does not exist; see ``ScriptError/error`` and
        /// ``ScriptError/reason``.
        public static let thrown = Code(description: "thrown")
        /// The function ran longer than its time limit.
        public static let timeout = Code(description: "timeout")
        /// The function used more memory than its limit.
        public static let memory = Code(description: "memory")
        /// A message is longer than the limit. The message contains the arguments of the function, a request of the
        /// function, or its answer.
        public static let tooLarge = Code(description: "tooLarge")
        /// The process that ran the function ended unexpectedly, or was killed because the call was cancelled.
        public static let crashed = Code(description: "crashed")
        /// Too many calls are waiting, or the call was cancelled before it began.
        public static let busy = Code(description: "busy")
        /// JavaScriptCore cannot be loaded, a worker process cannot be started, or the databases were opened without an
        /// engine.
        public static let unavailable = Code(description: "unavailable")
        /// The worker process could not be confined, and therefore runs no functions.
        public static let unconfined = Code(description: "unconfined")
        /// The answer of the function does not have the expected form.
        public static let invalidAnswer = Code(description: "invalidAnswer")
    }

    /// The kind of the failure.
    public let code: Code
    /// The name of the error, for example `compilation_error`. If CouchDB has the same error, this is CouchDB's name.
    public let error: String
    /// A description of the error, with advice where there is any.
    public let reason: String

    /// The JSON text of the reason, if a function threw a value that is no text, such as `{forbidden: {field: "a"}}`;
    /// otherwise `nil`.
    package let reasonJSON: [UInt8]?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of the failure.
    ///   - error: The name of the error.
    ///   - reason: A description of the error, with advice where there is any.
    ///   - reasonJSON: The JSON text of a reason that is no text.
    package init(_ code: Code, error: String, reason: String, reasonJSON: [UInt8]? = nil) {
        self.code = code
        self.error = error
        self.reason = reason
        self.reasonJSON = reasonJSON
    }

    /// The error and the reason, separated by a colon. The reason of a function's error may have several lines.
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

    /// Creates an error for a process that could not be confined.
    ///
    /// - Parameter cause: The error message of the system.
    static func unconfined(_ cause: String) -> ScriptError {
        ScriptError(
            .unconfined, error: "functions_not_confined",
            reason:
                "The process for functions of design documents could not be confined (\(cause)) and runs no functions. "
                + "Allow the server's process to use seccomp, or set query_server_config/allow_unconfined to true on a "
                + "server whose functions are all trusted.")
    }

    static func invalidAnswer(_ detail: String) -> ScriptError {
        ScriptError(
            .invalidAnswer, error: "invalid_answer", reason: "A function of the design document returned \(detail).")
    }
}
