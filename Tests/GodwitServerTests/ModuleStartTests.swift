//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitServer
import ServerTesting
import Synchronization
import TestKit
import Testing

/// A module that records its start and its stop, or that fails to start.
private final class RecordedModule: ServerModule {
    struct Failure: Error {}

    let name: String
    let routes: [Route] = []
    private let failsToStart: Bool
    private let record = Mutex<[String]>([])

    init(_ name: String, failsToStart: Bool = false) {
        (self.name, self.failsToStart) = (name, failsToStart)
    }

    var events: [String] { record.withLock { $0 } }

    func start(in server: RunningServer) async throws {
        record.withLock { $0.append("start") }
        if failsToStart { throw Failure() }
    }

    func stop() async { record.withLock { $0.append("stop") } }
}

@Suite("A server whose module fails to start", .endsWhenHung)
struct ModuleStartTests {
    @Test("The modules that have started are stopped, and no others")
    func stopped() async throws {
        let modules = [
            RecordedModule("first"), RecordedModule("second", failsToStart: true), RecordedModule("third"),
        ]
        await #expect(throws: RecordedModule.Failure.self) {
            try await TestServer.run(modules: { _ in modules }) { _ in }
        }
        #expect(modules.map(\.events) == [["start", "stop"], ["start"], []])
    }
}
