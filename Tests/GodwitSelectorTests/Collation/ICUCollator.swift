//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import TestKit

@testable import GodwitSelector

/// ICU's root collation, which CouchDB uses, as the reference of ours. The library is loaded when a test needs it.
struct ICUCollator: @unchecked Sendable {
    /// The collator; `nil` if the machine has no ICU with the version of our table.
    static let root = (60..<100).lazy.compactMap(ICUCollator.init).first { $0.version == RootCollator.version }

    private typealias Open = @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<Int32>) -> OpaquePointer?
    private typealias GetVersion = @convention(c) (OpaquePointer, UnsafeMutablePointer<UInt8>) -> Void
    private typealias GetSortKey =
        @convention(c) (OpaquePointer, UnsafePointer<UInt16>, Int32, UnsafeMutablePointer<UInt8>?, Int32) -> Int32

    // ICU allows several threads to read a collator.
    private let collator: OpaquePointer
    private let getSortKey: GetSortKey
    private let version: String

    private init?(number: Int) {
        guard let library = ICULibrary("i18n", version: number),
            let open = library.function("ucol_open", Open.self),
            let getVersion = library.function("ucol_getVersion", GetVersion.self),
            let getSortKey = library.function("ucol_getSortKey", GetSortKey.self)
        else { return nil }
        var status: Int32 = 0
        guard let collator = open("", &status), status <= 0 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4)
        getVersion(collator, &bytes)
        self.collator = collator
        self.getSortKey = getSortKey
        version = bytes.map(String.init).joined(separator: ".")
    }

    /// Returns the sort key of a text in UTF-8, made stream-safe.
    func key(of text: [UInt8]) -> [UInt8] {
        let safe = text.withUnsafeBytes { CombiningMarks.streamSafe($0) } ?? text
        let units = Array(String(decoding: safe, as: UTF8.self).utf16)
        var key = [UInt8](repeating: 0, count: units.count * 4 + 16)
        let needed = Int(getSortKey(collator, units, Int32(units.count), &key, Int32(key.count)))
        if needed > key.count {
            key = [UInt8](repeating: 0, count: needed)
            _ = getSortKey(collator, units, Int32(units.count), &key, Int32(needed))
        }
        return Array(key.prefix(needed))
    }
}
