//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The services that a cloud platform bound to the program, as in the variable `VCAP_SERVICES` of Cloud Foundry.
struct BoundServices {
    private let kinds: JSONObject

    /// Reads the variable. A value that is not a JSON object contains no services.
    init(vcapServices text: String) { kinds = (try? JSONValue(parsing: text))?.objectValue ?? [:] }

    /// Returns the credentials of the services whose kind, label or tags contain one of the words, sorted by kind. The
    /// words must be in lower case. For a service without credentials, the result contains `null`.
    func named(_ words: [String]) -> [JSONValue] {
        kinds.sorted { $0.key < $1.key }.flatMap { kind, services in
            (services.arrayValue ?? []).filter { service in
                let tags = (service["tags"]?.arrayValue ?? []).compactMap(\.stringValue)
                let names = [kind, service["label"]?.stringValue ?? ""] + tags
                return names.contains { name in words.contains { name.lowercased().contains($0) } }
            }
        }
        .map { $0["credentials"] ?? .null }
    }
}
