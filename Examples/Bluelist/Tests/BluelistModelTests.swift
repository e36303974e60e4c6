//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import BluelistCore
import DeviceKit
import Foundation
import GodwitDatabase
import Testing

@Suite("Bluelist without a server", .timeLimit(.minutes(5)))
@MainActor
struct BluelistModelTests {
    private struct NoNetwork: Transport {
        func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
            throw ReplicationError(.network, "there is no network")
        }
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluelist-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    private func withModel(
        _ folder: String, password: String?, _ body: (BluelistModel) async throws -> Void
    ) async throws {
        let model = BluelistModel(
            server: "http://127.0.0.1:1",
            configuration: BluelistModel.Configuration(
                folder: folder, encryptionPassword: password, transport: NoNetwork(), device: AppDevice(name: "test"),
                version: "1.0"))
        try await model.start()
        try await body(model)
        await model.close()
    }

    private func names(_ model: BluelistModel) -> [String] { (model.list?.items ?? []).map(\.value.name) }

    private func add(_ name: String, to model: BluelistModel) async throws(DeviceError) {
        try await model.edit { (list) throws(DeviceError) in try await list.add(name) }
    }

    @Test("An empty password opens the plain list, another one the encrypted list, a wrong one is reported")
    func protectsTheList() async throws {
        try await withFolder { folder in
            try await withModel(folder, password: "heron") { model in
                #expect(model.stage == .signedOut && model.isEncrypted)
                try await add("milk", to: model)
            }
            try await withModel(folder, password: "tern") { model in
                #expect(model.stage == .locked && model.unlockFailure == "The encryption password is wrong.")
                await #expect(throws: DeviceError.self) { try await self.add("bread", to: model) }
                try await model.unlock("heron")
                #expect(model.unlockFailure == nil && names(model) == ["milk"])
            }
            try await withModel(folder, password: "") { model in
                #expect(!model.isEncrypted && names(model).isEmpty)
            }
        }
    }

    @Test("Without a configured password the user chooses one, or none, and the next start asks for it")
    func asksForThePassword() async throws {
        try await withFolder { folder in
            try await withModel(folder, password: nil) { model in
                #expect(model.stage == .new)
                try await model.unlock("")
                try await model.signInLater()
                try await add("milk", to: model)
            }
            try await withModel(folder, password: nil) { model in
                #expect(model.stage == .ready && names(model) == ["milk"])
                try await model.removeList()
                #expect(model.stage == .new)
                try await model.unlock("heron")
                #expect(model.isEncrypted && names(model).isEmpty)
            }
            try await withModel(folder, password: nil) { model in
                #expect(model.stage == .locked)
                await #expect(throws: DeviceError.self) { try await model.unlock("") }
                try await model.unlock("heron")
            }
        }
    }

    @Test("Without a network a login fails, and the list remains")
    func hasNoNetwork() async throws {
        try await withFolder { folder in
            try await withModel(folder, password: "") { model in
                try await add("milk", to: model)
                do {
                    try await model.signIn("ann", password: "heron-tern-plover")
                    Issue.record("There is no network.")
                } catch let error as DeviceError {
                    #expect(error.code == .unreachable)
                }
                #expect(model.user == nil && model.stage == .signedOut && names(model) == ["milk"])
                await #expect(throws: DeviceError.self) { try await model.refresh() }
            }
        }
    }
}
