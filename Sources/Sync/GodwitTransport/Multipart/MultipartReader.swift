//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Reads a `multipart/related` or `multipart/mixed` body (RFC 2046) piece by piece, without doing input or output.
///
/// Append the bytes as they arrive, in pieces of any size, and read events until ``next()`` returns `nil`:
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
/// A part ends at its delimiter; its `Content-Length` is ignored. A delimiter is recognized after a line break of CR
/// and LF, at the start of the body, and directly after the headers of a part. Blanks may follow the delimiter on its
/// line. Other text that starts like a delimiter belongs to the body. Headers may be folded, and their lines may end
/// with LF alone. A part without headers begins with the empty line that usually ends the headers. For a part that is
/// itself multipart, pass its body to another reader.
///
/// When all events of a piece are read, the reader buffers only bytes that may be the start of a delimiter, or the
/// incomplete headers of one part.
package struct MultipartReader: Sendable {
    /// The element of the grammar to which the byte at `position` belongs.
    enum State {
        /// The start of the entire body, or the start of a part's body. In both places, a delimiter needs no line break
        /// before it.
        case start, bodyStart
        case preamble, headers, body
        /// The closing delimiter was read, and ``MultipartEvent/end`` was not returned yet.
        case closing
        case ended
        case failed(MultipartError)
    }

    /// The result of one step.
    enum Step {
        case event(MultipartEvent)
        /// The step read bytes that cause no event. Another step is possible.
        case again
        /// More bytes are needed, or the body has ended.
        case starved
    }

    /// The limits of the reader.
    package let limits: MultipartLimits

    let delimiter: MultipartDelimiter
    var state = State.start
    /// The appended bytes.
    var buffer: [UInt8] = []
    /// The offset in `buffer` of the next byte to read. All bytes before the offset are read.
    var position = 0
    /// The headers of the current part that are read so far.
    var headers = MultipartHeaders()
    /// The size in bytes of the header lines that are read so far.
    var headerBytes = 0
    /// The number of bytes before the first delimiter.
    var preambleBytes = 0
    /// The number of parts that started.
    var parts = 0

    /// Creates a reader of one body.
    ///
    /// - Parameters:
    ///   - boundary: The boundary from the content type, without quotes: ``MediaType/boundary``.
    ///   - limits: The limits for headers, parts and the preamble.
    /// - Throws: ``MultipartError`` with code ``MultipartError/Code/invalidBoundary``.
    package init(boundary: String, limits: MultipartLimits = MultipartLimits()) throws(MultipartError) {
        delimiter = try MultipartDelimiter(boundary: boundary)
        self.limits = limits
    }

    /// The number of appended bytes that are not read yet.
    var waitingBytes: Int { buffer.count - position }

    /// Appends the next bytes of the body.
    ///
    /// Bytes after the closing delimiter are ignored.
    ///
    /// - Parameter bytes: Any number of bytes. Before each call, read all events of the earlier bytes with ``next()``,
    ///   so that the buffer does not grow.
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

    /// Returns the next event.
    ///
    /// - Returns: `nil` when more bytes are needed, and after ``MultipartEvent/end``.
    /// - Throws: ``MultipartError`` when the body is malformed or exceeds a limit. All further calls throw the same
    ///   error.
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

    /// Checks that the body is complete. Call it after all bytes are appended and all events are read.
    ///
    /// - Throws: ``MultipartError`` with code ``MultipartError/Code/incomplete`` when the closing delimiter is missing,
    ///   or the error that ``next()`` threw.
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
    /// Parses a complete body in memory.
    ///
    /// - Throws: ``MultipartError`` when the boundary is invalid, or the body is malformed, incomplete or exceeds a
    ///   default limit.
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
