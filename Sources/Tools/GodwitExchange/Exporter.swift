//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON
package import GodwitSelector
package import GodwitStore

/// Writes the documents of a database to a file, page by page, in the order of their ids.
///
/// The exporter writes the winning revisions of documents that are not deleted. Design documents are exported only in
/// the format JSON Lines.
package struct Exporter {
    /// The result of an export.
    package struct Report: Sendable {
        /// The number of documents that were written.
        package internal(set) var writtenCount = 0
        /// The number of documents that were not written because the format cannot contain them. GeoJSON cannot contain
        /// documents without a geometry. A table cannot contain documents with a geometry other than a point. GPX can only
        /// contain documents with a point or a line. Design documents are not counted.
        package internal(set) var leftOutCount = 0
        /// The number of documents that were not written because their geometry is invalid.
        package fileprivate(set) var badCount = 0
        /// The first documents with an invalid geometry, with the reasons.
        package fileprivate(set) var bad: [(id: String, reason: String)] = []
        /// The number of documents that were written without their attachments.
        package internal(set) var withoutAttachmentsCount = 0

        /// Whether no document has an invalid geometry.
        package var isComplete: Bool { badCount == 0 }

        /// The report as JSON.
        package var json: JSONObject {
            [
                "ok": .bool(isComplete), "bad_geometries": .integer(Int64(badCount)),
                "failures": .array(bad.map { ["id": .string($0.id), "reason": .string($0.reason)] }),
                "written": .integer(Int64(writtenCount)),
                "left_out": .integer(Int64(leftOutCount)),
                "without_attachments": .integer(Int64(withoutAttachmentsCount)),
            ]
        }
    }

    let store: any DocumentStore
    private let format: ExchangeFormat
    private let includesAttachments: Bool
    private let range: IDRange
    private let selector: Selector?
    let onProgress: (_ documents: Int) -> Void
    private let write: ([UInt8]) throws -> Void
    var report = Report()
    var output: [UInt8] = []

    /// Creates an exporter.
    ///
    /// - Parameters:
    ///   - store: The database.
    ///   - format: The format of the file.
    ///   - includesAttachments: Whether JSON Lines contain the attachments' bytes.
    ///   - range: The ids of the documents to export.
    ///   - selector: The selector that the documents must match; `nil` for all documents. The selector can test `_id`,
    ///     but no other member whose name begins with an underscore.
    ///   - onProgress: A closure that is called after each page with the number of documents that were read. For a
    ///     table, all documents are read twice, and the number begins again with 0. The same is true for GPX and the
    ///     documents of tracks and routes.
    ///   - write: A closure that is called with the bytes of the file, in order.
    package init(
        from store: any DocumentStore, as format: ExchangeFormat, includesAttachments: Bool = false,
        range: IDRange = IDRange(), selector: Selector? = nil,
        onProgress: @escaping (_ documents: Int) -> Void = { _ in }, write: @escaping ([UInt8]) throws -> Void
    ) {
        self.store = store
        self.format = format
        self.includesAttachments = includesAttachments
        self.range = range
        self.selector = selector
        self.onProgress = onProgress
        self.write = write
    }

    /// Exports the database.
    ///
    /// - Throws: ``StoreError``, or the error of `write`; ``ExchangeError`` if a table would have too many columns, or
    ///   a GPX file too many points of tracks and routes.
    package mutating func run() async throws -> Report {
        switch format {
        case .jsonl: try await forEachDocument { try await $0.appendLine($1) }
        case .geojson:
            output.append(raw: "{\"type\":\"FeatureCollection\",\"features\":[")
            try await forEachDocument { $0.appendFeature($1) }
            output.append(raw: "\n]}\n")
        case .csv: try await writeTable()
        case .gpx: try await writeGPX()
        }
        try flush()
        return report
    }

    /// Calls a closure for each document that the selector matches. Reads the documents in pages, and adapts the number
    /// of documents in a page to their size.
    ///
    /// - Parameter body: A closure that gets a document and returns its length in bytes.
    mutating func forEachDocument(_ body: (inout Exporter, Document) async throws -> Int) async throws {
        var range = range
        var (pageSize, count) = (PageSize(), 0)
        while true {
            let limit = pageSize.documents
            let page = try await store.documents(in: range, limit: limit, descending: false)
            var bytes = 0
            for document in page {
                guard matchesSelector(document) else {
                    bytes += document.bodyBytes
                    continue
                }
                bytes += try await body(&self, document)
                if output.count >= ExchangeLimits.writtenBytes { try flush() }
            }
            count += page.count
            onProgress(count)
            guard page.count == limit, let last = page.last?.id else { return }
            range.goOn(after: last, descending: false)
            pageSize.adapt(to: bytes, of: page.count)
        }
    }

    private func matchesSelector(_ document: Document) -> Bool {
        guard let selector else { return true }
        var members = document.body
        members["_id"] = document.id.map { .string($0) }
        return selector.matches(.object(members))
    }

    mutating func flush() throws {
        guard !output.isEmpty else { return }
        try write(output)
        output = []
    }

    // MARK: JSON Lines

    private mutating func appendLine(_ document: Document) async throws -> Int {
        var body = document.body
        body.removeValue(forKey: "_id")
        output.append(raw: "{\"_id\":")
        JSONWriter.appendQuoted(document.id ?? "", to: &output)
        try await appendAttachments(of: document)
        let members = JSONValue.object(body).jsonBytes()
        if members.count > 2 { output.append(UInt8(ascii: ",")) }
        output += members[1...]
        output.append(UInt8(ascii: "\n"))
        report.writtenCount += 1
        return members.count
    }

    private mutating func appendAttachments(of document: Document) async throws {
        guard !document.attachments.isEmpty else { return }
        guard includesAttachments else {
            report.withoutAttachmentsCount += 1
            return
        }
        var opening = ",\"_attachments\":{"
        for (name, attachment) in document.attachments {
            output += opening.utf8
            JSONWriter.appendQuoted(name, to: &output)
            output.append(raw: ":{\"content_type\":")
            JSONWriter.appendQuoted(attachment.contentType, to: &output)
            output.append(raw: ",\"data\":\"")
            try await appendBytes(of: attachment)
            output.append(raw: "\"}")
            opening = ","
        }
        output.append(UInt8(ascii: "}"))
    }

    /// Appends the bytes of an attachment in Base64. Each encoded piece has a multiple of three bytes, so that padding
    /// occurs only at the end of the attachment.
    private mutating func appendBytes(of attachment: Attachment) async throws {
        var pending: [UInt8] = []
        for try await piece in try await store.bytes(of: attachment, in: nil) {
            pending += piece
            let completeCount = pending.count - pending.count % 3
            Base64.append(pending[..<completeCount], to: &output)
            pending.removeFirst(completeCount)
            if output.count >= ExchangeLimits.writtenBytes { try flush() }
        }
        Base64.append(pending, to: &output)
    }

    // MARK: GeoJSON

    private mutating func appendFeature(_ document: Document) -> Int {
        guard !document.isDesign else { return document.bodyBytes }
        let location = DocumentLocation(of: document.body)
        guard location == .point || location == .shape else {
            leaveOut(document, location)
            return document.bodyBytes
        }
        let countBefore = output.count
        output.append(raw: report.writtenCount == 0 ? "\n" : ",\n")
        JSONWriter.append(.object(Feature.object(of: document)), to: &output)
        if !document.attachments.isEmpty { report.withoutAttachmentsCount += 1 }
        report.writtenCount += 1
        return output.count - countBefore
    }

    /// Counts a document that is not written, because the format cannot contain it or its geometry is invalid.
    mutating func leaveOut(_ document: Document, _ location: DocumentLocation) {
        guard case .bad(let reason) = location else {
            report.leftOutCount += 1
            return
        }
        report.badCount += 1
        if report.bad.count < ExchangeLimits.failuresListedMax { report.bad.append((document.id ?? "", reason)) }
    }

    // MARK: CSV

    /// Writes a table. The documents are read twice, because the first row names all columns.
    private mutating func writeTable() async throws {
        var table = CSVTable()
        try await forEachDocument { _, document in
            try table.addColumns(of: document)
            return document.bodyBytes
        }
        output += table.header
        try await forEachDocument { exporter, document in
            exporter.appendRow(document, table)
            return document.bodyBytes
        }
    }

    private mutating func appendRow(_ document: Document, _ table: CSVTable) {
        guard !document.isDesign else { return }
        let location = DocumentLocation(of: document.body)
        guard location.isPointOrNone else { return leaveOut(document, location) }
        output += table.row(of: document)
        if !document.attachments.isEmpty { report.withoutAttachmentsCount += 1 }
        report.writtenCount += 1
    }
}

/// The number of documents in a page, which depends on the size of the documents in the page before it.
struct PageSize {
    private(set) var documents = ExchangeLimits.pageDocumentsFirst

    mutating func adapt(to bytes: Int, of count: Int) {
        documents = min(
            max(1, count * ExchangeLimits.pageBytes / max(bytes, 1)), ExchangeLimits.pageDocumentsMax, documents * 2)
    }
}

extension Document {
    /// The length of the body in bytes of JSON.
    var bodyBytes: Int { JSONValue.object(body).jsonBytes().count }

    var isDesign: Bool { id.map(DocumentID.isDesign) ?? false }
}
