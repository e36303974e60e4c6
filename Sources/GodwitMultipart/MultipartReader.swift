//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads a `multipart/related` or `multipart/mixed` body (RFC 2046) piece by piece, without input or output.
///
/// Hand it bytes as they come, in pieces of any size, and take events until there are none:
///
/// ```swift
/// var reader = try MultipartReader(boundary: boundary)
/// for try await piece in body {
///     reader.append(piece)
///     while let event = try reader.next() {
///         switch event {
///         case .headers(let headers): print(headers.filename ?? "the document")
///         case .body(let bytes): try await upload.append(bytes)
///         case .partEnd, .end: break
///         }
///     }
/// }
/// try reader.finish()
/// ```
///
/// A part ends at its delimiter; its `Content-Length` is not believed. A delimiter is found behind a line break of CR
/// and LF, at the start of the body, and directly behind the headers of a part; blanks may follow it on its line. Text
/// that merely begins like a delimiter belongs to the body. Headers may be folded, their lines may end with LF alone,
/// and an empty line ends them even where there are none. For a part that is itself multipart, give its body to another
/// reader.
///
/// Between two pieces the reader keeps what may be the beginning of a delimiter, or one line of headers.
package struct MultipartReader: Sendable {
    /// Where in the grammar the reader is: what the byte at `position` belongs to.
    enum State {
        /// A place where a delimiter needs no line break before it: the start of the whole, and of a part's body.
        case start, bodyStart
        case preamble, headers, body
        /// Behind the closing delimiter, which was not told of yet.
        case closing
        case ended
        case failed(MultipartError)
    }

    /// What came of one step.
    enum Step {
        case event(MultipartEvent)
        case again, starved
    }

    /// What the reader is held to.
    package let limits: MultipartLimits

    let delimiter: MultipartDelimiter
    var state = State.start
    /// The bytes handed over of which those from `position` on are not read yet.
    var buffer: [UInt8] = []
    var position = 0
    /// The headers of the part that begins, as far as they were read, and their bytes.
    var headers = MultipartHeaders()
    var headerBytes = 0
    var preambleBytes = 0
    /// The parts that began.
    var parts = 0

    /// Creates a reader of one body.
    ///
    /// - Parameters:
    ///   - boundary: The boundary that the content type names, without quotes: ``MediaType/boundary``.
    ///   - limits: How much there may be of what a sender chooses.
    /// - Throws: ``MultipartError`` with code ``MultipartError/Code/invalidBoundary``.
    package init(boundary: String, limits: MultipartLimits = MultipartLimits()) throws(MultipartError) {
        delimiter = try MultipartDelimiter(boundary: boundary)
        self.limits = limits
    }

    /// The bytes that were handed over and not yet told of in an event.
    var waitingBytes: Int { buffer.count - position }

    /// Hands over the next bytes of the body.
    ///
    /// - Parameter bytes: Any number of bytes. Take all events with ``next()`` first, so that nothing piles up.
    package mutating func append(_ bytes: [UInt8]) {
        if case .ended = state { return }
        if waitingBytes == 0 {
            buffer = bytes
        } else {
            buffer.removeSubrange(..<position)
            buffer += bytes
        }
        position = 0
    }

    /// Takes the next event.
    ///
    /// - Returns: `nil` when more bytes are needed, and behind ``MultipartEvent/end``.
    /// - Throws: ``MultipartError`` when the body is malformed or above a limit. The reader then stays at this error.
    package mutating func next() throws(MultipartError) -> MultipartEvent? {
        do {
            while true {
                switch try step() {
                case .event(let event): return event
                case .again: continue
                case .starved: return nil
                }
            }
        } catch {
            state = .failed(error)
            buffer = []
            position = 0
            throw error
        }
    }

    /// Checks that the body was complete, once all its bytes were handed over and all events taken.
    ///
    /// - Throws: ``MultipartError`` with code ``MultipartError/Code/incomplete`` when the closing delimiter is missing,
    ///   or the error at which the reader stays.
    package func finish() throws(MultipartError) {
        switch state {
        case .ended: return
        case .failed(let error): throw error
        default:
            throw MultipartError(
                .incomplete,
                "the multipart body ends before its closing delimiter, after the start of \(parts) parts. Send all "
                    + "of it, with CR and LF before each delimiter and with the boundary that the content type names."
            )
        }
    }
}

extension MultipartReader {
    /// Takes apart a body that is whole in memory.
    ///
    /// - Throws: ``MultipartError`` when it is malformed, incomplete or above a limit.
    package static func parts(
        of body: [UInt8], boundary: String
    ) throws(MultipartError) -> [(headers: MultipartHeaders, body: [UInt8])] {
        var reader = try MultipartReader(boundary: boundary)
        reader.append(body)
        var parts: [(headers: MultipartHeaders, body: [UInt8])] = []
        while let event = try reader.next() {
            switch event {
            case .headers(let headers): parts.append((headers, []))
            case .body(let bytes): parts[parts.count - 1].body += bytes
            case .partEnd, .end: break
            }
        }
        try reader.finish()
        return parts
    }
}
