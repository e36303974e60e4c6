//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitTransport

/// The path and query of a request.
struct ModelTarget {
    let segments: [String]
    var query: [String: String] = [:]

    init(_ url: String) {
        let parts = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        // `http://peer/db/…`
        segments = parts[0].split(separator: "/").dropFirst(3).map { ModelTarget.decoded($0) }
        for pair in parts.count > 1 ? parts[1].split(separator: "&") : [] {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            query[String(sides[0])] = ModelTarget.decoded(sides[1])
        }
    }

    private static func decoded(_ text: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)!)
            rest = rest.dropFirst(2)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A body in two pieces, or one that ends with an error.
struct CutBody: AsyncSequence, Sendable {
    let bytes: [UInt8]
    let at: Int?

    func makeAsyncIterator() -> Iterator { Iterator(body: self) }

    struct Iterator: AsyncIteratorProtocol {
        let body: CutBody
        var position = 0

        mutating func next() async throws -> [UInt8]? {
            if let cut = body.at, position >= cut || position >= body.bytes.count {
                throw ReplicationError(.network, "the connection was lost")
            }
            guard position < body.bytes.count else { return nil }
            let end = Swift.min(body.bytes.count, position + Swift.max(1, body.bytes.count / 2), body.at ?? Int.max)
            defer { position = end }
            return Array(body.bytes[position..<end])
        }
    }
}
