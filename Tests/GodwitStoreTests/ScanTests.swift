//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Testing

@testable import GodwitStore

@Suite("Scans of ids")
struct ScanTests {
    private static let ids = ["", "A", "a", "a\0", "aa", "b", "e\u{301}", "é", "\u{10FFFF}"].dropFirst()

    private func scan(
        _ store: Datastore, _ range: IDRange, descending: Bool = false, detail: RowDetail = .leaves, rowsMax: Int = .max
    ) throws -> [String] {
        try store.read { table in
            try table.documents(
                in: range, descending: descending, detail: detail, rowsMax: rowsMax, bytesMax: .max)
        }.rows.map(\.id)
    }

    @Test("Every range has the results of a filter over sorted bytes")
    func everyRange() async throws {
        try await withDatastore { store in
            for id in ScanTests.ids { _ = try await store.save(id: id) }
            let bounds: [String?] = [nil, "0", "zz"] + ScanTests.ids.map(Optional.some)
            let sorted = ScanTests.ids.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            for lower in bounds {
                for upper in bounds {
                    for flags in 0..<4 {
                        let range = IDRange(
                            lower: lower, lowerIsIncluded: flags & 1 == 0, upper: upper,
                            upperIsIncluded: flags & 2 == 0)
                        let expected = sorted.filter { range.reference(holds: $0) }
                        #expect(try scan(store, range).elementsEqual(expected, by: bytesEqual), "\(range)")
                        let descending = try scan(store, range, descending: true, detail: .bodies)
                        #expect(descending.elementsEqual(expected.reversed(), by: bytesEqual), "\(range)")
                    }
                }
            }
        }
    }

    @Test("Deleted documents are excluded, and slices resume")
    func slices() async throws {
        try await withDatastore { store in
            for n in 10..<30 { _ = try await store.save(id: "\(n)") }
            for n in stride(from: 10, to: 30, by: 3) { try await store.delete(store.document("\(n)")) }
            let all = try scan(store, IDRange())
            #expect(all == (10..<30).filter { ($0 - 10) % 3 != 0 }.map(String.init))
            var (found, range) = ([] as [String], IDRange())
            while case let slice = try scan(store, range, rowsMax: 4), let last = slice.last {
                found += slice
                range = IDRange(lower: last, lowerIsIncluded: false)
            }
            #expect(found == all)
        }
    }
}

private func bytesEqual(_ left: String, _ right: String) -> Bool { left.utf8.elementsEqual(right.utf8) }

extension Datastore {
    fileprivate func save(id: String) async throws -> RevisionID {
        let document = IncomingDocument(id: id)
        return try await transact { try $0.apply(document) }
    }
}

extension IDRange {
    fileprivate func reference(holds id: String) -> Bool {
        func precedes(_ left: String, _ right: String, orIsEqual: Bool) -> Bool {
            left.utf8.lexicographicallyPrecedes(right.utf8) || orIsEqual && bytesEqual(left, right)
        }
        return (lower.map { precedes($0, id, orIsEqual: lowerIsIncluded) } ?? true)
            && (upper.map { precedes(id, $0, orIsEqual: upperIsIncluded) } ?? true)
    }
}
