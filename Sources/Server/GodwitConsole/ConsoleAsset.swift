//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CConsoleAssets
import Crypto
import GodwitBase

/// A file of the console that was embedded at build time.
struct ConsoleAsset {
    /// The file's bytes.
    let bytes: [UInt8]
    /// The entity tag, in quotes.
    let tag: String
    let contentType: String

    /// Finds a file by its path; `nil` when it does not exist.
    init?(_ name: String) {
        guard let asset = ConsoleAsset.all[name] else { return nil }
        self = asset
    }

    private init(_ bytes: [UInt8], name: String) {
        self.bytes = bytes
        let digest = SHA256.hash(data: bytes).prefix(8).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count < 2 ? "0" + digits : digits
        }
        tag = "\"\(digest.joined())\""
        contentType =
            name.ends(with: ".html")
            ? "text/html; charset=utf-8"
            : name.ends(with: ".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8"
    }

    private static let all: [String: ConsoleAsset] = {
        var all: [String: ConsoleAsset] = [:]
        var (index, size, start) = (0, 0, UnsafePointer<UInt8>?.none)
        while let name = console_asset(index, &start, &size) {
            let path = String(cString: name)
            all[path] = ConsoleAsset(Array(UnsafeBufferPointer(start: start, count: size)), name: path)
            index += 1
        }
        return all
    }()
}
