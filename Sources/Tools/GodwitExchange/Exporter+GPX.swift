//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore

extension Exporter {
    /// Writes a GPX file. First, all documents are read, and the waypoints are written. Then the documents of routes and
    /// tracks are read again in the order of their points.
    mutating func writeGPX() async throws {
        var order = GPXOrder()
        output.append(raw: GPXWriter.head)
        try await forEachDocument { exporter, document in
            guard let subject = exporter.subject(of: document) else { return document.bodyBytes }
            guard subject.trackPoint == nil else {
                try order.add(subject)
                return document.bodyBytes
            }
            GPXWriter.appendWaypoint(subject, to: &exporter.output)
            exporter.countWritten(document)
            return document.bodyBytes
        }
        order.sort()
        try await writeTracks(order)
        output.append(raw: GPXWriter.tail)
    }

    private mutating func writeTracks(_ order: GPXOrder) async throws {
        var writer = GPXWriter()
        var pageSize = PageSize()
        var start = 0
        while start < order.count {
            let end = min(order.count, start + pageSize.documents)
            var bytes = 0
            // A document may have been deleted or changed in the meantime.
            for document in try await store.documents(order.ids(start..<end)).compactMap(\.self) {
                bytes += document.bodyBytes
                guard let subject = subject(of: document) else { continue }
                guard subject.trackPoint != nil else {
                    report.leftOutCount += 1
                    continue
                }
                writer.append(subject, to: &output)
                countWritten(document)
                if output.count >= ExchangeLimits.writtenBytes { try flush() }
            }
            pageSize.adapt(to: bytes, of: end - start)
            start = end
            onProgress(start)
        }
        writer.endTrack(to: &output)
    }

    /// Returns the form of a document. If there is none, counts the document, unless it is a design document.
    private mutating func subject(of document: Document) -> GPXSubject? {
        guard !document.isDesign else { return nil }
        let location = DocumentLocation(of: document.body)
        guard let subject = GPXSubject(document, location) else {
            leaveOut(document, location)
            return nil
        }
        return subject
    }

    private mutating func countWritten(_ document: Document) {
        report.writtenCount += 1
        if !document.attachments.isEmpty { report.withoutAttachmentsCount += 1 }
    }
}
