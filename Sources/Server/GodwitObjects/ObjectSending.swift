//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import GodwitTransport
import HTTPTypes

/// Sends the response to a request that reads an object. The response contains the object or a range of it, or it
/// reports that a condition is not met.
struct ObjectSending {
    let context: RequestContext
    let object: PinnedObject
    /// The entity tag as the protocol writes it in the header `ETag`.
    var tagHeader: String
    var headers: HTTPFields

    private var record: ObjectRecord { object.record }
    private var byteCount: Int { record.byteCount }

    /// Sends the response to a GET or HEAD of an object.
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/preconditionFailed``; ``HTTPFailure`` with status 416; the
    ///   error of ``StoredContent/check(_:)``.
    func send() async throws {
        let request = context.request
        try StoredContent.check(request)
        var headers = headers
        // The response contains only the header `Cache-Control` that the client stored with the object, not the
        // server's own header.
        context.response.omitCacheControl()
        headers[.eTag] = tagHeader
        headers[.lastModified] = HTTPDate.text(record.modified / 1_000)
        headers[.acceptRanges] = "bytes"
        let type = headers[.contentType] ?? record.properties.contentType
        for field in context.headers(ofStored: type) { headers[field.name] = field.value }
        guard try !isUnchanged(request) else {
            // Headers that describe a body are removed, because the response has no body.
            for name in headers.map(\.name) where ObjectSending.isOfBody(name) { headers[name] = nil }
            return try await context.response.sendEmpty(.notModified, headers: headers)
        }
        let range = try requestedRange(request)
        if let range { headers[.contentRange] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(byteCount)" }
        let served = range ?? 0..<byteCount
        var bytes = object.read(served).makeAsyncIterator()
        // The first bytes are read before the response begins. If they are damaged, the status of the response can
        // still report this.
        var next = try await context.response.isHead ? nil : bytes.next()
        try await context.response.begin(
            range == nil ? .ok : .partialContent,
            contentType: type, headers: headers, length: served.count)
        guard !context.response.isHead else { return }
        while let piece = next {
            try await context.response.write(piece)
            next = try await bytes.next()
        }
        try await context.response.finish()
    }

    private static func isOfBody(_ name: HTTPField.Name) -> Bool {
        name == .contentType || name == .contentEncoding || name.canonicalName.begins(with: "x-amz-checksum-")
    }

    // MARK: Conditions

    /// Whether the client already has the current object, according to the conditions of the request (RFC 9110, section
    /// 13.2.2).
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/preconditionFailed``.
    private func isUnchanged(_ request: ServerRequest) throws(ObjectError) -> Bool {
        let tag = record.entityTag
        let modified = record.modified / 1_000
        if let tags = request.header(.ifMatch) {
            guard EntityTags(tags).contains(tag) else { throw ObjectSending.failed }
        } else if let date = request.header(.ifUnmodifiedSince).flatMap(ObjectTime.seconds(ofDate:)), modified > date {
            throw ObjectSending.failed
        }
        if let tags = request.header(.ifNoneMatch) { return EntityTags(tags).contains(tag) }
        return request.header(.ifModifiedSince).flatMap(ObjectTime.seconds(ofDate:)).map { modified <= $0 } ?? false
    }

    private static var failed: ObjectError {
        ObjectError(.preconditionFailed, "At least one of the conditions of the request is not met.")
    }

    // MARK: Range

    /// Returns the requested range; `nil` if all bytes are to be sent. All bytes are sent if the request has no range,
    /// several ranges or a malformed header `Range`. They are also sent if the header `If-Range` contains another tag
    /// or time than the object has now.
    private func requestedRange(_ request: ServerRequest) throws(HTTPFailure) -> Range<Int>? {
        guard let header = request.header(.range), header.begins(with: "bytes="), isRangeCurrent(request) else {
            return nil
        }
        let bounds = Substring(header.utf8.dropFirst(6)).pieces(at: "-", omittingEmptySubsequences: false)
        guard bounds.count == 2, !header.includes(",") else { return nil }
        switch (Int(bounds[0]), Int(bounds[1])) {
        case (let first?, let last?) where first <= last:
            return try checked(first..<min(last, byteCount - 1) + 1, first)
        case (let first?, nil) where bounds[1].isEmpty: return try checked(first..<max(first, byteCount), first)
        case (nil, let count?) where bounds[0].isEmpty && count >= 0:
            guard count > 0 else { throw unsatisfiable }
            guard byteCount > 0 else { return nil }
            return max(0, byteCount - count)..<byteCount
        default: return nil
        }
    }

    private func checked(_ range: @autoclosure () -> Range<Int>, _ first: Int) throws(HTTPFailure) -> Range<Int> {
        guard first < byteCount else { throw unsatisfiable }
        return range()
    }

    private var unsatisfiable: HTTPFailure {
        var failure = HTTPFailure(
            .rangeNotSatisfiable, "InvalidRange",
            "The range begins at or after the end of the object, which has \(byteCount) bytes.")
        failure.headers[.contentRange] = "bytes */\(byteCount)"
        return failure
    }

    /// Whether the object has not changed since the client received a part of it. This is the case if the header
    /// `If-Range` contains the object's current tag or time (RFC 9110, section 13.1.5).
    private func isRangeCurrent(_ request: ServerRequest) -> Bool {
        guard let condition = request.header(.ifRange) else { return true }
        if let date = ObjectTime.seconds(ofDate: condition) { return record.modified / 1_000 == date }
        return !condition.begins(with: "W/") && EntityTags(condition).contains(record.entityTag)
    }
}

/// The entity tags of a conditional header.
struct EntityTags {
    /// The tags without quotation marks; `*` for all.
    let tags: [String]

    init(_ header: String) {
        tags = header.commaSeparatedItems.map { item in
            let tag = item.utf8.dropFirst(item.utf8.starts(with: "W/".utf8) ? 2 : 0)
            let quote = UInt8(ascii: "\"")
            let isQuoted = tag.count >= 2 && tag.first == quote && tag.last == quote
            return String(decoding: isQuoted ? tag.dropFirst().dropLast() : tag, as: UTF8.self)
        }
    }

    func contains(_ tag: String) -> Bool { tags.contains { $0 == "*" || $0.isIdenticalText(to: tag) } }
}

extension WriteCondition {
    /// Reads the condition of a request that writes or deletes an object: `If-Match`, `If-None-Match`, and
    /// `If-Unmodified-Since`, which has no effect together with `If-Match` (RFC 9110, section 13.2.2).
    ///
    /// - Throws: ``ObjectError`` with code ``ObjectError/Code/preconditionFailed`` for an invalid date. HTTP lets
    ///   servers ignore such a condition, but then the request would change what its client wanted to keep.
    init(_ request: ServerRequest) throws(ObjectError) {
        let excluded = request.header(.ifNoneMatch).map { EntityTags($0).tags } ?? []
        self.init(requiresAbsence: excluded.contains("*"), tags: request.header(.ifMatch).map { EntityTags($0).tags })
        otherTags = excluded
        guard tags == nil, let text = request.header(.ifUnmodifiedSince) else { return }
        guard let date = ObjectTime.seconds(ofDate: text) else {
            throw ObjectError(.preconditionFailed, "If-Unmodified-Since must be a date of HTTP.")
        }
        unmodifiedSince = date
    }

    /// Returns the name of the first header of a request that contains a condition of a write; `nil` if it has none.
    private static func header(in request: ServerRequest) -> String? {
        [HTTPField.Name.ifMatch, .ifNoneMatch, .ifUnmodifiedSince].first { request.header($0) != nil }?.rawName
    }

    /// Throws ``HTTPFailure`` with status 501 if a request contains a condition. Requests that change something else
    /// than one object have no entity tag with which a condition could be compared. If the condition were ignored, the
    /// request would change what its client wanted to keep.
    ///
    /// - Parameter error: The code of the error in the protocol.
    static func refuse(in request: ServerRequest, error: String = "Not Implemented") throws(HTTPFailure) {
        guard let header = header(in: request) else { return }
        throw HTTPFailure(.notImplemented, error, "\(header) is not supported for this request.")
    }
}
