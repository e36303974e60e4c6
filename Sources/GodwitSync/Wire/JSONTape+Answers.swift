//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

extension JSONTape {
    /// A member that is a text; empty when it is not there.
    func text(_ name: StaticString, of index: Int) -> String {
        member(name, of: index).flatMap { kind($0) == .string ? string($0) : nil } ?? ""
    }

    /// A place in a feed as text: a string as it is, anything else as its JSON.
    func sequence(_ index: Int) -> String {
        kind(index) == .string ? string(index) : String(decoding: slice(index), as: UTF8.self)
    }

    func revision(_ index: Int) -> RevisionID? { kind(index) == .string ? RevisionID(string(index)) : nil }

    func revisions(_ name: StaticString, of index: Int) -> [RevisionID] {
        guard let list = member(name, of: index), kind(list) == .array else { return [] }
        return elements(of: list).compactMap { revision($0) }
    }

    /// The elements of a member that is a list; none when it is anything else.
    func list(_ name: StaticString, of index: Int) -> [Int] {
        guard kind(index) == .object, let list = member(name, of: index), kind(list) == .array else { return [] }
        return Array(elements(of: list))
    }
}

extension String {
    /// The text as a part of a URL: all but unreserved characters as percent escapes.
    package var urlEncoded: String {
        // As a piece of a path these are no names, and clients take them out.
        if self == "." || self == ".." { return String(repeating: "%2E", count: utf8.count) }
        var encoded: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.append(byte)
            default: encoded.append(raw: "%" + [byte].hexadecimal.uppercased())
            }
        }
        return String(decoding: encoded, as: UTF8.self)
    }
}
