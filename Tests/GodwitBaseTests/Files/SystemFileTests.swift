//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import Testing

@Suite("Files of the system")
struct SystemFileTests {
    private func withPath(_ body: (String) throws -> Void) throws {
        let path = NSTemporaryDirectory() + "godwit-file-" + UUID().uuidString
        defer { unlink(path) }
        try body(path)
    }

    @Test("Written bytes can be read, in order and by offset")
    func readAndWrite() throws {
        try withPath { path in
            let file = try SystemFile(path, O_RDWR | O_CREAT | O_EXCL)
            try file.write(Array("hello".utf8))
            try file.write(Array(" world".utf8))
            try file.write(Array("J".utf8), at: 0)
            try file.flush()
            #expect(try file.byteCount() == 11)
            #expect(try file.read(5, at: 6) == Array("world".utf8))
            #expect(try file.read(100, at: 11) == [])
            let other = try SystemFile(path, O_RDONLY)
            #expect(try other.read(5) == Array("Jello".utf8))
            #expect(try other.read(100) == Array(" world".utf8))
            #expect(try other.read(100) == [])
            #expect(try other.status().st_mode & 0o777 == 0o600)
        }
    }

    @Test("A file is read from its beginning, up to a limit")
    func contents() throws {
        try withPath { path in
            #expect(throws: SystemError.isMissing) { try SystemFile.contents(of: path, countMax: 9) }
            let file = try SystemFile(path, O_WRONLY | O_CREAT | O_EXCL)
            #expect(try SystemFile.contents(of: path, countMax: 9) == [])
            let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            try file.write(bytes)
            #expect(try SystemFile.contents(of: path, countMax: .max) == bytes)
            for count in [0, 9, 65_536, 65_537, 200_000] {
                #expect(try SystemFile.contents(of: path, countMax: count) == Array(bytes.prefix(count)))
            }
        }
    }

    @Test("Errors are those of the system")
    func errors() throws {
        try withPath { path in
            #expect(throws: SystemError.isMissing) { try SystemFile(path, O_RDONLY) }
            let file = try SystemFile(path, O_WRONLY | O_CREAT | O_EXCL)
            #expect(throws: SystemError.isThere) { try SystemFile(path, O_WRONLY | O_CREAT | O_EXCL) }
            #expect(throws: SystemError(EBADF)) { try file.read(1) }
            #expect("\(SystemError.isMissing)" == "No such file or directory")
        }
    }

    @Test("A full disk is an error", .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func fullDisk() throws {
        let full = try SystemFile("/dev/full", O_WRONLY)
        #expect(throws: SystemError.diskFull) { try full.write([1]) }
    }

    @Test("A lock has one holder, until it is released or the file is closed")
    func locks() throws {
        try withPath { path in
            let first = try SystemFile(path, O_RDWR | O_CREAT)
            var second: SystemFile? = try SystemFile(path, O_RDWR)
            #expect(try first.lock())
            #expect(try second?.lock() == false)
            first.unlock()
            #expect(try second?.lock() == true)
            #expect(try !first.lock())
            second = nil
            #expect(try first.lock())
        }
    }
}
