//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore

/// Reads a JSON text with documents. In a long text, the long data of inline attachments is stored as it arrives, so
/// that memory never contains it.
struct DocumentTextReader {
    private let datastore: Datastore
    private let bytesMax: Int
    private var scanner: AttachmentDataScanner
    private var isScanning = false
    private var text: [UInt8] = []
    private var attachments = StreamedAttachments()
    /// The offset in the text of the data that arrives now.
    private var dataStart = 0
    private var upload: Upload?
    /// The greatest length of the text so far, in bytes.
    private var chargedBytes = 0

    /// An attachment that is being stored.
    private struct Upload {
        var bytes: AttachmentUpload
        var string = Base64Text()
        var decoder = Base64Decoder()
        var isInvalid = false
    }

    /// Creates a reader.
    ///
    /// - Parameter bytesMax: The maximum length of the text without the data that is stored, in bytes.
    init(_ shape: AttachmentDataScanner.Shape, for datastore: Datastore, bytesMax: Int) {
        self.datastore = datastore
        self.bytesMax = bytesMax
        scanner = AttachmentDataScanner(shape)
    }

    /// Reads a request's body.
    ///
    /// - Throws: ``HTTPFailure`` with status 413 when the text is too long; errors of the connection, the store and the
    ///   memory budget.
    @inline(never)
    mutating func read(_ request: ServerRequest, limits: ServerLimits) async throws {
        do {
            try await request.readUnpackedBody(bytesMax: limits.requestBytesMax) { try await append($0) }
            // A cancelled request ends before its body is parsed, because parsing the body takes longer than reading it.
            try Task.checkCancellation()
        } catch {
            await removeUpload()
            throw error
        }
    }

    private mutating func append(_ piece: [UInt8]) async throws {
        if isScanning {
            try await scan(piece)
        } else {
            text += piece
            if text.count > ServerLimits.unscannedBytesMax {
                isScanning = true
                let start = text
                text = []
                try await scan(start)
            }
        }
        guard text.count <= bytesMax else { throw HTTPFailure.tooLarge(bytesMax) }
        if text.count > chargedBytes {
            try WorkBudget.current?.take(bytes: (text.count - chargedBytes) * ServerLimits.tapeBytesPerByte)
            chargedBytes = text.count
        }
    }

    /// Removes the bytes of an attachment that did not arrive completely.
    private mutating func removeUpload() async {
        // If this removal fails, the store removes the bytes later.
        try? await upload?.bytes.drop()
        upload = nil
        datastore.endUploads(attachments.blobs)
    }

    /// Scans the complete text. After the write of the documents, the caller must end the uploads of the attachments.
    func scanned(depthMax: Int) throws -> (tape: JSONTape, attachments: StreamedAttachments) {
        do {
            return (try ServerRequest.tape(scanning: text, depthMax: depthMax), attachments)
        } catch {
            datastore.endUploads(attachments.blobs)
            throw error
        }
    }

    private mutating func scan(_ piece: [UInt8]) async throws {
        var position = 0
        while let part = piece.withUnsafeBufferPointer({ scanner.next(in: $0, at: &position) }) {
            switch part {
            case .text(let range): text += piece[range]
            case .dataStart:
                dataStart = text.count - 1
                assert(upload == nil && text.last == UInt8(ascii: "\""), "data begins after its quotation mark")
            case .data(let range): try await appendData(piece[range])
            case .dataEnd: try await endData()
            }
        }
    }

    private mutating func appendData(_ piece: ArraySlice<UInt8>) async throws {
        guard upload == nil else { return try await store(piece) }
        text += piece
        let held = text[(dataStart + 1)...]
        guard held.count > ServerLimits.inlineDataBytesMax else { return }
        upload = Upload(bytes: datastore.upload())
        let digits = Array(held)
        text.removeSubrange((dataStart + 1)...)
        try await store(digits[...])
    }

    private mutating func store(_ piece: ArraySlice<UInt8>) async throws {
        guard var current = upload else { return }
        // Bytes that a string must not contain stay in the text, so that scanning the text fails.
        let digits = current.string.digits(of: piece, rejected: &text)
        if !current.isInvalid {
            if let bytes = current.decoder.append(digits) {
                if !bytes.isEmpty { try await current.bytes.append(bytes) }
            } else {
                current.isInvalid = true
                try await current.bytes.drop()
            }
        }
        upload = current
    }

    private mutating func endData() async throws {
        guard var current = upload else { return }
        assert(text[dataStart] == UInt8(ascii: "\""), "the string of stored data stays in the text")
        text += current.string.escape
        if !current.isInvalid, let bytes = current.decoder.finish() {
            try await current.bytes.append(bytes)
            attachments[dataStart] = .stored(try await current.bytes.finish())
        } else {
            try await current.bytes.drop()
            attachments[dataStart] = .invalid
        }
        upload = nil
    }
}

/// The digits in the JSON string of an attachment's data, which arrives in pieces.
private struct Base64Text {
    /// A byte that is no digit.
    private static let noDigit = UInt8(ascii: "\\")

    /// The bytes of an escape that is not complete yet.
    private(set) var escape: [UInt8] = []

    /// Returns the digits without white space and escapes. As in CouchDB, white space between digits is ignored.
    ///
    /// - Parameter rejected: Receives the bytes that make the string invalid.
    mutating func digits(of piece: ArraySlice<UInt8>, rejected: inout [UInt8]) -> [UInt8] {
        var digits: [UInt8] = []
        digits.reserveCapacity(piece.count)
        for byte in piece {
            if !escape.isEmpty {
                escape.append(byte)
                guard let character = unescaped(rejected: &rejected) else { continue }
                escape.removeAll()
                if !Self.isSpace(character) { digits.append(character) }
            } else if byte == UInt8(ascii: "\\") {
                escape = [byte]
            } else if byte < 0x20 {
                rejected.append(byte)
            } else if byte >= 0x80 {
                // The text must be valid UTF-8 also here. If it is, the data is not Base64.
                rejected.append(byte)
                digits.append(Self.noDigit)
            } else if byte != UInt8(ascii: " ") {
                digits.append(byte)
            }
        }
        return digits
    }

    /// The character of a complete escape; `nil` if more bytes must follow. A character that is no digit and no white
    /// space makes the data invalid.
    private func unescaped(rejected: inout [UInt8]) -> UInt8? {
        switch escape[1] {
        case UInt8(ascii: "/"): return escape[1]
        case UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"): return UInt8(ascii: " ")
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "b"), UInt8(ascii: "f"): return Self.noDigit
        case UInt8(ascii: "u"):
            guard escape.count == 6 else { return nil }
            let code = escape.dropFirst(2).reduce(Int?(0)) { code, digit in
                guard let code, let value = Hexadecimal.value(of: digit) else { return nil }
                return code << 4 | Int(value)
            }
            guard let code else { break }
            return UInt8(exactly: code) ?? Self.noDigit
        default: break
        }
        rejected += escape
        return Self.noDigit
    }

    private static func isSpace(_ byte: UInt8) -> Bool { " \t\r\n".utf8.contains(byte) }
}
