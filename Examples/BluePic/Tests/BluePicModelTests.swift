//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import BluePicCore
import DeviceKit
import Foundation
import GodwitDatabase
import Testing

@Suite("The app without a server")
@MainActor
struct BluePicModelTests {
    /// A processor that returns the file unchanged. Only the returned size is scaled down, as the maximum of the
    /// longest side requires.
    private struct PlainProcessor: PhotoProcessor {
        let width: Int
        let height: Int

        func copy(of file: [UInt8], longestSide: Int?, quality: Double) async throws(DeviceError) -> ProcessedPhoto {
            let scale = min(1, Double(longestSide ?? .max) / Double(max(width, height)))
            return ProcessedPhoto(
                jpeg: file, width: Int(Double(width) * scale), height: Int(Double(height) * scale))
        }
    }

    private struct NoNetwork: Transport {
        func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
            throw ReplicationError(.network, "there is no network")
        }
    }

    /// Answers only logins.
    private struct LoginOnly: Transport {
        func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
            guard request.url.contains("/_apps/bluepic/") else {
                throw ReplicationError(.network, "there is no network")
            }
            let login: JSONValue = [
                "ok": true, "name": "ann", "user": "ann", "access_token": "a", "refresh_token": "r",
                "token_type": "Bearer", "expires_in": 3_600, "device": "d", "database": "x", "api_key": "k",
                "api_password": "p",
            ]
            return TransportResponse(
                status: 200, headers: [(name: "Content-Type", value: "application/json")],
                body: AsyncThrowingStream<[UInt8], any Error> { continuation in
                    continuation.yield(login.jsonBytes())
                    continuation.finish()
                })
        }
    }

    private func withModel(
        _ transport: any Transport = NoNetwork(), width: Int = 1_200, height: Int = 900,
        _ body: (BluePicModel) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "bluepic-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let model = BluePicModel(
            server: "http://127.0.0.1:1",
            configuration: BluePicModel.Configuration(
                folder: folder, processor: PlainProcessor(width: width, height: height), transport: transport,
                device: AppDevice(name: "test"), version: "1.0"))
        try await model.start()
        try await model.unlock("a long passphrase")
        do {
            try await body(model)
        } catch {
            await model.close()
            throw error
        }
        await model.close()
    }

    @Test("A guest sees an empty feed without a network, and cannot post")
    func guest() async throws {
        try await withModel { model in
            #expect(model.stage == .signedOut)
            try await model.signInLater()
            #expect(model.stage == .ready && model.user == nil)
            let page = try await model.images(limit: 10)
            #expect(page.photos.isEmpty && page.next == nil)
            let error = await #expect(throws: DeviceError.self) { try await model.choose([1]) }
            #expect(error?.code == .locked)
            try model.showSignIn()
            let unreachable = await #expect(throws: DeviceError.self) { try await model.signIn("ann", password: "x") }
            #expect(unreachable?.code == .unreachable && model.busy == nil)
        }
    }

    @Test(
        "A picture is at most 600 pixels wide",
        arguments: [(1_200, 900, 600, 450), (900, 1_200, 600, 800), (300, 400, 300, 400)])
    func widths(_ width: Int, _ height: Int, _ newWidth: Int, _ newHeight: Int) async throws {
        try await withModel(LoginOnly(), width: width, height: height) { model in
            try await model.signIn("ann", password: "heron-tern-plover")
            let post = try await model.choose([1, 2, 3])
            #expect(post.width == newWidth && post.height == newHeight)
        }
    }

    @Test("Posts are in the order in which their pictures were chosen, and a picture is stored once")
    func order() async throws {
        try await withModel(LoginOnly()) { model in
            try await model.signIn("ann", password: "heron-tern-plover")
            for number in 0..<3 {
                let id = "picture-\(number)"
                _ = try await model.choose([UInt8(number)], token: id)
                _ = try await model.choose([UInt8(number)], token: id)
                try await model.post(id, caption: "Post \(number)")
            }
            #expect(model.posts.map(\.caption) == ["Post 0", "Post 1", "Post 2"])
            try await model.remove("picture-1")
            #expect(model.posts.map(\.id) == ["picture-0", "picture-2"])
            let gone = await #expect(throws: DeviceError.self) { try await model.post("picture-1", caption: "") }
            #expect(gone?.code == .notFound)
            let long = String(repeating: "x", count: BluePicModel.captionLengthMax + 1)
            let refused = await #expect(throws: DeviceError.self) { try await model.post("picture-2", caption: long) }
            #expect(refused?.code == .input)
        }
    }
}
