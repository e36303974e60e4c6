//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitSQLite
import GodwitSelector
import GodwitStore
import GodwitText

/// Reads the results of a plan in slices. A plan has one or more access paths. Each of them reads all documents, or
/// ranges of one index. The slices read one state of the database, as far as it can be kept; see `SliceReader`.
struct QueryCursor: Sendable {
    let plan: QueryPlan
    let slices: SliceReader
    /// The position up to which the results have been read.
    var position: QueryPosition
    var statistics = QueryStatistics()
    var isAtEnd = false
    private lazy var matcher = DocumentMatcher(plan)
    private let isCovered: Bool
    /// The minimum number of hits that are requested from a text index.
    private var textHitsMin = 25
    private var nearby: NearbyHits?
    /// Whether the last slice ended because the task should yield.
    private(set) var mustYield = false

    init(_ plan: QueryPlan, in datastore: Datastore, after position: QueryPosition? = nil) {
        self.plan = plan
        slices = SliceReader(datastore)
        self.position = position ?? .start
        isCovered = plan.isCovered
    }

    /// The remaining capacity of one slice.
    struct Room {
        var found: Int
        var rows: Int
        var bytes: Int
        /// The time at which the thread must yield, if testing a document can take long.
        var end: ContinuousClock.Instant?
        /// Counts the work; `nil` for unlimited work.
        let meter = WorkMeter()

        var isFull: Bool {
            found <= 0 || rows <= 0 || bytes <= 0 || meter?.isSliceOver == true
                || end.map { ContinuousClock.now > $0 } ?? false
        }
    }

    /// Returns the next documents, in the order of the access paths. The array can be empty although more documents
    /// follow.
    ///
    /// - Parameters:
    ///   - wanted: The maximum number of documents.
    ///   - bytesMax: The number of bytes of documents after which the slice ends.
    mutating func next(
        upTo wanted: Int, bytesMax: Int = QueryLimits.sliceBytesMax
    ) throws(StoreError) -> [FoundDocument] {
        guard !isAtEnd, wanted > 0 else { return [] }
        var room = room(for: wanted, bytesMax: bytesMax)
        if plan.prepared.selector.usesGeoConditions {
            room.end = ContinuousClock.now + .seconds(QueryLimits.geometrySliceSecondsMax)
        }
        return try slices.read { table, isLast in
            let found = try slice(table, room)
            // After the documents were sorted in memory, they are read again.
            isLast = !plan.sortsInMemory && (isAtEnd || found.count == wanted)
            return found
        }
    }

    /// The capacity of a slice with at most the given numbers of documents and of their bytes.
    func room(for wanted: Int, bytesMax: Int) -> Room {
        Room(found: wanted, rows: slices.datastore.limits.sliceRowsMax, bytes: bytesMax)
    }

    /// Returns the next documents. If the selector has geometric conditions, the documents are read on a separate
    /// thread, so that the evaluation does not block other work.
    mutating func nextOffloaded(
        upTo wanted: Int, bytesMax: Int = QueryLimits.sliceBytesMax
    ) async throws -> [FoundDocument] {
        guard plan.prepared.selector.usesGeoConditions else { return try next(upTo: wanted, bytesMax: bytesMax) }
        let (cursor, found) = try await BlockingPool.geometry.run { [self] in
            var cursor = self
            let found = try cursor.next(upTo: wanted, bytesMax: bytesMax)
            return (cursor, found)
        }
        self = cursor
        return found
    }

    private mutating func slice(_ table: DocumentTable, _ room: Room) throws -> [FoundDocument] {
        var room = room
        let search = try plan.textCheck.map { try $0.search(on: table.connection) }
        var found: [FoundDocument] = []
        while !room.isFull {
            let access = plan.accesses[position.access]
            guard try access.reading(table, { try read(access, table, search, &room, &found) }) else { continue }
            guard position.access + 1 < plan.accesses.count else {
                isAtEnd = true
                break
            }
            position = QueryPosition(access: position.access + 1, key: [], id: [])
        }
        invariant(room.found >= 0, "a slice has no more documents than were wanted")
        mustYield = room.meter?.isSliceOver == true
        statistics.resultsReturned += found.count
        return found
    }

    /// - Returns: Whether the access path has no more documents.
    private mutating func read(
        _ access: AccessPath, _ table: DocumentTable, _ search: TextSearch?, _ room: inout Room,
        _ found: inout [FoundDocument]
    ) throws -> Bool {
        switch access {
        case .documents(let access): try read(access, table, search, &room, &found)
        case .json(let access): try read(access, table, search, &room, &found)
        case .text(let access): try read(access, table, &room, &found)
        case .geo(let access): try read(access, table, search, &room, &found)
        }
    }

    private func append(_ document: FoundDocument?, _ room: inout Room, _ found: inout [FoundDocument]) {
        guard let document else { return }
        found.append(document)
        room.found -= 1
    }

    // MARK: Documents by their ids

    /// - Returns: Whether the access path has no more documents.
    private mutating func read(
        _ access: DocumentsAccess, _ table: DocumentTable, _ search: TextSearch?, _ room: inout Room,
        _ found: inout [FoundDocument]
    ) throws -> Bool {
        let matcher = matcher
        for var range in access.isBackward ? access.ranges.reversed() : access.ranges {
            if !position.id.isEmpty {
                let last = table.scope.visible(position.storedID)
                guard range.mayContinue(after: last, descending: access.isBackward) else { continue }
            }
            let slice = try table.documents(
                in: range, descending: access.isBackward, detail: .bodies, rowsMax: room.rows, bytesMax: room.bytes)
            for row in slice.rows {
                position.id = Array(table.scope.stored(row.id).utf8)
                room.rows -= 1
                room.bytes -= row.body.count
                statistics.documentsExamined += 1
                guard !DocumentID.isStoredDesign(row.id) else { continue }
                append(try matcher.found(row, by: position.access, search: search, meter: room.meter), &room, &found)
                if room.isFull { return false }
            }
            if slice.hasMore || room.isFull { return false }
        }
        return true
    }

    // MARK: Entries of an index

    /// - Returns: Whether the access path has no more entries.
    private mutating func read(
        _ access: JSONAccess, _ table: DocumentTable, _ search: TextSearch?, _ room: inout Room,
        _ found: inout [FoundDocument]
    ) throws -> Bool {
        let matcher = matcher
        for range in access.isBackward ? access.ranges.reversed() : access.ranges {
            guard let statement = try access.statement(range, after: position, in: table, isCovered ? .covered : .rows)
            else {
                continue
            }
            defer { statement.reset() }
            while try statement.step() {
                statistics.keysExamined += 1
                access.read(&position, from: statement, isCovered ? .covered : .rows)
                room.rows -= 1
                if let part = isCovered ? try access.part(statement, of: position, in: table) : nil {
                    room.bytes -= part.count
                    append(try matcher.found(part, by: position.access, meter: room.meter), &room, &found)
                } else if let row = try row(statement, table) {
                    room.bytes -= row.body.count
                    statistics.documentsExamined += 1
                    append(
                        try matcher.found(
                            row, by: position.access, search: search, meter: room.meter, key: position.key),
                        &room, &found)
                }
                if room.isFull { return false }
            }
        }
        return true
    }

    // MARK: Hits of a text index

    /// - Returns: Whether the access path has no more hits.
    private mutating func read(
        _ access: TextAccess, _ table: DocumentTable, _ room: inout Room, _ found: inout [FoundDocument]
    ) throws -> Bool {
        guard try table.isComplete(access.index) else { throw StoreError.indexDeleted(access.index) }
        let after = position.id.isEmpty ? nil : try TextPosition(bytes: position.key)
        // Each page needs a new search. Therefore, if only a few hits of a page match the query, the next page is
        // larger.
        let limit = min(room.rows, max(room.found, textHitsMin))
        textHitsMin = min(textHitsMin * 2, slices.datastore.limits.sliceRowsMax)
        let page = try access.search(on: table.connection).page(
            after: after, limit: limit, among: access.candidates(in: table))
        for hit in page.hits {
            statistics.keysExamined += 1
            room.rows -= 1
            let isVisible = hit.storedID.utf8.starts(with: table.scope.prefix.utf8)
            if isVisible, let row = try table.row(id: table.scope.visible(hit.storedID)), !row.winner.isDeleted {
                statistics.documentsExamined += 1
                room.bytes -= row.body.count
                append(try matcher.found(row, by: position.access, meter: room.meter), &room, &found)
            }
            if room.isFull || hit == page.hits.last {
                position.key = page.position(after: hit).bytes
                position.id = [1]
            }
            if room.isFull { return false }
        }
        return page.hits.count < limit
    }

    // MARK: Entries of a geospatial index

    /// - Returns: Whether the access path has no more hits.
    private mutating func read(
        _ access: GeoAccess, _ table: DocumentTable, _ search: TextSearch?, _ room: inout Room,
        _ found: inout [FoundDocument]
    ) throws -> Bool {
        guard try table.isComplete(access.index) else { throw StoreError.indexDeleted(access.index) }
        var nearby = self.nearby.take() ?? NearbyHits()
        defer { self.nearby = nearby }
        while let hit = try nearby.next(of: access, after: position, wanted: room.found, in: table) {
            statistics.keysExamined += 1
            room.rows -= 1
            position.key = hit.position.key
            position.id = Array(hit.position.storedID.utf8)
            let id = table.scope.visible(hit.position.storedID)
            if let row = try table.row(id: id), row.sequence <= nearby.sequence,
                try nearby.isFirst(hit, of: access, in: table)
            {
                statistics.documentsExamined += 1
                room.bytes -= row.body.count
                append(try matcher.found(row, by: position.access, search: search, meter: room.meter), &room, &found)
            }
            if room.isFull { return false }
        }
        nearby = NearbyHits()
        return true
    }

    /// Returns the document of an entry. If the statement reads documents, the document is taken from the statement's
    /// row. If the statement reads only the index, because the index was expected to contain all fields, the document
    /// is read separately.
    private func row(_ statement: SQLiteStatement, _ table: DocumentTable) throws -> DocumentRow? {
        guard isCovered else { return try DocumentRow(statement, detail: .bodies, scope: table.scope, hasTree: false) }
        let row = try table.row(id: table.scope.visible(position.storedID))
        return row?.winner.isDeleted == false ? row : nil
    }
}

extension AccessPath {
    /// Reads from an index. If the read fails because the index's tables have been deleted, throws ``StoreError`` with
    /// code ``StoreError/Code/indexNotFound``.
    func reading<Result>(_ table: DocumentTable, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            guard let index, error is SQLiteError, try !table.isComplete(index) else { throw error }
            throw StoreError.indexDeleted(index)
        }
    }
}

extension StoreError {
    static func indexDeleted(_ index: IndexDescription) -> StoreError {
        StoreError(.indexNotFound, "the index \(index.name) was removed while it was read. Try again.")
    }
}

extension IDRange {
    /// Removes from the range the ids that have been read.
    ///
    /// - Returns: Whether the rest of the range can contain ids.
    fileprivate mutating func mayContinue(after id: String, descending: Bool) -> Bool {
        let id = ExactText(id)
        if descending {
            if let lower, id < ExactText(lower) { return false }
            if let upper, ExactText(upper) < id { return true }
        } else {
            if let upper, ExactText(upper) < id { return false }
            if let lower, id < ExactText(lower) { return true }
        }
        goOn(after: id.text, descending: descending)
        guard let lower, let upper else { return true }
        return ExactText(lower) <= ExactText(upper)
    }
}
