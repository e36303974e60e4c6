//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import BluelistCore
import Foundation
import GodwitAccess
import GodwitBackend
import GodwitClientNIO
import GodwitQuery
import GodwitServer
import GodwitStore
import GodwitSync
import GodwitTransport
import Logging
import Testing

/// A running server with the application `app`, which has the Bluelist adapter.
private struct ListServer: Sendable {
    let address: String
    let transport = AsyncHTTPTransport()

    /// Runs `body` with a server whose databases are in a folder.
    static func run(_ folder: String, _ body: @escaping @Sendable (ListServer) async throws -> Void) async throws {
        var application = Application(id: "app")
        application.hasBluelist = true
        let manager = try DatastoreManager(directory: folder, durability: .normal)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let server = GodwitServer(
            manager: manager, administrators: Administrators(name: "admin", password: "secret"),
            address: .init(port: 0), modules: [Backend(manager: manager, applications: [application])],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }, onListening: { port.yield($0) })
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await server.run() }
            for await port in ports {
                try await body(ListServer(address: "http://127.0.0.1:\(port)"))
                break
            }
            group.cancelAll()
        }
        await manager.close()
    }

    /// Sends a request with JSON as the administrator.
    func send(_ method: String, _ path: String, _ body: String) async throws {
        var request = TransportRequest(method: method, url: "\(address)/\(path)", secondsMax: 30)
        request.headers = [("Authorization", "Basic YWRtaW46c2VjcmV0"), ("Content-Type", "application/json")]
        request.body = .bytes(Array(body.utf8))
        let status = try await transport.send(request).status
        #expect((200..<300).contains(status), "\(path)")
    }
}

/// A device of a user, and what it changed since the last replication.
private final class ListDevice {
    let store: TodoStore
    let remote: RemoteEndpoint
    /// The new values of members by item and member; an item that was deleted has the member `deleted`.
    var changes: [String: [String: String]] = [:]

    init(_ store: TodoStore, _ remote: RemoteEndpoint) { (self.store, self.remote) = (store, remote) }

    func note(_ id: String, _ member: String, _ value: String) { changes[id, default: [:]][member] = value }

    /// Returns the members of all items.
    func state() async throws -> [String: [String: String]] {
        Dictionary(
            uniqueKeysWithValues: try await store.items().map { item in
                (item.id, ["name": item.value.name, "importance": "\(item.value.importance)"])
            })
    }

    /// Makes some changes.
    func edit(_ random: inout SeededRandom, _ round: Int) async throws {
        let ids = try await store.items().map(\.id)
        for step in 0..<Int.random(in: 1...4, using: &random) {
            let text = "item \(round).\(step) \(UInt16.random(in: .min ... .max, using: &random))"
            guard let id = ids.randomElement(using: &random), Int.random(in: 0..<10, using: &random) > 2 else {
                let id = try await store.add(TodoItem(name: text))
                note(id, "name", text)
                note(id, "importance", "low")
                continue
            }
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                if try await store.delete(id) != nil { note(id, "deleted", "") }
            case 1...5:
                if try await store.change(id, { $0.name = text }) != nil { note(id, "name", text) }
            default:
                let importance = TodoItem.Priority.allCases.randomElement(using: &random)!
                if try await store.change(id, { $0.importance = importance }) != nil {
                    note(id, "importance", "\(importance)")
                }
            }
        }
    }
}

/// A generator with a seed (SplitMix64).
private struct SeededRandom: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = (state ^ (state >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

@Suite("Two devices of Bluelist", .timeLimit(.minutes(15)))
struct BluelistDevicesTests {
    private static let rounds = 100

    @Test("A hundred rounds of edits without a network, with cookies of three seconds: merged by member, nothing lost")
    func rounds() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluelist-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await ListServer.run("\(folder)/server") { server in
            try await server.send("PUT", "_node/_local/_config/chttpd_auth/iterations", "\"1000\"")
            try await server.send("PUT", "_node/_local/_config/chttpd_auth/timeout", "\"3\"")
            try await server.send("PUT", "_apps/app/users/ann", #"{"password": "secret word"}"#)
            let devices = [
                try await device(server, "\(folder)/one"), try await device(server, "\(folder)/two"),
            ]
            var random = SeededRandom(state: 31)
            var common: [String: [String: String]] = [:]
            for round in 0..<BluelistDevicesTests.rounds {
                for device in devices where Int.random(in: 0..<4, using: &random) > 0 {
                    try await device.edit(&random, round)
                }
                // The second device resolves the conflicts, and the first one gets the result.
                for device in [devices[0], devices[1], devices[0]] {
                    try await device.store.synchronize(with: device.remote)
                }
                let states = [try await devices[0].state(), try await devices[1].state()]
                #expect(states[0] == states[1], "round \(round)")
                expect(states[0], after: common, devices, round)
                for device in devices {
                    #expect(try device.store.datastore.conflictedIDs().isEmpty, "round \(round)")
                    device.changes = [:]
                }
                common = states[0]
            }
            #expect(!common.isEmpty)
            for device in devices { await device.store.close() }
        }
    }

    private func device(_ server: ListServer, _ folder: String) async throws -> ListDevice {
        let access = try AccessManager(
            server: server.address, application: "app", device: AppDevice(name: "phone", platform: "test"),
            transport: server.transport)
        _ = try await access.logIn(name: "ann", password: "secret word")
        let bluelist = try BluelistSession(
            adapter: "\(server.address)/bluelist", tokens: access, transport: server.transport)
        let enrolment = try await bluelist.enroll()
        let remote = try RemoteEndpoint.couchDB(
            enrolment.url, interceptor: bluelist.interceptor, transport: server.transport)
        return ListDevice(try await TodoStore(folder: folder), remote)
    }

    /// Checks each member. It must have the value of the device that changed it, the value of one of the devices if
    /// both changed it, or the old value if none did.
    private func expect(
        _ state: [String: [String: String]], after common: [String: [String: String]], _ devices: [ListDevice],
        _ round: Int
    ) {
        let ids = Set(common.keys).union(devices.flatMap(\.changes.keys))
        #expect(Set(state.keys).isSubset(of: ids), "round \(round): a foreign item")
        for id in ids {
            let changes = devices.compactMap { $0.changes[id] }
            let deletions = changes.filter { $0["deleted"] != nil }
            let edits = changes.filter { $0["deleted"] == nil }
            guard let item = state[id] else {
                #expect(!deletions.isEmpty && edits.isEmpty, "round \(round): \(id) was lost")
                continue
            }
            #expect(deletions.isEmpty || !edits.isEmpty, "round \(round): \(id) was not deleted")
            for member in ["name", "importance"] {
                let written = edits.compactMap { $0[member] }
                let possible = written.isEmpty ? [common[id]?[member]].compactMap(\.self) : written
                #expect(possible.contains(item[member] ?? ""), "round \(round): \(id) \(member)")
            }
        }
    }
}
