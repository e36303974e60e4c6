//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Searches texts for a pattern in time that is linear in their length: a deterministic automaton whose states are made
/// when a text first leads to them.
///
/// A state is the set of instructions at which the pattern may continue, and the kind of the byte before, for the assertions.
/// One thread at a time may use a machine.
struct PatternMachine {
    /// The maximum numbers of transitions in the table, and of instructions in its states. A table that is full is begun anew.
    static let transitionsMax = 65_536
    static let stateInstructionsMax = 500_000
    /// The number of steps of a meter for one byte, and for one instruction while a state is made, as parts of a step.
    private static let bytesPerStep = 8
    private static let instructionsPerStep = 4
    /// The number of bytes that are searched between two questions to the meter.
    private static let bytesPerTurn = 4_096

    /// The input after a position: a byte of a class, a newline that is the last byte, or the end.
    private struct Symbol {
        let number: Int
        let byte: UInt8?
        let isLast: Bool
    }

    /// The input before a position.
    private enum Before: Hashable { case start, newline, word, other }

    private struct State: Hashable {
        /// The instructions at which matches continue that began earlier, in ascending order.
        var instructions: [Int32] = []
        var before = Before.start
    }

    private enum Target {
        static let unknown: Int32 = -1
        static let match: Int32 = -2
        static let dead: Int32 = -3
    }

    private let program: PatternProgram
    private let symbols: [Symbol]
    private var states: [State] = []
    private var numbers: [State: Int32] = [:]
    private var stateInstructionsCount = 0
    /// For each state and symbol, the number of the next state, or a ``Target``.
    private var transitions: [Int32] = []
    /// The instructions that the current closure has reached, and those that it still has to follow.
    private var reached: [UInt32]
    private var round: UInt32 = 0
    private var open: [Int] = []

    init(_ program: PatternProgram) {
        self.program = program
        symbols =
            program.byteOfClass.enumerated().map { Symbol(number: $0, byte: $1, isLast: false) }
            + [
                Symbol(number: program.byteOfClass.count, byte: 0x0A, isLast: true),
                Symbol(number: program.byteOfClass.count + 1, byte: nil, isLast: true),
            ]
        reached = Array(repeating: 0, count: program.instructions.count)
    }

    /// Whether the pattern matches anywhere in a text.
    ///
    /// - Parameter meter: Counts the work. When it stops the work, the result is `false`.
    mutating func matches(_ text: UnsafeRawBufferPointer, _ meter: WorkMeter?) -> Bool {
        var state = number(of: State())
        let newline = symbols.count - 2
        for offset in 0...text.count {
            if offset % Self.bytesPerTurn == 0, let meter,
                !meter.spend(1 + min(text.count - offset, Self.bytesPerTurn) / Self.bytesPerStep)
            {
                return false
            }
            let symbol =
                offset == text.count
                ? newline + 1
                : offset == text.count - 1 && text[offset] == 0x0A
                    ? newline : Int(program.classOfByte[Int(text[offset])])
            var next = transitions[Int(state) * symbols.count + symbol]
            if next == Target.unknown {
                next = addTransition(from: state, symbols[symbol])
                if let meter, !meter.spend(1 + open.count / Self.instructionsPerStep) { return false }
            }
            guard next >= 0 else { return next == Target.match }
            state = next
        }
        return false
    }

    // MARK: States

    private mutating func number(of state: State) -> Int32 {
        if let number = numbers[state] { return number }
        if transitions.count + symbols.count > Self.transitionsMax
            || stateInstructionsCount + state.instructions.count > Self.stateInstructionsMax
        {
            states.removeAll(keepingCapacity: true)
            numbers.removeAll(keepingCapacity: true)
            transitions.removeAll(keepingCapacity: true)
            stateInstructionsCount = 0
        }
        stateInstructionsCount += state.instructions.count
        let number = Int32(states.count)
        states.append(state)
        numbers[state] = number
        transitions += repeatElement(Target.unknown, count: symbols.count)
        invariant(
            transitions.count == states.count * symbols.count,
            "each state of a pattern has a transition for each symbol")
        return number
    }

    private mutating func addTransition(from number: Int32, _ symbol: Symbol) -> Int32 {
        let state = states[Int(number)]
        let target: Int32
        if let next = follow(state, symbol) {
            let isDead = symbol.byte == nil || next.instructions.isEmpty && isAnchored
            target = isDead ? Target.dead : self.number(of: next)
        } else {
            target = Target.match
        }
        // Unless the table was begun anew meanwhile.
        if numbers[state] == number { transitions[Int(number) * symbols.count + symbol.number] = target }
        return target
    }

    /// The state after a symbol; `nil` if the pattern matches before it.
    private mutating func follow(_ state: State, _ symbol: Symbol) -> State? {
        beginClosure()
        for instruction in state.instructions { reach(Int(instruction)) }
        if mayBegin(after: state, before: symbol) { reach(program.start) }
        var next: [Int32] = []
        var position = 0
        while position < open.count {
            switch program.instructions[open[position]] {
            case .match: return nil
            case .split(let first, let second):
                reach(first)
                reach(second)
            case .assertion(let assertion, let after):
                if Self.holds(assertion, state.before, symbol) { reach(after) }
            case .byte(let set, let after):
                if let byte = symbol.byte, set.contains(byte) { next.append(Int32(after)) }
            }
            position += 1
        }
        return State(instructions: Set(next).sorted(), before: Self.before(after: symbol))
    }

    /// Whether a match may begin at a position. In a pattern of Unicode it does not begin within a character.
    private mutating func mayBegin(after state: State, before symbol: Symbol) -> Bool {
        guard state.before != .start else { return true }
        let isWithinCharacter = program.isUnicode && (0x80...0xBF).contains(symbol.byte ?? 0)
        return !isAnchored && !isWithinCharacter
    }

    private mutating func beginClosure() {
        open.removeAll(keepingCapacity: true)
        round &+= 1
        guard round == 0 else { return }
        reached = Array(repeating: 0, count: reached.count)
        round = 1
    }

    private mutating func reach(_ instruction: Int) {
        guard reached[instruction] != round else { return }
        reached[instruction] = round
        open.append(instruction)
    }

    /// Whether a match begins only at the start of the text: an assertion says so before each byte and each end.
    private lazy var isAnchored: Bool = {
        var open = [program.start]
        var seen: Set<Int> = [program.start]
        while let instruction = open.popLast() {
            switch program.instructions[instruction] {
            case .match, .byte: return false
            case .split(let first, let second): open += [first, second].filter { seen.insert($0).inserted }
            case .assertion(.textStart, _): break
            case .assertion(_, let after): if seen.insert(after).inserted { open.append(after) }
            }
        }
        return true
    }()

    // MARK: Assertions

    private static func before(after symbol: Symbol) -> Before {
        guard let byte = symbol.byte else { return .other }
        if byte == 0x0A { return .newline }
        return PatternSets.words.contains(UInt32(byte)) ? .word : .other
    }

    private static func holds(_ assertion: PatternAssertion, _ before: Before, _ symbol: Symbol) -> Bool {
        let isAfterWord = before == .word
        let isBeforeWord = Self.before(after: symbol) == .word
        return switch assertion {
        case .textStart: before == .start
        case .lineStart: before == .start || before == .newline && symbol.byte != nil
        case .textEnd: symbol.byte == nil
        case .lastLineEnd: symbol.isLast
        case .lineEnd: symbol.byte == nil || symbol.byte == 0x0A
        case .wordBoundary: isAfterWord != isBeforeWord
        case .noWordBoundary: isAfterWord == isBeforeWord
        case .beforeWord: isBeforeWord
        case .afterWord: isAfterWord
        }
    }
}
