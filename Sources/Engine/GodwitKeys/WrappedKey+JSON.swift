//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// The stored form of a wrapped key.
extension WrappedKey {
    private static let format = "godwit-key-file"
    private static let version = 1
    private static let members: Set = ["format", "version", "id", "passphrases", "checksum"]

    /// Reads the stored form. A missing, changed or additional member is an error.
    ///
    /// - Throws: ``KeyError`` with code ``KeyError/Code/formatTooNew`` for a later version of the format,
    ///   ``KeyError/Code/damaged`` for any other deviation.
    init(parsing bytes: [UInt8], position: String) throws(KeyError) {
        guard let file = try? JSONValue(parsing: bytes), let object = file.objectValue,
            object["format"]?.stringValue == WrappedKey.format, let version = object["version"]?.intValue
        else {
            throw KeyError(
                .damaged,
                "\(position) is damaged, or contains no key wrapped by a passphrase. Restore it from a backup.")
        }
        guard version <= WrappedKey.version else {
            throw KeyError(
                .formatTooNew, "\(position) has version \(version) of the format. Use a newer version of Godwit.")
        }
        guard version == WrappedKey.version, let parsed = WrappedKey(object, position: position) else {
            throw KeyError(.damaged, "\(position) is damaged. Restore it from a backup.")
        }
        self = parsed
    }

    private init?(_ object: JSONObject, position: String) {
        var unsummed = object
        unsummed["checksum"] = nil
        guard Set(object.keys) == WrappedKey.members, let id = object["id"]?.stringValue,
            let identifier = [UInt8](hexadecimal: id, count: WrappedKey.identifierBytes),
            let entries = object["passphrases"]?.arrayValue, (1...KeyLimits.passphrasesMax).contains(entries.count),
            ExactText.areEqual(object["checksum"]?.stringValue, WrappedKey.checksum(unsummed))
        else { return nil }
        let slots = entries.compactMap { Slot($0.objectValue ?? [:]) }
        guard slots.count == entries.count, Set(slots.map(\.label)).count == slots.count else { return nil }
        self.init(position: position, identifier: identifier, slots: slots)
    }

    /// The content of the file: one line of JSON.
    func serialized() -> [UInt8] {
        var object = heading
        object["passphrases"] = .array(slots.map { .object($0.json) })
        object["checksum"] = .string(WrappedKey.checksum(object))
        return JSONValue.object(object).jsonBytes() + [UInt8(ascii: "\n")]
    }

    /// The bytes that are authenticated with the wrapped key of a slot.
    func authenticated(_ slot: Slot) -> [UInt8] {
        var object = heading
        for (name, value) in slot.parameters { object[name] = value }
        return WrappedKey.canonical(object)
    }

    private var heading: JSONObject {
        [
            "format": .string(WrappedKey.format),
            "version": .integer(Int64(WrappedKey.version)),
            "id": .string(identifier.hexadecimal),
        ]
    }

    private static func checksum(_ object: JSONObject) -> String {
        MessageDigest.Algorithm.sha256.digest(of: canonical(object)).hexadecimal
    }

    private static func canonical(_ object: JSONObject) -> [UInt8] {
        var bytes: [UInt8] = []
        // Parsing always succeeds, because the text was serialized just before.
        guard let tape = try? JSONTape(scanning: JSONValue.object(object).jsonBytes()) else { return bytes }
        tape.appendCanonical(0, droppingUnderscoredMembers: false, to: &bytes)
        return bytes
    }
}

extension WrappedKey.Slot {
    private static let derivation = "scrypt"
    private static let cipher = "aes-256-gcm"
    private static let members: Set = ["label", "kdf", "n", "r", "p", "salt", "cipher", "nonce", "key"]

    fileprivate init?(_ object: JSONObject) {
        func bytes(_ name: String, _ count: Int) -> [UInt8]? {
            object[name]?.stringValue.flatMap { [UInt8](hexadecimal: $0, count: count) }
        }
        guard Set(object.keys) == Self.members, object["kdf"]?.stringValue == Self.derivation,
            object["cipher"]?.stringValue == Self.cipher,
            let label = object["label"]?.stringValue, WrappedKey.isLabel(label),
            let n = object["n"]?.intValue, let r = object["r"]?.intValue, let p = object["p"]?.intValue,
            let salt = bytes("salt", Self.saltBytes), let nonce = bytes("nonce", SealedBytes.nonceBytes),
            let sealed = bytes("key", Self.sealedBytes)
        else { return nil }
        let cost = ScryptCost(n: n, r: r, p: p)
        guard cost.isAcceptable else { return nil }
        self.init(label: label, cost: cost, salt: salt, nonce: nonce, sealed: sealed)
    }

    /// The members of the stored form, without the wrapped key.
    fileprivate var parameters: JSONObject {
        [
            "label": .string(label),
            "kdf": .string(Self.derivation),
            "n": .integer(Int64(cost.n)),
            "r": .integer(Int64(cost.r)),
            "p": .integer(Int64(cost.p)),
            "salt": .string(salt.hexadecimal),
            "cipher": .string(Self.cipher),
            "nonce": .string(nonce.hexadecimal),
        ]
    }

    fileprivate var json: JSONObject {
        var object = parameters
        object["key"] = .string(sealed.hexadecimal)
        return object
    }
}
