//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import Foundation
import GeoPixCore
import GodwitDatabase
import ProgramKit

extension GeoPixModel {
    /// Returns the state of the screens as JSON.
    func screens(source: String) -> JSONValue {
        let text = { (value: String?) in value.map { JSONValue.string($0) } ?? .null }
        let logins = logins.map { login -> JSONValue in
            ["id": .string(login.id), "kind": .string(login.kind.rawValue), "title": .string(login.title)]
        }
        return [
            "stage": .string(stage.rawValue), "user": text(user), "server": .string(server), "logins": .array(logins),
            "loginFailure": text(loginFailure), "challenge": question, "busy": text(challenge == nil ? busy : nil),
            "location": position,
            "locationSource": .string(source),
            "replication": [
                "text": .string(replication.text), "isRunning": .bool(replication.isRunning),
                "reason": text(replication.reason),
            ],
            "last": last.map { screen($0) } ?? .null, "count": .integer(Int64(count)),
            "waiting": .integer(Int64(waiting.count)), "unsent": .integer(Int64(unsentCount)),
            "settings": [
                "quality": .double(settings.quality), "usesPhotoPlaces": .bool(settings.usesPhotoPlaces),
            ],
            "notice": notice?.screen ?? .null,
        ]
    }

    /// Returns a photo of the device as JSON for the page.
    func screen(_ photo: Photo) -> JSONValue {
        photo.screen(isSent: isSent(photo.id), isOnServer: isOnServer(photo.id))
    }

    /// The question of the realm: its fields, and the message about a wrong answer.
    private var question: JSONValue {
        guard let challenge else { return .null }
        let fields = (challenge["fields"]?.arrayValue ?? []).map { field -> JSONValue in
            ["name": field["name"] ?? "", "title": field["title"] ?? "", "isSecret": field["isSecret"] ?? false]
        }
        return ["login": .string(realm ?? ""), "fields": .array(fields), "message": challenge["errorMessage"] ?? .null]
    }

    private var position: JSONValue {
        guard let fix, let place = PhotoPlace(fix) else { return .null }
        let number = { (value: Double?) in value.map { JSONValue.double($0) } ?? .null }
        let age = (fixAgeSeconds ?? 0).rounded(.towardZero)
        return [
            "latitude": .double(place.latitude), "longitude": .double(place.longitude),
            "altitude": number(place.altitude), "course": number(place.course),
            "accuracy": .double(fix.accuracyMeters), "ageSeconds": .integer(Int64(exactly: age) ?? .max),
            "label": .string(place.label), "isFresh": .bool(age <= GeoPixModel.fixAgeSecondsMax),
        ]
    }
}
