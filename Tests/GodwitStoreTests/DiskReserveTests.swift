//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import TestKit
import Testing

@testable import GodwitStore

/// Tests the reserved disk space (issue 21, number 14).
@Suite("The disk reserve")
struct DiskReserveTests {
    private static let full = StoreError(.diskFull, "full")

    @Test("Writes that find the disk full are repeated with the reserve, and other writes wait")
    func givesItsRoom() async throws {
        try await withDirectory { directory in
            let reserve = DiskReserve(directory: directory.path)
            let path = directory.path + "/reserve"
            let told = Mutex<[Bool]>([])
            _ = reserve.keep { hasCapacity in told.withLock { $0.append(hasCapacity) } }
            #expect(FileManager.default.fileExists(atPath: path) && !reserve.isReleased)
            var runs = 0
            try reserve.perform {
                runs += 1
                if runs == 1 { throw DiskReserveTests.full }
            }
            #expect(runs == 2 && reserve.isReleased && !FileManager.default.fileExists(atPath: path))
            // The reserve was just released. Until the interval ends, the free space is not measured again, and writes
            // are refused.
            await expectFailure(.diskFull) { try reserve.checkFreeSpace() }
            // The reserve is already released.
            await expectFailure(.diskFull) { try reserve.perform { throw DiskReserveTests.full } }
            reserve.refill()
            try reserve.checkFreeSpace()
            #expect(FileManager.default.fileExists(atPath: path) && told.withLock { $0 } == [false, true])
        }
    }

    @Test("Writes that are refused all the time do not delay the return of the reserve")
    func refusedOften() async throws {
        try await withDirectory { directory in
            let reserve = DiskReserve(directory: directory.path)
            _ = reserve.keep { _ in }
            await expectFailure(.diskFull) { try reserve.perform { throw DiskReserveTests.full } }
            #expect(reserve.isReleased)
            try await eventually { (try? reserve.checkFreeSpace()) != nil }
        }
    }

    @Test("Other failures do not use the reserve")
    func otherFailures() async throws {
        try await withDirectory { directory in
            let reserve = DiskReserve(directory: directory.path)
            _ = reserve.keep { _ in }
            await expectFailure(.conflict) { try reserve.perform { throw StoreError(.conflict, "") } }
            #expect(!reserve.isReleased)
        }
    }
}
