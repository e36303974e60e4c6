//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension String {
    /// The text as a component of a URL's path or query: all characters except unreserved characters (RFC 3986, section
    /// 2.3) are escaped. The texts `.` and `..` are also escaped.
    public var percentEncoded: String {
        // In a path, `.` and `..` are not names, but refer to the current and the parent folder. Clients remove them
        // from paths.
        if utf8.count <= 2, !isEmpty, utf8.allSatisfy({ $0 == UInt8(ascii: ".") }) {
            return String(repeating: "%2E", count: utf8.count)
        }
        return percentEncoded(keeping: nil)
    }

    /// The text as a part of a URL. Unlike ``percentEncoded``, this method does not escape the character `unescaped`
    /// and the texts `.` and `..`.
    ///
    /// - Parameter unescaped: The additional ASCII character; `nil` for none.
    package func percentEncoded(keeping unescaped: Unicode.Scalar?) -> String {
        let unescapedByte = unescaped.map { UInt8(ascii: $0) }
        var encoded: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), unescapedByte:
                encoded.append(byte)
            default: encoded += "%\([byte].hexadecimal.uppercased())".utf8
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Decodes percent escapes; `nil` if an escape is invalid.
    ///
    /// - Parameter plusIsSpace: Whether `+` is decoded as a space, as in forms and in CouchDB's paths.
    package init?(percentEncoded text: some Collection<UInt8>, plusIsSpace: Bool = false) {
        self = []
        reserveCapacity(text.count)
        var remainingBytes = text[...]
        while let byte = remainingBytes.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let upperDigit = remainingBytes.popFirst().flatMap(Hexadecimal.value(of:)),
                    let lowerDigit = remainingBytes.popFirst().flatMap(Hexadecimal.value(of:))
                else { return nil }
                append(upperDigit << 4 | lowerDigit)
            case UInt8(ascii: "+") where plusIsSpace: append(UInt8(ascii: " "))
            default: append(byte)
            }
        }
    }
}
