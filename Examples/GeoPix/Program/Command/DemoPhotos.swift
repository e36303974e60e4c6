//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import DeviceKit
import Foundation
import GeoPixCore
import GodwitClientNIO
import GodwitDatabase
import GodwitHost
import PhotoKit

/// The sample photos of the demo, which a device of the user `gallery` adds once.
struct DemoPhotos {
    let folder: String
    let server: String
    /// The path of a file that exists if the photos were added.
    let marker: String

    private static let user = "gallery"
    private static let secondsMax = 120
    private static let photosMax = 100

    /// Adds the photos. Does nothing if an earlier start has added them.
    @MainActor
    func add(password: String) async throws {
        guard !FileManager.default.fileExists(atPath: marker) else { return }
        let home = FileManager.default.temporaryDirectory.appending(path: "geopix-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: home) }
        let model = GeoPixModel(
            server: server,
            configuration: GeoPixModel.Configuration(
                folder: home, key: DemoKey(), processor: DevicePhotos(), transport: AsyncHTTPTransport(),
                device: AppDevice(name: "Sample photos"), version: GeoPixCommand.versionUsual))
        try await model.start()
        do {
            try await model.signIn(DemoPhotos.user, password: password, registering: true)
        } catch {
            // The code `nameTaken` is no failure: the account exists already if an earlier start was interrupted.
            guard (error.cause as? AccessError)?.code == .nameTaken else { throw error }
            try await model.signIn(DemoPhotos.user, password: password)
        }
        let known = Set(try await model.sharedPhotos(limit: DemoPhotos.photosMax).photos.compactMap(\.entry.caption))
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".jpg") }.sorted()
        for file in files {
            guard let bytes = FileManager.default.contents(atPath: "\(folder)/\(file)") else { continue }
            let words = file.dropLast(4).replacing("-", with: " ")
            let caption = words.prefix(1).uppercased() + words.dropFirst()
            guard !known.contains(caption) else { continue }
            _ = try await model.capture(Array(bytes), isFile: true, caption: caption)
        }
        for _ in 0..<DemoPhotos.secondsMax where !model.waiting.isEmpty { try await Task.sleep(for: .seconds(1)) }
        guard model.waiting.isEmpty else {
            throw ValidationError("The sample photos could not be added: \(model.replication.reason ?? "")")
        }
        try Data().write(to: URL(filePath: marker))
        CommandText.printLine("Added \(files.count) sample photos.")
        await model.close()
    }

    private struct DemoKey: KeyProvider {
        let name = "the key of the sample photos"
        private let random = EncryptionKey.random()

        func key() async throws(KeyError) -> EncryptionKey { random }
    }
}
