//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if os(Linux)
    import Foundation

    /// Searches the memory of this process.
    package enum ProcessMemory {
        /// Returns whether any writable memory contains these bytes. Each byte is passed xor 0xa5, so that the argument
        /// is not found.
        package static func holds(_ hidden: [UInt8]) throws -> Bool {
            let memory = try FileHandle(forReadingFrom: URL(filePath: "/proc/self/mem"))
            defer { try? memory.close() }
            let maps = String(decoding: try Data(contentsOf: URL(filePath: "/proc/self/maps")), as: UTF8.self)
            for line in maps.split(separator: "\n") where line.contains(" rw") {
                let ends = line.prefix { $0 != " " }.split(separator: "-").compactMap { UInt64($0, radix: 16) }
                guard ends.count == 2, contains(hidden, in: memory.fileDescriptor, from: ends[0], to: ends[1]) else {
                    continue
                }
                return true
            }
            return false
        }

        private static func contains(_ hidden: [UInt8], in memory: Int32, from start: UInt64, to end: UInt64) -> Bool {
            let size = 1 << 20
            var buffer = [UInt8](repeating: 0, count: size)
            // Erases the buffer, so that a later search does not find its content.
            defer { for index in buffer.indices { buffer[index] = 0 } }
            var current = start
            while current < end {
                let read = pread(memory, &buffer, Int(min(UInt64(size), end - current)), off_t(current))
                guard read >= hidden.count else { return false }
                let own = buffer.withUnsafeBytes { UInt64(UInt(bitPattern: $0.baseAddress)) }
                if let found = position(of: hidden, in: buffer[..<read]) {
                    let address = current + UInt64(found)
                    if !(own..<own + UInt64(size)).contains(address) { return true }
                }
                // The pieces overlap, so that matches across a boundary are found.
                current += UInt64(read == hidden.count ? read : read - hidden.count + 1)
            }
            return false
        }

        private static func position(of hidden: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
            bytes.withUnsafeBufferPointer { bytes in
                hidden.withUnsafeBufferPointer { hidden in
                    var current = 0
                    while current + hidden.count <= bytes.count {
                        if bytes[current] == hidden[0] ^ 0xa5,
                            (1..<hidden.count).allSatisfy({ bytes[current + $0] == hidden[$0] ^ 0xa5 })
                        {
                            return current
                        }
                        current += 1
                    }
                    return nil
                }
            }
        }
    }
#endif
