//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A message between a server and its worker. It consists of a length in four bytes, a kind in one byte, and parts. The
/// length is the number of bytes that follow it. Each part begins with its length in four bytes. Lengths are
/// big-endian.
enum ScriptMessage: Equatable {
    /// To the worker: run a function of a program with arguments.
    case call(program: String, function: String, arguments: [[UInt8]])
    /// To the worker: load a program.
    case load(program: String, source: [UInt8])
    /// To the worker: the reply to a request of the running function.
    case reply([UInt8])
    /// To the worker: the request of the running function has no reply. The function is ended.
    case noReply

    /// To the server: the answer of a function.
    case answer([UInt8])
    /// To the server: a call or a load failed.
    case failure(ScriptError)
    /// To the server: the program is not loaded. Load it and call again.
    case unknownProgram
    /// To the server: a request of the running function.
    case question([UInt8])
    /// To the server: a line that a function logged.
    case log([UInt8])

    private var kind: UInt8 {
        switch self {
        case .call: 1
        case .load: 2
        case .reply: 3
        case .noReply: 4
        case .answer: 11
        case .failure: 12
        case .unknownProgram: 13
        case .question: 14
        case .log: 15
        }
    }

    private var parts: [[UInt8]] {
        switch self {
        case .call(let program, let function, let arguments): [Array(program.utf8), Array(function.utf8)] + arguments
        case .load(let program, let source): [Array(program.utf8), source]
        case .reply(let text), .answer(let text), .question(let text), .log(let text): [text]
        case .failure(let failure): [failure.code.description, failure.error, failure.reason].map { Array($0.utf8) }
        case .noReply, .unknownProgram: []
        }
    }

    /// The encoded message, starting with its length.
    var encoded: [UInt8] {
        let parts = parts
        var bytes: [UInt8] = []
        bytes.reserveCapacity(parts.reduce(5) { $0 + 4 + $1.count })
        bytes.append(length: parts.reduce(1) { $0 + 4 + $1.count })
        bytes.append(kind)
        for part in parts {
            bytes.append(length: part.count)
            bytes.append(contentsOf: part)
        }
        return bytes
    }

    /// Decodes a message without its length; `nil` when the bytes are not a valid message.
    init?(decoding bytes: [UInt8]) {
        guard let kind = bytes.first else { return nil }
        var parts: [[UInt8]] = []
        var offset = 1
        while offset < bytes.count {
            guard offset + 4 <= bytes.count else { return nil }
            let start = offset + 4
            let end = start + Self.length(bytes[offset..<start])
            guard end <= bytes.count else { return nil }
            parts.append(Array(bytes[start..<end]))
            offset = end
        }
        self.init(kind, parts)
    }

    private init?(_ kind: UInt8, _ parts: [[UInt8]]) {
        func text(_ index: Int) -> String { String(decoding: parts[index], as: UTF8.self) }
        switch (kind, parts.count) {
        case (1, 2...): self = .call(program: text(0), function: text(1), arguments: Array(parts[2...]))
        case (2, 2): self = .load(program: text(0), source: parts[1])
        case (3, 1): self = .reply(parts[0])
        case (4, 0): self = .noReply
        case (11, 1): self = .answer(parts[0])
        case (12, 3):
            self = .failure(ScriptError(.init(description: text(0)), error: text(1), reason: text(2)))
        case (13, 0): self = .unknownProgram
        case (14, 1): self = .question(parts[0])
        case (15, 1): self = .log(parts[0])
        default: return nil
        }
    }

    static func length(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}

extension [UInt8] {
    fileprivate mutating func append(length: Int) {
        Swift.withUnsafeBytes(of: UInt32(length).bigEndian) { append(contentsOf: $0) }
    }
}
