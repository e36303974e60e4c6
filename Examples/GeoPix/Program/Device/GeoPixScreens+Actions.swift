//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import Foundation
import GeoPixCore
import GodwitJSON
import ProgramKit

extension GeoPixScreens {
    /// See ``DeviceApp/perform(_:_:)``.
    func perform(_ action: String, _ arguments: JSONObject) async throws(DeviceError) -> JSONObject {
        switch action {
        case "unlock": try await model.unlock(try arguments.text("passphrase"))
        case "register", "signIn": try await signIn(arguments, registering: action == "register")
        case "open":
            return ["address": .string(try await beginLogin(arguments))]
        case "logins": await model.readLogins()
        case "answer": await model.answer(arguments["values"]?.objectValue ?? [:])
        case "cancelSignIn": await model.cancelSignIn()
        case "signOut": try await model.signOut()
        case "location": await model.take(try fix(arguments))
        case "caption": try await model.setCaption(try arguments.text("caption"), of: try arguments.text("id"))
        case "delete": try await model.delete(try arguments.text("id"))
        case "sync": await model.requestPush()
        case "settings": try await changeSettings(arguments)
        default: throw DeviceError(.notFound, "There is no action \(action).")
        }
        return [:]
    }

    private func signIn(_ arguments: JSONObject, registering: Bool) async throws(DeviceError) {
        guard let login = arguments["login"]?.stringValue, login != "password" else {
            return try await model.signIn(
                try arguments.text("name"), password: try arguments.text("password"), registering: registering)
        }
        try await model.signIn(realm: login)
    }

    /// Begins a login at a provider. The browser returns to `/login` of this process.
    private func beginLogin(_ arguments: JSONObject) async throws(DeviceError) -> String {
        let origin = try arguments.text("origin")
        guard ["http://127.0.0.1:", "http://localhost:"].contains(where: { origin.hasPrefix($0) }) else {
            throw DeviceError(.input, "The origin must be an address of this device.")
        }
        return try await model.beginLogin(at: try arguments.text("login"), returningTo: "\(origin)/login")
    }

    /// See ``DeviceApp/returned(_:)``.
    func returned(_ query: [String: String]) async -> DeviceContent? {
        guard let state = query["state"] else { return nil }
        do throws(DeviceError) {
            try await model.endLogin(
                state: state, code: query["code"], reason: query["error_description"] ?? query["error"])
        } catch {
            await model.report(error)
        }
        return files.file("returned.html", in: "device").map { DeviceContent($0) }
    }

    /// The end of the times of positions, in milliseconds since 1970.
    private static let timeMax = 1e15

    private func fix(_ arguments: JSONObject) throws(DeviceError) -> Fix {
        let number = { (name: String) in arguments[name]?.doubleValue }
        guard let latitude = number("latitude"), let longitude = number("longitude"), let time = number("time"),
            PhotoPlace(latitude: latitude, longitude: longitude) != nil, abs(time) < Self.timeMax,
            let milliseconds = Int64(exactly: time.rounded(.towardZero))
        else { throw DeviceError(.input, "A position needs latitude, longitude and time.") }
        return Fix(
            latitude: latitude, longitude: longitude, timeMilliseconds: milliseconds,
            accuracyMeters: number("accuracy") ?? 0, altitudeMeters: number("altitude"), courseDegrees: number("course")
        )
    }

    private func changeSettings(_ arguments: JSONObject) async throws(DeviceError) {
        var settings = await model.settings
        if let quality = arguments["quality"]?.doubleValue { settings.quality = quality }
        if let uses = arguments["usesPhotoPlaces"]?.boolValue { settings.usesPhotoPlaces = uses }
        try await model.change(settings)
    }
}
