//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// A process that a test starts. It inherits the files that the test opened without `O_CLOEXEC`.
///
/// It replaces Foundation's `Process`. On Linux, `Process` reads 256 bytes for each name in `/proc/self/fd`, past the
/// end of its buffer when some 1 350 files are open, and sometimes crashes. The tests of open files open that many
/// files.
package struct ChildProcess: Sendable {
    private let identifier: pid_t

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - path: The program's path.
    ///   - arguments: The arguments after the program's name.
    ///   - environment: Variables to add to the environment or to replace in it; one that is `nil` is removed.
    ///   - output: The file of its standard output; with `nil`, standard output and standard error are discarded.
    ///   - isLeader: Whether it starts a separate process group, which ``killGroup()`` kills.
    /// - Throws: `POSIXError`.
    package init(
        _ path: String, _ arguments: [String], environment: [String: String?] = [:], output: Int32? = nil,
        isLeader: Bool = false
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let output {
            posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        } else {
            for stream in [STDOUT_FILENO, STDERR_FILENO] {
                posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
            }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        if isLeader { posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP)) }
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var variables = ProcessInfo.processInfo.environment
        for (name, value) in environment { variables[name] = value }
        var settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for word in words + settings { free(word) } }
        var process = pid_t()
        let failure = posix_spawn(&process, path, &actions, &attributes, &words, &settings)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        identifier = process
    }

    /// Kills the process.
    package func kill() { _ = Foundation.kill(identifier, SIGKILL) }

    /// Kills all processes of its group.
    package func killGroup() { _ = Foundation.kill(-identifier, SIGKILL) }

    /// Waits until the process ends, and returns the status of `waitpid`: the signal is in the low seven bits.
    @discardableResult
    package func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0 && errno == EINTR {}
        return status
    }
}
