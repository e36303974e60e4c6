//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// Runs a JavaScript reduce function.
struct ScriptReduce: Sendable {
    /// The input of a function.
    enum Input: Sendable {
        case rows([StoredRow])
        /// Earlier results, to reduce again.
        case reductions([[UInt8]])
    }

    let scripts: ScriptEngine
    let program: ScriptProgram
    let view: String

    /// The maximum number of bytes of input for one call. A single input may be longer.
    private static let bytesPerCallMax = 1 << 20

    /// Returns the results of several inputs, in their order. A result that grows with its input is a failed reduction
    /// (``Reduction``). Throws ``ScriptError`` when the function fails.
    func reduce(_ inputs: [Input]) async throws -> [[UInt8]] {
        var results: [[UInt8]] = []
        var batch: [[UInt8]] = []
        var byteCount = 0
        for input in inputs {
            let text = Self.text(of: input)
            if byteCount + text.count > Self.bytesPerCallMax {
                // Bounded: lists are joined.
                results += try await callFunction(batch)
                (batch, byteCount) = ([], 0)
            }
            batch.append(text)
            // Bounded: the bytes are in memory.
            byteCount += text.count
        }
        // Bounded: lists are joined.
        return try await results + callFunction(batch)
    }

    private func callFunction(_ inputs: [[UInt8]]) async throws -> [[UInt8]] {
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

    /// Returns `[[[key, id], …], [value, …], size]`. If the values are earlier results of the function, `null` replaces
    /// the list of keys. The size is the number of bytes of the text up to the end of the second list.
    private static func text(of input: Input) -> [UInt8] {
        var text: [UInt8] = Array("[".utf8)
        switch input {
        case .reductions(let reductions):
            text += Array("null,[".utf8)
            text += reductions.joined(separator: [UInt8(ascii: ",")])
        case .rows(let rows):
            for (index, row) in rows.enumerated() {
                text += Array((index == 0 ? "[[" : ",[").utf8)
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
