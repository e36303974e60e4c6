//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import TestKit
import Testing

@testable import GodwitViews

@Suite(.serialized) struct WorkerTests {
    @Test func whatEatsMemoryLosesItsProcessAndNobodyElse() async throws {
        let engine = Engines.workers.make { $0.memoryBytesMax = 200 << 20 }
        let eats = "function(doc) { var a = []; for (;;) a.push(new Array(1000).fill(a.length)) }"
        let failure = await engine.failure(.view(eats, owner: "one"), "map", "[{}]")
        #expect(failure?.code == .memory)
        #expect(
            try await engine.text(.view("function(doc) { emit(1) }", owner: "two"), "map", "[{}]") == "[[[[1,null]]]]")
    }

    @Test func whatAnotherDatabaseLeftBehindCostsNobodyAnAnswer() async throws {
        let engine = Engines.workers.make {
            $0.memoryBytesMax = 300 << 20
            $0.workersMax = 1
        }
        let hoards =
            "function(doc) { globalThis.held = globalThis.held || []; held.push(new Uint8Array(150 << 20).fill(1)); emit(1) }"
        for owner in ["a", "b", "c", "d"] {
            #expect(try await engine.text(.view(hoards, owner: owner), "map", "[{}]") == "[[[[1,null]]]]")
        }
    }

    @Test func aMissingProgramIsSaidSo() async throws {
        let engine = ScriptEngine.workers(ScriptWorkerProgram(path: "/nowhere/godwit"))
        let failure = await engine.failure(.view("function(doc) {}"), "map", "[]")
        #expect(failure?.code == .unavailable)
    }

    @Test func slowFunctionsOfOneDatabaseLeaveRoomForOthers() async throws {
        let engine = Engines.workers.make { $0.callSecondsMax = 1 }
        let ended = Lines()
        let slow = (0..<5).map { _ in
            Task {
                let failure = await engine.failure(
                    .view("function(doc) { for (;;) {} }", owner: "slow"), "map", "[{}]")
                ended.add("\(failure?.code ?? .crashed)")
            }
        }
        try await Task.sleep(for: .milliseconds(200))
        let rows = try await engine.text(.view("function(doc) { emit(1) }", owner: "quick"), "map", "[{}]")
        #expect(rows == "[[[[1,null]]]]")
        // Five endless loops, two at a time, take three seconds. A call that waited for all of them would be last.
        #expect(ended.all.count < 5)
        for task in slow { await task.value }
        #expect(ended.all == Array(repeating: "timeout", count: 5))
    }

    @Test func tooManyCallsAreRefused() async throws {
        let engine = Engines.workers.make {
            $0.callsWaitingMax = 1
            $0.workersMax = 1
            $0.callSecondsMax = 1
        }
        let program = ScriptProgram.view("function(doc) { for (;;) {} }")
        let failures = await withTaskGroup(of: ScriptError?.self) { group in
            for _ in 0..<4 { group.addTask { await engine.failure(program, "map", "[{}]") } }
            return await group.reduce(into: [ScriptError.Code: Int]()) { $0[$1?.code ?? .crashed, default: 0] += 1 }
        }
        #expect(failures == [.busy: 2, .timeout: 2])
    }

    @Test(arguments: Engines.allCases) func changedLimitsHoldForTheNextCall(_ engines: Engines) async throws {
        let engine = engines.make()
        let counts = ScriptProgram.view(
            "function(doc) { var end = Date.now() + doc.ms; while (Date.now() < end); emit(1) }")
        #expect(try await engine.text(counts, "map", #"[{"ms":300}]"#) == "[[[[1,null]]]]")
        var limits = engine.limits
        limits.callSecondsMax = 0.1
        engine.setLimits(limits)
        #expect(await engine.failure(counts, "map", #"[{"ms":3000}]"#)?.code == .timeout)
        limits.callSecondsMax = 5
        engine.setLimits(limits)
        #expect(try await engine.text(counts, "map", #"[{"ms":300}]"#) == "[[[[1,null]]]]")
    }

    @Test(.endsWhenHung) func whoWaitedForAProcessRunsWhenThereMayBeMore() async throws {
        let engine = Engines.workers.make { $0.workersMax = 1 }
        let (questions, asked) = AsyncStream.makeStream(of: Void.self)
        let (answers, answered) = AsyncStream.makeStream(of: [UInt8].self)
        // A list function that waits for its rows occupies the only process.
        let list = ScriptProgram.design(
            #"{"_id":"_design/d","lists":{"l":"function() { while (getRow()); return 'end' }"}}"#, owner: "slow")
        let call = ScriptCall(list, "list", ["l", "{}", "{}"].map { Array($0.utf8) })
        let listing = Task {
            try await engine.answer(to: call) { _ in
                asked.yield()
                return await answers.first { _ in true }
            }
        }
        _ = await questions.first { _ in true }
        let waiting = Task {
            try await engine.text(.view("function(doc) { emit(1) }", owner: "quick"), "map", "[{}]")
        }
        try await Task.sleep(for: .milliseconds(100))
        var limits = engine.limits
        limits.workersMax = 2
        engine.setLimits(limits)
        #expect(try await waiting.value == "[[[[1,null]]]]")
        answered.yield(Array(#"{"rows":[],"more":false}"#.utf8))
        let answer = try await listing.value
        #expect(answer.tape.text(answer.index) == "end")
    }

    @Test func aMessageIsWhatWasWritten() throws {
        let messages: [ScriptMessage] = [
            .call(program: "p", function: "f", arguments: [[1, 2], []]), .load(program: "p", source: [3]), .reply([4]),
            .noReply, .answer([]), .failure(.crashed), .unknownProgram, .question([5]), .log([6]),
        ]
        for message in messages { #expect(ScriptMessage(decoding: Array(message.encoded.dropFirst(4))) == message) }
        for bytes in [[], [9], [1], [3, 0, 0], [3, 0, 0, 0, 9, 1]] as [[UInt8]] {
            #expect(ScriptMessage(decoding: bytes) == nil)
        }
    }
}
