//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import HTTPTypes

/// The routes `_revs_diff` and `_missing_revs`. A replicator sends a list of revisions, and these routes report which
/// of them the database does not have.
struct RevisionsRoutes {
    let server: ServerContext

    var routes: [Route] {
        [
            Route(.post, "/{db}/_revs_diff", access: .database(.read), handler: difference),
            Route(.post, "/{db}/_missing_revs", access: .database(.read), handler: missing),
        ]
    }

    @Sendable private func difference(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        let requested = try await context.request.collectRevisions(limits: server.limits, datastore: datastore)
        let missing = try await RevisionsRoutes.missing(requested, in: datastore)
        try await context.response.sendJSON(body: RevisionsRoutes.text(of: missing))
    }

    /// Handles `_missing_revs`, the older form of `_revs_diff`.
    @Sendable private func missing(_ context: RequestContext) async throws {
        let datastore = try await context.datastore()
        let requested = try await context.request.collectRevisions(limits: server.limits, datastore: datastore)
        var missingByID = JSONObject()
        for document in try await RevisionsRoutes.missing(requested, in: datastore) {
            missingByID[document.id] = .array(document.missing.map { .string($0.description) })
        }
        try await context.response.sendJSON(body: (["missing_revs": .object(missingByID)] as JSONValue).line)
    }

    /// Returns the requested revisions that the database does not have. The revisions are looked up in slices.
    private static func missing(
        _ requested: [(id: String, revisions: [RevisionID])], in datastore: Datastore
    ) async throws -> [MissingRevisions] {
        var missingRevisions: [MissingRevisions] = []
        var yielder = LoopYielder()
        var slices = LookupSlices(requested)
        while let slice = slices.next() {
            for (_, revisions) in slice { yielder.meter?.spend(stepsPerLookUp + revisions.count * stepsPerRevision) }
            try yielder.meter.check(document: slice.last?.id)
            missingRevisions += try datastore.missing(slice)
            if yielder.isOver { await yielder.next() }
        }
        return missingRevisions.joined
    }

    /// The work of looking up a document, in steps of the work meter.
    private static let stepsPerLookUp = 500
    /// The additional work of looking up each revision of the document, in steps of the work meter.
    private static let stepsPerRevision = 200

    private static func text(of missing: [MissingRevisions]) -> [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "{")]
        for (index, document) in missing.enumerated() {
            if index > 0 { text.append(UInt8(ascii: ",")) }
            JSONWriter.appendQuoted(document.id, to: &text)
            text.append(raw: ":{\"missing\":[\(list(document.missing))]")
            if !document.possibleAncestors.isEmpty {
                text.append(raw: ",\"possible_ancestors\":[\(list(document.possibleAncestors))]")
            }
            text.append(UInt8(ascii: "}"))
        }
        text.append(raw: "}\n")
        return text
    }

    private static func list(_ revisions: [RevisionID]) -> String {
        revisions.map { "\"\($0)\"" }.joined(separator: ",")
    }
}

/// Divides requested revisions into slices. Each slice is looked up without a pause.
private struct LookupSlices {
    /// The maximum number of documents in a slice.
    private static let documentsMax = 100
    /// The maximum number of revisions in a slice.
    private static let revisionsMax = 1_000

    private var remaining: ArraySlice<(id: String, revisions: [RevisionID])>
    /// The revisions of a document can be divided between slices. This is the number of revisions of the first
    /// remaining document that are already in earlier slices.
    private var usedRevisionCount = 0

    init(_ requested: [(id: String, revisions: [RevisionID])]) { remaining = requested[...] }

    /// Returns the next slice; `nil` after the last slice.
    mutating func next() -> [(id: String, revisions: [RevisionID])]? {
        guard !remaining.isEmpty else { return nil }
        var slice: [(id: String, revisions: [RevisionID])] = []
        var freeCount = LookupSlices.revisionsMax
        while freeCount > 0, slice.count < LookupSlices.documentsMax, let (id, revisions) = remaining.first {
            guard usedRevisionCount > 0 || revisions.count > freeCount else {
                slice.append((id, revisions))
                freeCount -= revisions.count
                remaining.removeFirst()
                continue
            }
            let part = Array(revisions.dropFirst(usedRevisionCount).prefix(freeCount))
            slice.append((id, part))
            (freeCount, usedRevisionCount) = (freeCount - part.count, usedRevisionCount + part.count)
            guard usedRevisionCount == revisions.count else { break }
            usedRevisionCount = 0
            remaining.removeFirst()
        }
        return slice
    }
}

extension [MissingRevisions] {
    /// The elements, with adjacent elements of the same document merged.
    fileprivate var joined: [MissingRevisions] {
        reduce(into: []) { joined, missing in
            guard let last = joined.last, last.id.isIdenticalText(to: missing.id) else {
                return joined.append(missing)
            }
            // The possible ancestors are the leaves with smaller numbers than the highest missing revision. Therefore
            // the longer of the two lists contains all elements of the shorter one.
            let ancestors = [last.possibleAncestors, missing.possibleAncestors].max { $0.count < $1.count } ?? []
            joined[joined.count - 1] = MissingRevisions(
                id: missing.id, missing: last.missing + missing.missing, possibleAncestors: ancestors)
        }
    }
}

extension ServerRequest {
    /// Reads the body, an object that maps document ids to lists of revisions.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when the body does not have this form, or when the database is
    ///   partitioned and an id is invalid; errors of reading the body.
    func collectRevisions(
        limits: ServerLimits, datastore: Datastore
    ) async throws -> [(id: String, revisions: [RevisionID])] {
        let tape = try await collectJSON(limits: limits, depthMax: datastore.limits.depthMax)
        guard tape.kind(0) == .object else { throw HTTPFailure.badRequest("Request body must be a JSON object") }
        var requested: [(id: String, revisions: [RevisionID])] = []
        var yielder = LoopYielder()
        for (key, value) in tape.members(of: 0) {
            guard tape.kind(value) == .array else {
                throw HTTPFailure.badRequest("the value of each document id must be a list of revisions")
            }
            var revisions: [RevisionID] = []
            revisions.reserveCapacity(tape.count(of: value))
            for item in tape.elements(of: value) {
                guard tape.kind(item) == .string, let revision = RevisionID(tape.string(item)) else {
                    throw HTTPFailure.badRequest("Invalid rev format")
                }
                revisions.append(revision)
                yielder.meter?.spend(readingBytes: 0)
                try yielder.meter.check()
                if yielder.isOver { await yielder.next() }
            }
            let id = tape.string(key)
            if datastore.isPartitioned { try PartitionedID.check(id) }
            requested.append((id, revisions))
        }
        return requested
    }
}
