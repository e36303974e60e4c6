//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Numbers in as few bytes as they need, seven bits in each, and bytes after their length.
struct ByteCoding {
    private let source: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { source = bytes }

    /// Whether everything was read.
    var isAtEnd: Bool { position == source.count }

    static func append(_ number: UInt64, to bytes: inout [UInt8]) {
        var rest = number
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    /// The next number; `nil` when there is none.
    mutating func number() -> UInt64? {
        var number: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) {
            guard position < source.count else { return nil }
            let byte = source[position]
            position += 1
            number |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return number }
        }
        return nil
    }

    /// The next bytes after their length; `nil` when they are not all there.
    mutating func bytes() -> [UInt8]? {
        guard let count = number(), count <= UInt64(source.count - position) else { return nil }
        defer { position += Int(count) }
        return Array(source[position..<position + Int(count)])
    }
}
