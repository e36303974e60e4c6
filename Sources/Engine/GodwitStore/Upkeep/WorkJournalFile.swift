//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CBase
import GodwitBase
import GodwitFoundation

/// The file of a ``WorkJournal``: a head, and a table of slots of fixed size, one for each work.
///
/// A slot is written by one system call when a work begins and when it ends. The data reaches the file's pages in
/// memory at once, so it survives the end of the process, and is not flushed to disk. The file also contains the last
/// words of a process that a fault ended. The content may come from anywhere, for example from a copied directory, so
/// each value is checked when it is read.
final class WorkJournalFile: Sendable {
    /// The file's name in the directory of the databases.
    static let name = "background-work"

    /// The maximum number of works that are recorded at the same time. Further works run without a record.
    static let slotsMax = 1_000

    private static let magic = Array("GODWORK1".utf8)
    private static let isCleanOffset = 8
    private static let saltRange = 16..<48
    private static let programOffset = 48
    private static let aliveOffset = 64
    private static let wordsOffset = 1_024
    private static let headBytes = 4_096
    private static let slotBytes = 256
    private static let nameBytesMax = 200

    /// The content of a slot.
    struct Slot: Equatable {
        enum State: UInt8 {
            case free
            /// The work is running.
            case running
            /// The work was running when an earlier process ended.
            case suspect
            /// The work is not started until an administrator says so.
            case held
        }

        var state = State.free
        /// The number of processes in a row that ended while the work was running.
        var endCount: UInt8 = 0
        /// The time when the work began, in seconds since 1970.
        var began: Int64 = 0
        /// Identifies the work, even if the name is shortened or not stored.
        var digest: [UInt8] = Array(repeating: 0, count: WorkJournalFile.digestBytes)
        /// The name; empty in an encrypted directory.
        var name = ""
    }

    static let digestBytes = 32

    private let path: String
    private let file: SystemFile
    let salt: [UInt8]

    /// The content that an earlier process left in the file.
    struct Content {
        /// Whether the process closed the file.
        var isClean = true
        /// The last words of the process; empty when it wrote none.
        var lastWords: [String] = []
        var slots: [Slot] = []
        fileprivate var salt: [UInt8] = []

        /// The signal that ended the process; `nil` without last words.
        var signal: String? { lastWords.first }
        /// The time of the signal, in seconds since 1970.
        var signalSeconds: Int64? { lastWords.count > 1 ? Int64(lastWords[1]) : nil }
        /// The last time at which the process recorded that it was running, in seconds since 1970.
        var aliveSeconds: Int64 = 0

        /// The functions of the thread, with readable names if the program is the same.
        var functions: [String] {
            let names = Array(lastWords.dropFirst(2))
            return program == FunctionNames.identity ? FunctionNames.readable(names) : names
        }
        /// Identifies the program of the process.
        fileprivate var program: [Int64] = []
    }

    let content: Content

    /// Opens the file. Creates it if it is absent or has another format.
    init(directory: String) throws(SystemError) {
        path = "\(directory)/\(WorkJournalFile.name)"
        file = try SystemFile(path, O_RDWR | O_CREAT)
        let earlier = try WorkJournalFile.content(of: file)
        content = earlier ?? Content()
        salt = earlier?.salt ?? .random(count: WorkJournalFile.saltRange.count)
        try writeHead(isClean: false)
        if earlier == nil { try write(Slot(), at: WorkJournalFile.slotsMax - 1) }
    }

    /// Reads the file of a directory, and changes nothing.
    ///
    /// - Returns: `nil` when the directory has no such file, or the file has another format.
    static func content(in directory: String) -> Content? {
        guard let file = try? SystemFile("\(directory)/\(name)", O_RDONLY) else { return nil }
        return try? content(of: file)
    }

    private static func content(of file: SystemFile) throws(SystemError) -> Content? {
        let head = try file.readFully(headBytes, at: 0)
        guard head.count == headBytes, head.starts(with: magic) else { return nil }
        let words = head[wordsOffset...].prefix(Int(LAST_WORDS_BYTES_MAX)).prefix { $0 != 0 }
        let table = try file.readFully(slotsMax * slotBytes, at: headBytes)
        return Content(
            isClean: head[isCleanOffset] == 1,
            lastWords: words.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) },
            slots: stride(from: 0, through: table.count - slotBytes, by: slotBytes)
                .map { Slot(parsing: table[$0..<$0 + slotBytes]) },
            salt: Array(head[saltRange]), aliveSeconds: head.number(at: aliveOffset),
            program: [head.number(at: programOffset), head.number(at: programOffset + 8)])
    }

    private func writeHead(isClean: Bool) throws(SystemError) {
        var head = [UInt8](repeating: 0, count: WorkJournalFile.headBytes)
        head.replaceSubrange(0..<WorkJournalFile.magic.count, with: WorkJournalFile.magic)
        head[WorkJournalFile.isCleanOffset] = isClean ? 1 : 0
        head.replaceSubrange(WorkJournalFile.saltRange, with: salt)
        head.setNumber(WorkJournalFile.now, at: WorkJournalFile.aliveOffset)
        for (index, number) in FunctionNames.identity.enumerated() {
            head.setNumber(number, at: WorkJournalFile.programOffset + 8 * index)
        }
        try file.write(head, at: 0)
    }

    private static var now: Int64 { Int64(saturating: Date().timeIntervalSince1970) }

    /// Records that the process is running.
    func recordAlive() {
        var bytes = [UInt8](repeating: 0, count: 8)
        bytes.setNumber(WorkJournalFile.now, at: 0)
        try? file.write(bytes, at: WorkJournalFile.aliveOffset)
    }

    /// Lets the process write its last words into the file when a fault ends it. A process has one such file.
    func keepLastWords() { _ = last_words_keep(path, Int64(WorkJournalFile.wordsOffset)) }

    /// Records that the process ends in order.
    func close() { try? writeHead(isClean: true) }

    /// Writes a slot.
    func write(_ slot: Slot, at index: Int) throws(SystemError) {
        invariant((0..<WorkJournalFile.slotsMax).contains(index), "a slot is in the table")
        try file.write(
            slot.bytes(WorkJournalFile.slotBytes, nameBytesMax: WorkJournalFile.nameBytesMax),
            at: WorkJournalFile.headBytes + index * WorkJournalFile.slotBytes)
    }
}

extension WorkJournalFile.Slot {
    private static let digestOffset = 16
    private static let nameOffset = 48

    /// Reads a slot. A slot with an invalid value is free.
    fileprivate init(parsing bytes: ArraySlice<UInt8>) {
        let bytes = Array(bytes)
        guard let state = State(rawValue: bytes[0]), state != .free else { return }
        self.state = state
        endCount = bytes[2]
        began = bytes.number(at: 8)
        digest = Array(bytes[Self.digestOffset..<Self.nameOffset])
        name = String(decoding: bytes[Self.nameOffset...].prefix(Int(bytes[3])), as: UTF8.self)
    }

    fileprivate func bytes(_ count: Int, nameBytesMax: Int) -> [UInt8] {
        invariant(digest.count == Self.nameOffset - Self.digestOffset, "a digest fits exactly into its slot")
        var bytes = [UInt8](repeating: 0, count: count)
        let nameBytes = Array(name.utf8.prefix(nameBytesMax))
        (bytes[0], bytes[2], bytes[3]) = (state.rawValue, endCount, UInt8(clamping: nameBytes.count))
        bytes.setNumber(began, at: 8)
        bytes.replaceSubrange(Self.digestOffset..<Self.nameOffset, with: digest)
        bytes.replaceSubrange(Self.nameOffset..<Self.nameOffset + nameBytes.count, with: nameBytes)
        return bytes
    }
}

extension [UInt8] {
    /// The number of eight bytes in big-endian order at an offset.
    fileprivate func number(at offset: Int) -> Int64 {
        Int64(bitPattern: self[offset..<offset + 8].reduce(0) { $0 << 8 | UInt64($1) })
    }

    fileprivate mutating func setNumber(_ number: Int64, at offset: Int) {
        for index in 0..<8 { self[offset + index] = UInt8(truncatingIfNeeded: number >> (56 - 8 * index)) }
    }
}

extension SystemFile {
    /// The bytes that start at an offset: `count` bytes, or fewer at the end of the file.
    fileprivate func readFully(_ count: Int, at byteOffset: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count {
            let piece = try read(count - bytes.count, at: byteOffset + bytes.count)
            guard !piece.isEmpty else { break }
            bytes += piece
        }
        return bytes
    }
}
