//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CBase

// An invariant is a rule that this program's code keeps, whatever the input is. A broken one is a fault of the code, and
// the state that it would write is wrong. Ending the process would be safe, but takes every other database with it;
// throwing at once would make every function throw, also those of plain values such as revision trees. So a broken rule is
// recorded for the thread, and the operation that the thread runs, for example one write of a transaction, fails at its
// end, before its commit (``InvariantScope/run(_:)``). A rule costs the test of its condition.

/// Checks a rule that the code keeps. If it is broken, the operation that runs on this thread fails before it commits.
///
/// Outside an ``InvariantScope``, a broken rule ends the process in a debug build. In a release build it is written to the
/// standard error.
///
/// - Parameters:
///   - condition: The rule. It must be cheap.
///   - rule: The rule in words, as it should be. It contains nothing of a document.
@inlinable @inline(__always)
package func invariant(
    _ condition: @autoclosure () -> Bool, _ rule: StaticString, file: StaticString = #fileID, line: UInt = #line
) {
    guard _slowPath(!condition()) else { return }
    InvariantScope.breaks(rule, file: file, line: line)
}

/// A rule of the code that did not hold.
package struct BrokenInvariant: Error, Equatable, Sendable, CustomStringConvertible {
    /// The rule in words.
    package let rule: String
    /// The module and the file that check the rule.
    package let file: String
    /// The line of the check.
    package let line: UInt

    /// The rule and its place.
    package var description: String { "\(rule) (\(file):\(line))" }
}

/// Operations that fail when a rule is broken.
@usableFromInline
package enum InvariantScope {
    /// Runs an operation on this thread.
    ///
    /// - Throws: ``BrokenInvariant`` for the first rule that was broken in the operation, even if the operation threw an error;
    ///   otherwise the error that `operation` throws.
    package static func run<Result>(_ operation: () throws -> Result) throws -> Result {
        let outer = godwit_scope_enter()
        let result = Swift.Result { try operation() }
        let broken = godwit_scope_leave(outer)
        guard let rule = broken.rule else { return try result.get() }
        throw BrokenInvariant(
            rule: String(cString: rule), file: String(cString: broken.file), line: UInt(broken.line))
    }

    /// Records a broken rule for the operation of this thread. Use ``invariant(_:_:file:line:)``.
    @usableFromInline
    package static func breaks(_ rule: StaticString, file: StaticString, line: UInt) {
        let isRecorded = rule.withUTF8Buffer { rule in
            file.withUTF8Buffer { file in
                godwit_scope_break(godwit_broken(rule: text(rule), file: text(file), line: UInt(line)))
            }
        }
        guard !isRecorded else { return }
        let message = "Godwit: a rule of the program is broken: \(rule) (\(file):\(line))\n"
        assertionFailure(message)
        _ = message.withCString { write(STDERR_FILENO, $0, strlen($0)) }
    }

    /// The text of a literal, which ends with a zero byte and exists while the program runs.
    private static func text(_ literal: UnsafeBufferPointer<UInt8>) -> UnsafePointer<CChar>? {
        literal.baseAddress.map { UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self) }
    }
}
