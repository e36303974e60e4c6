//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The names of functions in last words.
///
/// The loader knows only the exported functions of a program. The names of the others are in the symbol table of its
/// file, if the file was not stripped. A signal handler must not read the file, so it writes offsets, and the next
/// process of the same file finds the names (System V ABI, "Object Files"; 64 bits, little endian).
enum FunctionNames {
    private static let executable = "/proc/self/exe"
    private static let symbolBytes = 24
    /// The largest symbol table and table of names that are read, in bytes.
    private static let tableBytesMax = 256 << 20

    /// Identifies the file of this program: its size and the time of its last change. Empty if it is unknown.
    static var identity: [Int64] {
        guard let status = try? SystemFile(executable, O_RDONLY).status() else { return [] }
        return [Int64(status.st_size), Int64(status.contentChangeTime.tv_sec)]
    }

    /// Returns readable names: offsets in this program are replaced by names, and names of Swift are demangled.
    static func readable(_ functions: [String]) -> [String] {
        // Bounded: a text is parsed.
        let offsets = functions.map { $0.utf8.first == UInt8(ascii: "+") ? UInt64($0.dropFirst(), radix: 16) : nil }
        let names = offsets.contains { $0 != nil } ? (try? symbols(at: offsets.compactMap(\.self))) ?? [:] : [:]
        return zip(functions, offsets).map { function, offset in
            demangled(offset.flatMap { names[$0] } ?? function)
        }
    }

    /// Finds the functions at offsets in the symbol table of the program.
    private static func symbols(at offsets: [UInt64]) throws(SystemError) -> [UInt64: String] {
        let file = try SystemFile(executable, O_RDONLY)
        let head = try file.read(64, at: 0)
        guard head.count == 64, head.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]) else { return [:] }
        let (start, size, count) = (head.number(40, 8), head.number(58, 2), head.number(60, 2))
        guard size == 64 else { return [:] }
        func section(_ index: Int) throws(SystemError) -> [UInt8] {
            try file.read(64, at: start.addingSaturated(index.multipliedSaturated(by: size)))
        }
        for index in 0..<count {
            let table = try section(index)
            // A section of the type 2 is a symbol table, and refers to the section with its names.
            guard table.count == 64, table.number(4, 4) == 2 else { continue }
            let names = try contents(of: try section(table.number(40, 4)), in: file)
            return functions(at: offsets, in: try contents(of: table, in: file), names: names)
        }
        return [:]
    }

    private static func contents(of section: [UInt8], in file: SystemFile) throws(SystemError) -> [UInt8] {
        guard section.count == 64, section.number(32, 8) <= tableBytesMax else { return [] }
        return try file.read(section.number(32, 8), at: section.number(24, 8))
    }

    private static func functions(at offsets: [UInt64], in table: [UInt8], names: [UInt8]) -> [UInt64: String] {
        var found: [UInt64: String] = [:]
        for entry in stride(from: 0, through: table.count - symbolBytes, by: symbolBytes)
        where table[entry + 4] & 15 == 2 {
            let (start, size) = (table.number(entry + 8, 8), table.number(entry + 16, 8))
            for offset in offsets where found[offset] == nil {
                let distance = Int(clamping: offset).subtractingSaturated(start)
                guard distance >= 0, distance < size else { continue }
                found[offset] = String(
                    decoding: names.dropFirst(table.number(entry, 4)).prefix { $0 != 0 }, as: UTF8.self)
            }
            if found.count == offsets.count { break }
        }
        return found
    }

    private static func demangled(_ name: String) -> String {
        guard name.utf8.first == UInt8(ascii: "$"),
            let text = swift_demangle(name, UInt(clamping: name.utf8.count), nil, nil, 0)
        else {
            return name
        }
        defer { free(text) }
        return String(cString: text)
    }
}

@_silgen_name("swift_demangle")
private func swift_demangle(
    _ name: UnsafePointer<CChar>, _ length: UInt, _ output: UnsafeMutablePointer<CChar>?,
    _ outputSize: UnsafeMutablePointer<UInt>?, _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

extension [UInt8] {
    /// The number in little-endian order at an offset; at most `Int.max`, and 0 if the bytes do not exist.
    fileprivate func number(_ offset: Int, _ count: Int) -> Int {
        guard offset >= 0, offset <= self.count - count else { return 0 }
        return Int(clamping: self[offset..<offset + count].reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) })
    }
}
