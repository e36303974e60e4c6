//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitObjectStore
import GodwitSQLite
import GodwitStore

extension ObjectDirectory {
    /// Removes expired objects, unfinished uploads that are too old, and files without references, until the task is
    /// cancelled. The work is done in steps of limited size. The first step removes the files that remain after a
    /// crash.
    ///
    /// - Parameter report: A closure that is called with each error. After an error and a pause, the work continues.
    package func collectUntilCancelled(report: @Sendable (any Error) -> Void) async {
        do {
            try await sweepAfterCrash()
        } catch {
            report(error)
        }
        while !Task.isCancelled {
            do {
                while try await collect(), !Task.isCancelled {}
            } catch {
                report(error)
            }
            try? await Task.sleep(for: .seconds(ObjectLimits.collectionSeconds))
        }
    }

    /// Takes one step of the collection.
    ///
    /// - Returns: Whether there is more to remove.
    package func collect() async throws(ObjectError) -> Bool {
        try await run { directory in
            let steps = [
                try directory.removeExpired(), try directory.abortOldUploads(), try directory.removeUnusedFiles(),
            ]
            try directory.forgetOldTokens()
            return steps.contains(true)
        }
    }

    private func removeExpired() throws -> Bool {
        let now = ObjectDirectory.now / 1_000
        let isAny = try catalogue.read { connection in
            try connection.first("SELECT 1 FROM objects WHERE expires <= ?1 LIMIT 1", { $0.bind(now, at: 1) }) { _ in
                true
            }
        }
        guard isAny != nil else { return false }
        return try release { connection in
            let expired = try connection.rows(
                "SELECT container, name FROM objects WHERE expires <= ?1 LIMIT ?2",
                {
                    $0.bind(now, at: 1)
                    $0.bind(ObjectLimits.collectedMax, at: 2)
                }
            ) { ($0.int(0), $0.string(1)) }
            for (container, name) in expired { try ObjectDirectory.remove(name, in: container, on: connection) }
            return expired.count == ObjectLimits.collectedMax
        }
    }

    private func abortOldUploads() throws -> Bool {
        let limit = ObjectDirectory.now / 1_000 - ObjectLimits.uploadDaysMax * 86_400
        let old = try catalogue.read { connection in
            try connection.first("SELECT id FROM uploads WHERE created <= ?1 LIMIT 1", { $0.bind(limit, at: 1) }) {
                $0.string(0)
            }
        }
        guard let old else { return false }
        try release { try ObjectDirectory.abort(old, on: $0) }
        return true
    }

    /// Removes files without references, and their rows. Files that are in use are skipped.
    private func removeUnusedFiles() throws -> Bool {
        var last: [UInt8] = []
        while true {
            let start = last
            let unused = try catalogue.read { connection in
                try connection.rows(
                    "SELECT digest, file FROM blobs WHERE refs = 0 AND digest > ?1 ORDER BY digest LIMIT ?2",
                    {
                        $0.bind(start, at: 1)
                        $0.bind(ObjectLimits.collectedMax, at: 2)
                    }
                ) { (BlobID(digest: $0.bytes(0) ?? []), $0.string(1)) }
            }
            let taken = unused.filter { pins.beginCollecting($0.0) }
            defer { for (blob, _) in taken { pins.endCollecting(blob) } }
            if !taken.isEmpty {
                try remove(taken)
                return true
            }
            guard unused.count == ObjectLimits.collectedMax, let next = unused.last else { return false }
            last = next.0.digest
        }
    }

    private func remove(_ taken: [(BlobID, String)]) throws {
        let files = files
        try release { connection in
            for (blob, name) in taken {
                let count = try connection.first(
                    "SELECT refs FROM blobs WHERE digest = ?1", { $0.bind(blob.digest, at: 1) }
                ) { $0.int(0) }
                guard count == 0 else { continue }
                // The file is removed before its row. If the transaction then fails, the row remains although its file
                // is missing, and the next step removes the row.
                try DatabaseFiles.removeFile(files.path(named: name))
                try connection.run("DELETE FROM blobs WHERE digest = ?1") { $0.bind(blob.digest, at: 1) }
                invariant(connection.changedRows == 1, "a file that is removed has a row")
            }
        }
    }

    private func forgetOldTokens() throws {
        let now = ObjectDirectory.now / 1_000
        let isAny = try catalogue.read { connection in
            try connection.first("SELECT 1 FROM revoked WHERE expires < ?1 LIMIT 1", { $0.bind(now, at: 1) }) { _ in
                true
            }
        }
        if isAny != nil { try release { try $0.run("DELETE FROM revoked WHERE expires < ?1") { $0.bind(now, at: 1) } } }
    }

    // MARK: After a crash

    /// Removes two kinds of files that remain after a crash: files of interrupted uploads, and stored files without a
    /// row. Does nothing if the previous process closed the catalogue.
    package func sweepAfterCrash() async throws(ObjectError) {
        guard wasUnclean else { return }
        // Files that this process has written are newer than this time, and are not removed.
        let start = ObjectDirectory.now
        let folders = try await run { directory in
            for name in ModuleFolder.names(in: directory.files.uploads) {
                let path = "\(directory.files.uploads)/\(name)"
                if ObjectDirectory.isOlder(path, than: start) { try DatabaseFiles.removeFile(path) }
            }
            return directory.files.folders
        }
        for folder in folders {
            if Task.isCancelled { return }
            try await run { directory in try directory.sweep(folder, before: start) }
        }
        isSwept.withLock { $0 = true }
    }

    private func sweep(_ folder: String, before start: Int) throws {
        for name in files.names(inFolder: folder) {
            let path = files.path(named: name)
            guard name.utf8.count == 64, ObjectDirectory.isOlder(path, than: start) else { continue }
            // The file may belong to an upload of this process whose row is not added yet.
            try release { connection in
                let row = try connection.first("SELECT 1 FROM blobs WHERE file = ?1", { $0.bind(name, at: 1) }) { _ in
                    true
                }
                if row == nil, ObjectDirectory.isOlder(path, than: start) { try DatabaseFiles.removeFile(path) }
            }
        }
    }

    /// Whether a file was last changed before a time in milliseconds since 1970; `false` for an absent file.
    private static func isOlder(_ path: String, than time: Int) -> Bool {
        DatabaseFiles.changeTimeMilliseconds(path).map { $0 < time } ?? false
    }
}
