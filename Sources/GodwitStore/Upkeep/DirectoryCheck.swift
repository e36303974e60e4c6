//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a check found in one database of a directory.
public struct DatabaseReport: Sendable {
    /// The database's name.
    public let name: String
    /// Its documents that are not deleted; `nil` when it cannot be opened.
    public let documentCount: Int?
    /// What is wrong; empty when nothing is.
    public let faults: [Fault]
}

extension DatastoreManager {
    /// Checks every database of the directory, one after the other, as ``Datastore/check(faultsMax:)`` does.
    ///
    /// - Parameter report: Called for each database as it is done, with how many are done and how many there are.
    /// - Returns: What is wrong with the directory itself: files that the catalogue does not know, or misses.
    public func check(
        report: (_ database: DatabaseReport, _ done: Int, _ total: Int) -> Void
    ) async throws(StoreError) -> [Fault] {
        let names = try await names()
        for (place, name) in names.enumerated() { report(await check(name), place + 1, names.count) }
        let known = try await files()
        let found = DatastoreManager.filesFound(in: directory)
        return found.subtracting(known).sorted().map { Fault(description: "\($0) belongs to no database") }
            + known.subtracting(found).sorted().map { Fault(description: "\($0) is missing") }
    }

    private func check(_ name: String) async -> DatabaseReport {
        do {
            let datastore = try await existingDatastore(named: name)
            var faults = try await datastore.check(faultsMax: StoreLimits.faultsMax)
            if try await instance(of: name) != datastore.identity.instance {
                faults.append(Fault(description: "the catalogue knows another instance than its file"))
            }
            return DatabaseReport(name: name, documentCount: try datastore.documentCount, faults: faults)
        } catch {
            // One that cannot be opened for its damaged pages still has others.
            let pages = (try? await damagedPages(of: name)) ?? []
            let faults = pages.isEmpty ? [Fault(description: "\(error)")] : pages
            return DatabaseReport(name: name, documentCount: nil, faults: faults)
        }
    }

    /// The files of databases that are there, relative to the directory.
    static func filesFound(in directory: String) -> Set<String> {
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        return Set(
            folders.filter { $0.utf8.count == 2 }.flatMap { folder in
                let files = (try? FileManager.default.contentsOfDirectory(atPath: "\(directory)/\(folder)")) ?? []
                return files.filter { $0.hasSuffix(DatabaseName.fileSuffix) || $0.hasSuffix(".new") }.map {
                    "\(folder)/\($0)"
                }
            })
    }
}
