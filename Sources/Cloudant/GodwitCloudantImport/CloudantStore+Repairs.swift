//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

extension CloudantStore {
    /// Parses a body. An escape of half a surrogate pair, such as the `\ud83d` that Java writes of a cut emoji, becomes
    /// U+FFFD, and the body is recorded as a repair.
    func value(parsing body: [UInt8], of subject: String) throws(JSONError) -> JSONValue {
        do throws(JSONError) {
            return try JSONValue(parsing: body)
        } catch {
            guard error.code == .unpairedSurrogate else { throw error }
            let value = try JSONValue(parsing: body.replacingHalfCharacters())
            repair(subject, "Its text contained half a character, which is now U+FFFD (the replacement character).")
            return value
        }
    }
}

extension [UInt8] {
    /// Returns a JSON text in which the escapes of unpaired surrogates are replaced by `\ufffd`.
    func replacingHalfCharacters() -> [UInt8] {
        var repaired: [UInt8] = []
        repaired.reserveCapacity(count)
        var index = 0
        while index < count {
            var length = 1
            if self[index] == UInt8(ascii: "\\") {
                let isHigh = unit(at: index).map { (0xD800..<0xDC00).contains($0) } ?? false
                let isPair = isHigh && unit(at: index + 6).map { (0xDC00..<0xE000).contains($0) } ?? false
                if !isPair, let unit = unit(at: index), (0xD800..<0xE000).contains(unit) {
                    repaired += Array(#"\ufffd"#.utf8)
                    index += 6
                    continue
                }
                length = isPair ? 12 : Swift.min(2, count - index)
            }
            repaired += self[index..<index + length]
            index += length
        }
        return repaired
    }

    /// The UTF-16 code unit of an escape `\uXXXX`; `nil` if there is none at `index`.
    private func unit(at index: Int) -> UInt16? {
        guard index + 6 <= count, self[index] == UInt8(ascii: "\\"), self[index + 1] == UInt8(ascii: "u") else {
            return nil
        }
        return [UInt8](hexadecimal: self[index + 2..<index + 6])?.reduce(0) { $0 << 8 | UInt16($1) }
    }
}
