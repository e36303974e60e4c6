//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite
import Testing

@testable import GodwitPlaces

@Suite("Extreme numbers in geospatial indexes")
struct ExtremeNumberTests {
    @Test(arguments: [Int64.min, -1, 1 << 50, .max])
    func documentsOfImpossibleNumbersHaveNoGeometries(document: Int64) {
        #expect(GeoNumber.places(of: document).isEmpty)
    }

    @Test func documentsOfPossibleNumbersHaveGeometries() {
        #expect(GeoNumber.places(of: 1) == 4_096..<8_192)
        #expect(GeoNumber.places(of: 1 << 48).count == 4_096)
    }

    @Test(arguments: [0, 4, 28, 1_572_868])
    func nodesOfImpossibleSizesAreDamage(bytes: Int) {
        #expect(throws: SQLiteError.self) { try BoxNode.check(bytes: bytes) }
    }

    @Test func nodesOfSQLiteArePossible() throws {
        try BoxNode.check(bytes: 1_228)
    }
}
