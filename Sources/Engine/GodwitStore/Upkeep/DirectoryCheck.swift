//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitJSON

/// The result of checking one database of a directory.
public struct DatabaseReport: Sendable {
    /// The database's name.
    public let name: String
    /// The number of its documents that are not deleted; `nil` if the database cannot be opened or checked.
    public let documentCount: Int?
    /// The inconsistencies that were found; empty if there are none.
    public let faults: [Fault]
}

extension DatastoreManager {
    /// Checks every database of the directory, one after the other, as ``Datastore/check(faultsMax:)`` does.
    ///
    /// - Parameter report: Called after each database, with its result, the number of checked databases and the total.
    /// - Returns: The inconsistencies of the directory itself: files that are not in the catalogue, and missing files.
    public func check(
        report: (_ database: DatabaseReport, _ done: Int, _ total: Int) -> Void
    ) async throws(StoreError) -> [Fault] {
        let names = try await names()
        for (position, name) in names.enumerated() {
            report(await check(databaseNamed: name), position + 1, names.count)
        }
        let expectedFiles = try await files()
        let existingFiles = DatastoreManager.filesFound(in: directory)
        return existingFiles.subtracting(expectedFiles).sorted().map {
            Fault(description: "\($0) belongs to no database")
        }
            + expectedFiles.subtracting(existingFiles).sorted().map { Fault(description: "\($0) is missing") }
    }

    /// Checks one database, as ``Datastore/check(faultsMax:)`` does.
    package func check(databaseNamed name: String) async -> DatabaseReport {
        do {
            let datastore = try await existingDatastore(named: name)
            var faults = try await datastore.check(faultsMax: StoreLimits.faultsMax)
            if try await !ExactText.areEqual(instance(of: name), datastore.identity.instance) {
                faults.append(Fault(description: "the instance in the catalogue differs from the instance in its file"))
            }
            return DatabaseReport(name: name, documentCount: try datastore.documentCount, faults: faults)
        } catch {
            // A database that cannot be opened because of one damaged page may have further damaged pages. All damaged
            // pages are reported.
            let pages = (try? await damagedPages(of: name)) ?? []
            let faults = pages.isEmpty ? [Fault(description: "\(error)")] : pages
            return DatabaseReport(name: name, documentCount: nil, faults: faults)
        }
    }

    /// The paths of the database files in a directory, relative to the directory. New files that are not finished are
    /// included.
    static func filesFound(in directory: String) -> Set<String> {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return Set(
            folders.filter { $0.utf8.count == 2 }.flatMap { folder in
                let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/\(folder)")) ?? []
                return files.filter { $0.ends(with: DatabaseName.fileSuffix) || $0.ends(with: ".new") }.map {
                    "\(folder)/\($0)"
                }
            })
    }
}
