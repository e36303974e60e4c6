//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase
import GodwitJSON
import GodwitKeys
import GodwitSQLite
import TestKit
import Testing

@testable import GodwitStore

/// Returns the disk of the tests' files.
func testDisk() throws -> SQLiteDisk {
    try testKey.map { try Secret.key($0).disk(on: .system) } ?? .system
}

/// A new directory, which the test removes at its end.
struct TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "godwit-store-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func remove() { try? FileManager.default.removeItem(atPath: path) }

    /// Runs `body` with a manager of this directory, and closes the manager.
    func withManager<Result>(
        limits: StoreLimits = .default, durability: Durability = .normal,
        _ body: (DatastoreManager) async throws -> Result
    ) async throws -> Result {
        let manager = try DatastoreManager(directory: path, durability: durability, limits: limits)
        do {
            let result = try await body(manager)
            await manager.close()
            return result
        } catch {
            await manager.close()
            throw error
        }
    }
}

/// Runs `body` with a new directory, and removes the directory.
func withDirectory(_ body: (TemporaryDirectory) async throws -> Void) async throws {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    try await body(directory)
}

/// Runs `body` with a new datastore, checks the invariants after that, and removes the datastore.
func withDatastore(
    limits: StoreLimits = .default, durability: Durability = .normal, _ body: (Datastore) async throws -> Void
) async throws {
    try await withDirectory { directory in
        try await directory.withManager(limits: limits, durability: durability) { manager in
            let store = try await manager.datastore(named: "test")
            try await body(store)
            try await store.checkInvariants()
        }
    }
}

/// Expects a ``StoreError`` with a code.
func expectFailure(
    _ code: StoreError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
) async {
    do {
        try await body()
        Issue.record("\(code) was expected, nothing was thrown", sourceLocation: sourceLocation)
    } catch let error as StoreError {
        #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
    } catch {
        Issue.record("\(code) was expected, thrown was \(error)", sourceLocation: sourceLocation)
    }
}

func incoming(
    _ text: String, purpose: IncomingDocument.Purpose = .edit, limits: StoreLimits = .default
) throws(StoreError) -> IncomingDocument {
    try IncomingDocument(parsing: Array(text.utf8), purpose: purpose, limits: limits)
}

func revision(_ text: String) throws -> RevisionID { try #require(RevisionID(text)) }

extension Datastore {
    /// Saves an edit in the form in which a client sends it.
    @discardableResult
    func save(_ text: String) async throws -> RevisionID {
        let document = try incoming(text, limits: limits)
        return try await transact { try $0.apply(document) }
    }

    /// Inserts a revision in the form in which a peer sends it.
    @discardableResult
    func graft(_ text: String) async throws -> Bool {
        let document = try incoming(text, purpose: .replication, limits: limits)
        return try await transact { try $0.graft(document) }
    }

    /// Inserts a revision whose hashes are letters: `graft("d", "cba")` is 3-c with its ancestors 2-b and 1-a.
    @discardableResult
    func graft(_ id: String, _ hashes: String, start: Int? = nil, deleted: Bool = false) async throws -> Bool {
        let ids = hashes.map { "\"\($0)\"" }.joined(separator: ",")
        let start = start ?? hashes.count
        return try await graft(
            """
            {"_id":"\(id)","_deleted":\(deleted),"_revisions":{"start":\(start),"ids":[\(ids)]},"at":"\(hashes)"}
            """)
    }

    /// Inserts a revision with the given path, the youngest first.
    @discardableResult
    func graft(_ id: String, path: [RevisionID]) async throws -> Bool {
        let document = IncomingDocument(id: id, revision: path[0], path: path)
        return try await transact { try $0.graft(document) }
    }

    func row(_ id: String) throws -> DocumentRow { try #require(try read { try $0.row(id: id) }) }

    /// Returns the body of a revision as text.
    func body(_ id: String, at revision: RevisionID) throws -> String? {
        try readTogether { table in
            try table.row(id: id).flatMap { try table.revision(revision, of: $0) }
        }.map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// Returns all leaves as texts, the winner first; deleted ones end in a star.
    func leafTexts(_ id: String) throws -> [String] {
        try row(id).leaves.map { "\($0.revision)\($0.isDeleted ? "*" : "")" }
    }

    /// Returns the ids of the changes after a sequence number, in order.
    func changedIDs(after number: Int64 = 0) throws -> [String] {
        try changes(after: number, detail: .leaves).rows.map(\.id)
    }
}

/// Returns all permutations of some elements.
func permutations<Element>(_ elements: [Element]) -> [[Element]] {
    guard let last = elements.last else { return [[]] }
    return permutations(elements.dropLast()).flatMap { rest in
        (0...rest.count).map { position in Array(rest[..<position]) + [last] + Array(rest[position...]) }
    }
}

/// A value that several tasks of a test share.
final class Shared<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) { mutex = Mutex(value) }

    var value: Value { mutex.withLock { $0 } }

    func change(_ body: (inout Value) -> Void) { mutex.withLock { body(&$0) } }
}

/// Returns the size of a file in bytes; 0 when it does not exist.
func fileSize(_ path: String) throws -> Int {
    guard FileManager.default.fileExists(atPath: path) else { return 0 }
    return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
}

extension DatastoreManager {
    /// Opens a manager without indexes.
    convenience init(
        directory: String, durability: Durability = .full, limits: StoreLimits = .default
    ) throws(StoreError) {
        try self.init(directory: directory, durability: durability, limits: limits, key: testKey, indexes: [])
    }
}

/// Returns whether two large values are equal. Use it instead of `#expect(one == other)`, which computes the difference
/// of unequal collections: this takes minutes for a hundred kilobytes, so that a failure looks like a test that hangs.
func isSame<Value: Equatable>(_ one: Value, _ other: Value) -> Bool { one == other }
