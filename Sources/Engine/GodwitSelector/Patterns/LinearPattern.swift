//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A pattern that is searched for in time that is linear in the length of the text, whatever the pattern is.
///
/// It accepts patterns of PCRE2 without back references, look-around and what else needs backtracking, and matches the
/// same texts.
final class LinearPattern: PatternMatcher {
    /// The maximum number of machines that are kept for the next searches: one for each thread that searches.
    private static let spareMachinesMax = 4

    private let program: PatternProgram
    private let spareMachines = Mutex<[PatternMachine]>([])

    init(_ pattern: String) throws(PatternError) {
        guard pattern.utf8.count <= RegularExpression.patternBytesMax else { throw .invalid }
        var parser = PatternParser(Array(pattern.utf8))
        program = try PatternProgram(try parser.parse(), isUnicode: parser.isUnicode)
    }

    func matches(_ text: UnsafeRawBufferPointer, _ meter: WorkMeter?) -> Bool {
        var machine = spareMachines.withLock { $0.popLast() } ?? PatternMachine(program)
        let result = machine.matches(text, meter)
        spareMachines.withLock { if $0.count < Self.spareMachinesMax { $0.append(machine) } }
        return result
    }
}
