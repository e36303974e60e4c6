//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import Foundation
import GeoPixCore
import GodwitDatabase
import Synchronization
import Testing

@Suite("The app without a server")
@MainActor
struct GeoPixModelTests {
    /// Returns the file unchanged.
    private struct PlainProcessor: PhotoProcessor {
        func copy(of file: [UInt8], longestSide: Int?, quality: Double) async throws(DeviceError) -> ProcessedPhoto {
            ProcessedPhoto(jpeg: file, takenAt: 1_000, place: PhotoPlace(latitude: 1, longitude: 2))
        }
    }

    private struct NoNetwork: Transport {
        func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
            throw ReplicationError(.network, "there is no network")
        }
    }

    private func model(_ folder: String, now: @escaping @Sendable () -> Date = { Date() }) -> GeoPixModel {
        var configuration = GeoPixModel.Configuration(
            folder: folder, processor: PlainProcessor(), transport: NoNetwork(), device: AppDevice(name: "test"),
            version: "1.0")
        configuration.now = now
        return GeoPixModel(server: "http://127.0.0.1:1", configuration: configuration)
    }

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "geopix-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    @Test("A new device asks for a passphrase, which must be long enough")
    func passphrase() async throws {
        try await withFolder { folder in
            let model = model(folder)
            try await model.start()
            #expect(model.stage == .new)
            let error = await #expect(throws: DeviceError.self) { try await model.unlock("short") }
            #expect(error?.code == .input)
            try await model.unlock("a long passphrase")
            #expect(model.stage == .signedOut)
            let refused = await #expect(throws: DeviceError.self) { try await model.capture([1]) }
            #expect(refused?.code == .locked)
            let unreachable = await #expect(throws: DeviceError.self) { try await model.signIn("ann", password: "x") }
            #expect(unreachable?.code == .unreachable && model.busy == nil)
            await model.close()
        }
    }

    @Test("A fix older than 15 s is ignored, and one that becomes older is not used")
    func fixes() async throws {
        try await withFolder { folder in
            let clock = TestClock()
            let model = model(folder, now: { clock.now })
            let fix = { (age: Double) in
                Fix(
                    latitude: 47, longitude: 8,
                    timeMilliseconds: Int64((clock.now.timeIntervalSince1970 - age) * 1_000),
                    accuracyMeters: 5, altitudeMeters: 410)
            }
            model.take(fix(16))
            #expect(model.fix == nil && model.freshPlace == nil)
            model.take(fix(14))
            #expect(model.freshPlace?.altitude == 410)
            clock.advance(2)
            #expect(model.fix != nil && model.freshPlace == nil)
        }
    }

    private final class TestClock: Sendable {
        private let seconds = Mutex(1_800_000_000.0)

        var now: Date { Date(timeIntervalSince1970: seconds.withLock { $0 }) }

        func advance(_ more: Double) { seconds.withLock { $0 += more } }
    }
}
