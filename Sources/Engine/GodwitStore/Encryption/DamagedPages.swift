//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitSQLite

extension Datastore {
    /// The pages of an encrypted file that do not match their authentication codes; empty for a plain file.
    func damagedPages(faultsMax: Int, _ cancellation: CancellationFlag) async throws -> [Fault] {
        guard database.file.disk.cipher != nil else { return [] }
        // The log is first copied into the file, because the pages are read from the file and not from the log.
        try await database.checkpoint()
        let file = database.file
        return try await BlockingPool.shared.run { try file.damagedPages(faultsMax: faultsMax, cancellation) }
    }
}

extension DatabaseFile {
    /// The pages that do not match their authentication codes; empty for a plain file.
    func damagedPages(faultsMax: Int, _ cancellation: CancellationFlag = CancellationFlag()) throws -> [Fault] {
        try FileConversion.damagedPages(of: path, on: disk, faultsMax: faultsMax, cancellation)
    }
}

extension FileConversion {
    /// The pages of a file that do not match their authentication codes; empty for a plain file. Works even if the file
    /// cannot be opened as a database.
    static func damagedPages(
        of path: String, on disk: SQLiteDisk, faultsMax: Int, _ cancellation: CancellationFlag = CancellationFlag()
    ) throws -> [Fault] {
        guard disk.cipher != nil else { return [] }
        let connection = try SQLiteConnection(path: path, access: .readOnly, disk: disk)
        defer { connection.close() }
        let count = try DatabaseFiles.byteCount(path) / PageCipher.pageBytes
        let hasLog = ((try? DatabaseFiles.byteCount(path + "-wal")) ?? 0) > 0
        var faults: [Fault] = []
        for page in 1...max(count, 1) where try !connection.isIntact(page, mayBeBlank: hasLog) {
            try cancellation.check()
            faults.append(Fault(description: "page \(page) does not match its authentication code"))
            if faults.count == faultsMax { break }
        }
        return faults
    }
}

extension SQLiteConnection {
    /// Whether a page matches its authentication code. If the page does not match, it is read several times, because a
    /// checkpoint may be writing the page at the same time.
    fileprivate func isIntact(_ page: Int, mayBeBlank: Bool) throws -> Bool {
        for _ in 0..<SQLiteConnection.pageTriesMax where try isIntact(page: page, mayBeBlank: mayBeBlank) {
            return true
        }
        return false
    }

    private static let pageTriesMax = 3
}
