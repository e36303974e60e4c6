//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension Application {
    /// The application as JSON without the secrets of its providers and of its mail server.
    var jsonWithoutSecrets: JSONObject {
        var object = json
        if var mail = object["mail"]?.objectValue {
            mail["password"] = nil
            object["mail"] = .object(mail)
        }
        guard var list = object["providers"]?.objectValue else { return object }
        for name in list.keys {
            guard var provider = list[name]?.objectValue else { continue }
            for member in ApplicationProvider.secretMembers { provider[member] = nil }
            list[name] = .object(provider)
        }
        object["providers"] = .object(list)
        return object
    }

    /// Adds secrets of this application to a new declaration that lacks them. The secret of a provider is only copied
    /// if the new declaration has the same client for this provider. The secret of the mail server is only copied if
    /// the new declaration has the same user of the mail server.
    func addSecrets(to declaration: inout JSONObject) {
        if var mail = declaration["mail"]?.objectValue, let known = self.mail?.json, mail["password"] == nil,
            mail["server"] == known["server"], mail["user"] == known["user"]
        {
            mail["password"] = known["password"]
            declaration["mail"] = .object(mail)
        }
        guard var list = declaration["providers"]?.objectValue else { return }
        for (name, known) in providers {
            guard var provider = list[name]?.objectValue,
                provider["client_id"] == .string(known.settings.clientID),
                (provider["issuer"] ?? .string(known.settings.issuer)) == .string(known.settings.issuer),
                provider["api_url"] == nil || provider["api_url"] == known.json["api_url"]
            else { continue }
            for member in ApplicationProvider.secretMembers where provider[member] == nil {
                // A private key is useless without its `key_id`. Therefore it is not copied if the declaration has no
                // `key_id`.
                guard member != "private_key" || provider["key_id"] != nil else { continue }
                provider[member] = known.json[member]
            }
            list[name] = .object(provider)
        }
        declaration["providers"] = .object(list)
    }
}
