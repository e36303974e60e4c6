//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A pattern as a nondeterministic automaton over bytes (K. Thompson, "Regular Expression Search Algorithm", 1968).
struct PatternProgram: Sendable {
    enum Instruction: Sendable {
        /// Takes one byte of a set, and continues at an instruction.
        case byte(ByteSet, next: Int)
        case assertion(PatternAssertion, next: Int)
        /// Continues at both instructions.
        case split(Int, Int)
        case match
    }

    /// The maximum number of instructions. A repetition `{n}` has those of its part n times, and a set of characters of
    /// Unicode may have more than a thousand.
    static let instructionsMax = 50_000

    /// The parts of an instruction for a byte.
    private struct ByteStep: Hashable {
        let set: ByteSet
        let next: Int
    }

    private(set) var instructions: [Instruction] = [.match]
    private(set) var start = 0
    let isUnicode: Bool
    /// The instructions for bytes. Those of the same set and the same end are one, such as the last bytes of many characters.
    private var byteSteps: [ByteStep: Int] = [:]
    /// The class of each byte. No instruction distinguishes bytes of the same class.
    private(set) var classOfByte: [UInt8] = []
    /// A byte of each class.
    private(set) var byteOfClass: [UInt8] = []

    /// Compiles a pattern.
    ///
    /// - Parameter isUnicode: Whether the pattern consists of characters instead of bytes.
    init(_ node: PatternNode, isUnicode: Bool) throws(PatternError) {
        self.isUnicode = isUnicode
        start = try add(node, before: 0)
        byteSteps = [:]
        divideBytes()
        invariant(instructions.allSatisfy { isWithin($0) }, "each instruction of a pattern continues at another one")
    }

    /// Whether an instruction continues at instructions of the program.
    private func isWithin(_ instruction: Instruction) -> Bool {
        switch instruction {
        case .byte(_, let next), .assertion(_, let next): instructions.indices.contains(next)
        case .split(let first, let second):
            instructions.indices.contains(first) && instructions.indices.contains(second)
        case .match: true
        }
    }

    private mutating func add(_ instruction: Instruction) throws(PatternError) -> Int {
        guard instructions.count < Self.instructionsMax else { throw .tooLarge }
        instructions.append(instruction)
        return instructions.count - 1
    }

    private mutating func add(_ set: ByteSet, before next: Int) throws(PatternError) -> Int {
        let step = ByteStep(set: set, next: next)
        if let added = byteSteps[step] { return added }
        let instruction = try add(.byte(set, next: next))
        byteSteps[step] = instruction
        return instruction
    }

    /// Adds a part that continues at the instruction `next`, and returns its first instruction.
    private mutating func add(_ node: PatternNode, before next: Int) throws(PatternError) -> Int {
        switch node {
        case .empty: return next
        case .byte(let set): return try add(set, before: next)
        case .assertion(let assertion): return try add(.assertion(assertion, next: next))
        case .sequence(let parts):
            var first = next
            for part in parts.reversed() { first = try add(part, before: first) }
            return first
        case .alternatives(let parts):
            guard var first = try parts.last.map({ (part) throws(PatternError) in try add(part, before: next) }) else {
                return try add(ByteSet(), before: next)
            }
            for part in parts.dropLast().reversed() { first = try add(.split(try add(part, before: next), first)) }
            return first
        case .repetition(let part, let min, let max): return try add(part, min: min, max: max, before: next)
        }
    }

    private mutating func add(
        _ part: PatternNode, min: Int, max: Int?, before next: Int
    ) throws(PatternError) -> Int {
        var first = next
        if let max {
            for _ in min..<max { first = try add(.split(try add(part, before: first), next)) }
        } else {
            first = try add(.split(next, next))
            instructions[first] = .split(try add(part, before: first), next)
        }
        for _ in 0..<min { first = try add(part, before: first) }
        return first
    }

    /// Divides the bytes into classes. Words, newlines, and the bytes within a character are separate, because assertions and
    /// the begin of a match distinguish them.
    private mutating func divideBytes() {
        var words = ByteSet()
        for byte in UInt8.min...UInt8.max where PatternSets.words.contains(UInt32(byte)) { words.insert(byte) }
        var sets: Set<ByteSet> = [words, ByteSet(0x0A...0x0A), ByteSet(0x80...0xBF)]
        for case .byte(let set, _) in instructions { sets.insert(set) }
        var classes = [Int](repeating: 0, count: 256)
        for set in sets {
            var numbers: [Int: Int] = [:]
            for byte in 0..<256 {
                let key = classes[byte] * 2 + (set.contains(UInt8(byte)) ? 1 : 0)
                numbers[key] = numbers[key] ?? numbers.count
                classes[byte] = numbers[key] ?? 0
            }
        }
        classOfByte = classes.map { UInt8($0) }
        byteOfClass = (0...(classes.max() ?? 0)).map { number in
            UInt8(classes.firstIndex(of: number) ?? 0)
        }
    }
}
