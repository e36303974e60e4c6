//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import Testing

@testable import GodwitViews

@Suite(.serialized) struct ScriptEngineTests {
    @Test(arguments: Engines.allCases)
    func mapsSeeDocumentsAndGiveRows(_ engines: Engines) async throws {
        let engine = engines.make()
        let program = ScriptProgram.view(
            "function(doc) { emit(doc.type, doc.n * 2); if (doc.n > 1) emit([doc._id], null) }")
        let rows = try await engine.text(
            program, "map", #"[{"_id":"a","type":"t","n":1},{"_id":"b","n":2}]"#)
        #expect(rows == #"[[[["t",2]]],[[[null,4],[["b"],null]]]]"#)
    }

    @Test(arguments: Engines.allCases)
    func whatThrowsOnEveryThirdDocumentLosesThoseAlone(_ engines: Engines) async throws {
        let lines = Lines()
        let engine = engines.make(log: { lines.add("\($0.database) \($0.designs): \($0.text)") })
        let program = ScriptProgram.view("function(doc) { if (doc.n % 3 == 2) throw new Error('no'); emit(doc.n) }")
        let documents = (0..<6).map { #"{"_id":"\#($0)","n":\#($0)}"# }.joined(separator: ",")
        let rows = try await engine.text(program, "map", "[\(documents)]")
        #expect(rows == "[[[[0,null]]],[[[1,null]]],[[]],[[[3,null]]],[[[4,null]]],[[]]]")
        #expect(
            lines.all
                == ["2", "5"].map { "database _design/d: function raised exception Error: no with doc._id \($0)" })
    }

    @Test(arguments: Engines.allCases)
    func whatAnswersAFunctionMayCallAnotherWhereThereIsOnePlaceAlone(_ engines: Engines) async throws {
        let engine = engines.make { $0.workersMax = 1 }
        let program = ScriptProgram.design(
            """
            {"_id":"_design/d","lists":{"l":"function() { var row = getRow(); return String(row.value) }"},\
            "views":{"v":{"map":"function(doc) { emit(1, 7) }"}}}
            """)
        let call = ScriptCall(program, "list", [Array("l".utf8), Array("{}".utf8), Array("{}".utf8)])
        let answer = try await engine.answer(to: call) { _ in
            let rows = try? await engine.text(program, "map", "[{}]")
            return Array(#"{"rows":[{"value":\#(rows == "[[[[1,7]]]]")}],"more":false}"#.utf8)
        }
        #expect(answer.tape.string(answer.index) == "true")
    }

    @Test(arguments: Engines.allCases)
    func oneMapCannotChangeWhatTheNextOneSees(_ engines: Engines) async throws {
        let engine = engines.make()
        let program = ScriptProgram.design(
            """
            {"_id":"_design/d","views":{"a":{"map":"function(d){d.x=1;d.tags.push(1);emit(1)}"},\
            "b":{"map":"function(d){d.y=2;emit([d.x,d.y,d.tags.length])}"}}}
            """)
        // Pushing to a frozen array throws; assigning to a frozen object has no effect.
        let rows = try await engine.text(program, "map", #"[{"_id":"a","tags":[]}]"#)
        #expect(rows == "[[[],[[[null,null,0],null]]]]")
    }

    @Test(arguments: Engines.allCases)
    func functionsThatCannotBeCompiledSaySo(_ engines: Engines) async throws {
        let engine = engines.make()
        let broken = await engine.failure(.view("function(doc) { emit("), "map", "[]")
        #expect(broken?.error == "compilation_error")
        let number = await engine.failure(.view("42"), "map", "[]")
        #expect(number?.reason == "Expression does not eval to a function. (42)")
        let semicolon = try await engine.text(.view("function(doc) { emit(1) };\n"), "map", #"[{"_id":"a"}]"#)
        #expect(semicolon == "[[[[1,null]]]]")
        for source in [
            "var a = 2; function(doc) { emit(a) }",
            "function two(d) { return [1, 2].map(function(x) { return x })[1] }\nfunction(doc) { emit(two(doc)) };",
            "'use strict'; function (doc) { emit(2) }", "var f = function(doc) { emit(2) }; f",
            "const k = 2; (doc) => emit(k)",
            "var s = 'function('; function(doc) { emit(s.length - 7) }", "if (1) {} function(doc) { emit(2) } // end",
        ] {
            let rows = try await engine.text(.view(source), "map", #"[{"_id":"a"}]"#)
            #expect(rows == "[[[[2,null]]]]", "issue 55, 5: code before a function, as in CouchDB: \(source)")
        }
        let thrown = await engine.failure(.view("throw 'x'; function(doc) {}"), "map", "[]")
        #expect(thrown?.error == "compilation_error")
        let arrow = try await engine.text(.view("(doc) => emit(2)"), "map", #"[{"_id":"a"}]"#)
        #expect(arrow == "[[[[2,null]]]]")
    }

    @Test(arguments: Engines.allCases)
    func modulesAreFoundFromTheTopAndFromEachOther(_ engines: Engines) async throws {
        let engine = engines.make()
        let program = ScriptProgram.design(
            #"""
            {"_id":"_design/d","views":{"lib":{"a":"exports.two = require('./b').one + 1","b":"exports.one = 1"},
            "v":{"map":"function(d) { emit(require('views/lib/a').two) }"}}}
            """#)
        #expect(try await engine.text(program, "map", #"[{"_id":"a"}]"#) == "[[[[2,null]]]]")
        let missing = ScriptProgram.design(
            #"{"views":{"v":{"map":"function(d) { try { require('views/lib/x') } catch (e) { emit(e.error) } }"}}}"#)
        #expect(try await engine.text(missing, "map", #"[{}]"#) == #"[[[["invalid_require_path",null]]]]"#)
    }

    @Test(arguments: Engines.allCases)
    func endlessLoopsEndAndTheNextCallWorks(_ engines: Engines) async throws {
        let engine = engines.make { $0.callSecondsMax = 0.3 }
        for loop in [
            "for (;;) {}", "/^(([a-z])+.)+[A-Z]([a-z])+$/.test('a'.repeat(200))",
            "while (true) { try { f() } catch (e) {} }",
        ] {
            let failure = await engine.failure(.view("function f(doc) { \(loop); emit(1) }"), "map", #"[{"_id":"a"}]"#)
            // The engine may abort a regular expression itself and report no match.
            #expect(failure == nil && loop.hasPrefix("/") || failure?.code == .timeout, "\(loop)")
        }
        #expect(try await engine.text(.view("function(doc) { emit(1) }"), "map", "[{}]") == "[[[[1,null]]]]")
    }

    @Test(arguments: Engines.allCases)
    func recursionAndMegabytesCostTheFunctionAlone(_ engines: Engines) async throws {
        let engine = engines.make()
        let rows = try await engine.text(.view("function f(doc) { f(doc) }"), "map", "[{}]")
        #expect(rows == "[[[]]]")
        let large = try await engine.text(.view("function(doc) { emit('x'.repeat(3000000)) }"), "map", "[{}]")
        #expect(large.utf8.count > 3_000_000)
        let halves = try await engine.text(.view("function(doc) { emit('a\\ud800') }"), "map", "[{}]")
        #expect(halves == "[[[[\"a\u{FFFD}\",null]]]]")
        let own = try await engine.text(.view("function(doc) { emit(undefined, NaN); emit(() => 1) }"), "map", "[{}]")
        #expect(own == "[[[[null,null],[null,null]]]]")
    }

    @Test(arguments: Engines.allCases)
    func databasesDoNotSeeEachOther(_ engines: Engines) async throws {
        let engine = engines.make()
        let map =
            "function(doc) { emit(globalThis.secret || null); globalThis.secret = 'mine'; Array.prototype.concat = null }"
        for owner in ["one", "two", "three"] {
            let rows = try await engine.text(.view(map, owner: owner), "map", "[{}]")
            #expect(rows == "[[[[null,null]]]]")
        }
    }

    @Test(arguments: Engines.allCases)
    func functionsReachNeitherFilesNorNetworkNorOurRuntime(_ engines: Engines) async throws {
        let engine = engines.make()
        let names =
            "['require','host','design','rows','process','fetch','XMLHttpRequest','load','read','print','WebAssembly']"
        let map = "function(doc) { emit(\(names).filter(function(n) { return typeof globalThis[n] !== 'undefined' })) }"
        #expect(try await engine.text(.view(map), "map", "[{}]") == #"[[[[["require"],null]]]]"#)
    }

    @Test(arguments: Engines.allCases)
    func listsAskForRowsAndSayWhatTheySend(_ engines: Engines) async throws {
        let engine = engines.make()
        let program = ScriptProgram.design(
            """
            {"lists":{"l":"function(head, req) { start({headers: {'Content-Type': 'text/x'}}); send('<'); var row; \
            while (row = getRow()) send(row.key); return '>' }"}}
            """)
        let questions = Lines()
        let call = ScriptCall(program, "list", ["l", "{}", "{}"].map { Array($0.utf8) })
        let answer = try await engine.answer(to: call) { question in
            questions.add(String(decoding: question, as: UTF8.self))
            return Array(#"{"rows":[{"key":1},{"key":2}],"more":false}"#.utf8)
        }
        #expect(answer.tape.string(answer.index) == "12>")
        #expect(questions.all == [#"{"chunks":"<","rows":true,"start":{"headers":{"Content-Type":"text/x"}}}"#])
    }
}

/// Collects lines from several threads.
final class Lines: Sendable {
    private let lines = Mutex<[String]>([])
    var all: [String] { lines.withLock { $0 } }
    func add(_ line: String) { lines.withLock { $0.append(line) } }
}
