//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import Foundation
import GodwitClientNIO
import GodwitHost
import GodwitJSON
import GodwitTransport

/// The `bluepic populate` command: posts the three stock photos of the original.
struct PopulateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "populate", abstract: "Post three stock photos by \"\(StockPhoto.userName)\", if it has none.",
        discussion: "BLUEPIC_URL is the default of --url, so that the password is not in the list of processes.")

    @Option(help: "The server with an administrator's name and password: http://NAME:PASSWORD@HOST:PORT.")
    var url: String?

    func run() async throws {
        guard let address = url ?? ProcessInfo.processInfo.environment["BLUEPIC_URL"], !address.isEmpty else {
            throw ValidationError("Specify --url or BLUEPIC_URL.")
        }
        let count = try await StockPhotos(server: address).add()
        CommandText.printLine(
            count == 0
                ? "\(StockPhoto.userName) has photos already." : "Posted \(count) photos by \(StockPhoto.userName).")
    }
}

/// Posts the stock photos as an administrator.
struct StockPhotos {
    private static let secondsMax = 60
    private static let answerBytesMax = 1 << 20

    private let server: String
    private let authorization: String
    private let transport = AsyncHTTPTransport()

    /// - Parameter server: The URL of the server with the name and the password of an administrator.
    init(server: String) throws {
        guard var parts = URLComponents(string: server), let name = parts.user, let password = parts.password else {
            // The message does not repeat the URL, because the URL may contain a password.
            throw ValidationError("The URL must have the form http://NAME:PASSWORD@HOST:PORT.")
        }
        (parts.user, parts.password, parts.path) = (nil, nil, "")
        self.server = parts.string ?? ""
        authorization = "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
    }

    /// Adds the user of the stock photos, and the photos if this user has no photos yet.
    ///
    /// - Returns: The number of new photos.
    func add() async throws -> Int {
        let user = StockPhoto.userID
        _ = try await send("POST", "/users", ["_id": .string(user), "name": .string(StockPhoto.userName)])
        guard try await send("GET", "/users/\(user)/images").arrayValue?.isEmpty == true else { return 0 }
        for photo in StockPhoto.all {
            let image: JSONObject = [
                "_id": .string(photo.id), "fileName": .string(photo.fileName), "caption": .string(photo.caption),
                "userId": .string(user), "image": .string(Data(photo.bytes).base64EncodedString()),
            ]
            _ = try await send("POST", "/images", image)
        }
        return StockPhoto.all.count
    }

    private func send(_ method: String, _ path: String, _ body: JSONObject? = nil) async throws -> JSONValue {
        var request = TransportRequest(method: method, url: server + path, secondsMax: Self.secondsMax)
        request.headers = [("Authorization", authorization), ("Content-Type", "application/json")]
        if let body { request.body = .bytes(JSONValue.object(body).jsonBytes()) }
        let response = try await transport.send(request)
        var bytes: [UInt8] = []
        for try await piece in response.body where bytes.count < Self.answerBytesMax { bytes += piece }
        let answer = (try? JSONValue(parsing: bytes)) ?? .null
        guard 200..<300 ~= response.status else {
            let reason = answer["reason"]?.stringValue ?? "status \(response.status)"
            throw ValidationError("\(method) \(path): \(reason)")
        }
        return answer
    }
}
