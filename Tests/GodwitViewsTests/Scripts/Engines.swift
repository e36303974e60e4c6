//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitJSON
import Testing

@testable import GodwitViews

/// The two kinds of engine; each test runs with both.
enum Engines: CaseIterable, CustomTestStringConvertible {
    case inProcess, workers

    var testDescription: String { "\(self)" }

    func make(
        _ change: (inout ScriptLimits) -> Void = { _ in }, log: @escaping @Sendable (ScriptLogLine) -> Void = { _ in }
    ) -> ScriptEngine {
        var limits = ScriptLimits()
        change(&limits)
        switch self {
        case .inProcess: return .inProcess(limits: limits, log: log)
        case .workers: return .workers(Self.driver, limits: limits, log: log)
        }
    }

    static let driver = ScriptWorkerProgram(
        path: URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "TestDriver").path)
}

extension ScriptProgram {
    /// Returns the program of a design document.
    static func design(_ text: String, owner: String = "database") -> ScriptProgram {
        ScriptProgram(
            owner: owner, origin: ScriptOrigin(database: owner, design: "_design/d"), source: Array(text.utf8))
    }

    /// Returns the program of a design document with one view.
    static func view(_ map: String, owner: String = "database") -> ScriptProgram {
        var text: [UInt8] = []
        JSONWriter.appendQuoted(map, to: &text)
        let quoted = String(decoding: text, as: UTF8.self)
        return .design(#"{"_id":"_design/d","views":{"v":{"map":\#(quoted)}}}"#, owner: owner)
    }
}

extension ScriptEngine {
    /// Returns the JSON text of a function's answer.
    func text(_ program: ScriptProgram, _ function: String, _ arguments: String...) async throws(ScriptError) -> String
    {
        let call = ScriptCall(program, function, arguments.map { Array($0.utf8) })
        let answer = try await answer(to: call)
        return String(decoding: answer.tape.slice(answer.index), as: UTF8.self)
    }

    /// Returns the error of a call; `nil` when it succeeds.
    func failure(_ program: ScriptProgram, _ function: String, _ arguments: String...) async -> ScriptError? {
        let call = ScriptCall(program, function, arguments.map { Array($0.utf8) })
        do throws(ScriptError) {
            _ = try await answer(to: call)
            return nil
        } catch {
            return error
        }
    }
}
