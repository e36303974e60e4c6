//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CWorker
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A process that runs this program to work on untrusted data, and the channel to the process. The process ends when
/// the object is released.
public final class WorkerProcess: Sendable {
    /// The reason why a process was not started.
    public struct StartFailure: Error {
        /// The system's message.
        public let message: String
    }

    /// The channel to the process.
    public let channel: WorkerChannel
    private let process: pid_t
    private let isAlive = Mutex(true)

    /// Starts this program with arguments. Its environment contains only the paths of libraries.
    ///
    /// - Parameters:
    ///   - arguments: The arguments after the name of the program.
    ///   - messageBytesMax: The maximum length of a message of the process.
    public init(_ arguments: [String], messageBytesMax: Int) throws(StartFailure) {
        #if os(Linux)
            // This path names the running program, even if the file of the program was replaced after the start.
            let path = "/proc/self/exe"
        #else
            let path = CommandLine.arguments[0]
        #endif
        var (process, file) = (pid_t(), Int32())
        let words = ([path] + arguments).map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        let environment = ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"].compactMap { (name: String) in
            getenv(name).map { strdup(name + "=" + String(cString: $0)) }
        }
        defer { environment.forEach { free($0) } }
        let error = words.withUnsafeBufferPointer { words in
            (environment + [nil]).withUnsafeBufferPointer {
                godwit_worker_start(words.baseAddress!, $0.baseAddress!, &process, &file)
            }
        }
        guard error == 0 else { throw StartFailure(message: String(cString: strerror(error))) }
        (self.process, channel) = (process, WorkerChannel(file: file, bytesMax: messageBytesMax))
    }

    deinit { _ = end() }

    /// Closes the channel, kills the process if it still runs, and waits for its end.
    ///
    /// - Returns: The exit status of the process, or the negative number of the signal that ended the process; `nil` if
    ///   this method was called before.
    public func end() -> Int32? {
        let wasAlive = isAlive.withLock { isAlive in
            defer { isAlive = false }
            return isAlive
        }
        return wasAlive ? godwit_worker_end(process, channel.file) : nil
    }
}
