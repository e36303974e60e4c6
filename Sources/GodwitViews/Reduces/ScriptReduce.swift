//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitScript

/// Reduce functions in JavaScript.
struct ScriptReduce: Sendable {
    /// What a function is to reduce.
    enum Input: Sendable {
        case rows([StoredRow])
        /// What it gave before.
        case reductions([[UInt8]])
    }

    let scripts: ScriptEngine
    let program: ScriptProgram
    let view: String

    /// Bytes of input for one call, unless a single one is longer.
    private static let bytesPerCallMax = 1 << 20

    /// What the function makes of each of several inputs.
    func reduce(_ inputs: [Input]) async throws -> [[UInt8]] {
        var results: [[UInt8]] = []
        var batch: [[UInt8]] = []
        var bytes = 0
        for input in inputs {
            let text = Self.text(of: input)
            if bytes + text.count > Self.bytesPerCallMax {
                results += try await run(batch)
                (batch, bytes) = ([], 0)
            }
            batch.append(text)
            bytes += text.count
        }
        return try await results + run(batch)
    }

    private func run(_ inputs: [[UInt8]]) async throws -> [[UInt8]] {
        guard !inputs.isEmpty else { return [] }
        let list = Array("[".utf8) + inputs.joined(separator: [UInt8(ascii: ",")]) + Array("]".utf8)
        let answer = try await scripts.answer(to: ScriptCall(program, "reduce", [Array(view.utf8), list]))
        let tape = answer.tape
        return tape.elements(of: answer.index).map { element in
            var members = tape.elements(of: element)
            let value = members.next().map { Array(tape.slice($0)) } ?? Array("null".utf8)
            guard let overflow = members.next() else { return value }
            return Reduction.failure(.overflow(tape.string(overflow)))
        }
    }

    /// `[[[key, id], …], [value, …], size]`, with `null` for the keys to reduce again.
    private static func text(of input: Input) -> [UInt8] {
        var text: [UInt8] = Array("[".utf8)
        switch input {
        case .reductions(let reductions):
            text += Array("null,[".utf8)
            text += reductions.joined(separator: [UInt8(ascii: ",")])
        case .rows(let rows):
            for (position, row) in rows.enumerated() {
                text += Array((position == 0 ? "[[" : ",[").utf8)
                text += row.key
                text.append(UInt8(ascii: ","))
                JSONWriter.appendQuoted(row.id, to: &text)
                text.append(UInt8(ascii: "]"))
            }
            text += Array("],[".utf8)
            text += rows.map(\.value).joined(separator: [UInt8(ascii: ",")])
        }
        let size = text.count
        text += Array("],\(size)]".utf8)
        return text
    }
}
