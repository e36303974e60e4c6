//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Godwit

// Foundation of Apple's systems has `NSPredicate`.
#if canImport(Darwin)
    public import Foundation
#else
    import Foundation
#endif

/// A query of objects of one type.
///
/// Origin: `CDTCloudantQuery`. New: ``GodwitQuery/FindQuery``.
@available(*, deprecated, message: "Use FindQuery.")
public struct CDTCloudantQuery {
    private let dataType: String
    private let predicate: NSPredicate

    /// Creates a query.
    ///
    /// Origin: `initDataType:withPredicate:`. New:
    /// ``GodwitQuery/FindQuery/init(selector:fields:sort:limit:skip:bookmark:index:)``.
    public init(dataType: String, withPredicate predicate: NSPredicate) {
        (self.dataType, self.predicate) = (dataType, predicate)
    }

    func selector() throws -> JSONObject {
        let condition: JSONObject
        do {
            condition = try predicate.selector()
        } catch {
            throw CDTError(400, "The predicate is invalid: \(error)", cause: error)
        }
        let type: JSONValue = .object([IMFDataObjectMapper.typeMember: .string(dataType)])
        return ["$and": .array([type, .object(condition)])]
    }
}

/// A store of objects: a local store, or a store on a server. Completion handlers are called from any thread.
///
/// Origin: `CDTStore`. New: ``GodwitStore/Datastore``, or ``GodwitSync/CouchDatabase`` for a store of a server.
@available(*, deprecated, message: "Use Datastore or CouchDatabase.")
public final class CDTStore: @unchecked Sendable {
    // Proof of `Sendable`: all members except the mapper are constants. The caller must set up the mapper before it uses
    // the store. IMFData has the same rule.

    /// The name.
    ///
    /// Origin: `name`. New: ``GodwitStore/Datastore/name``.
    public let name: String
    /// Converts objects to documents, and documents to objects. Set up the mapper before the store is used.
    ///
    /// Origin: `mapper`. New: ``GodwitStore/DocumentObject``.
    public var mapper = IMFDataObjectMapper()
    /// The local datastore; `nil` for a store of a server.
    ///
    /// Origin: `datastore`. New: ``GodwitStore/Datastore``.
    public let datastore: CDTDatastore?
    private let database: any QueryStore

    init(_ name: String, datastore: CDTDatastore) {
        (self.name, self.datastore, database) = (name, datastore, datastore.store)
    }

    init(_ name: String, database: CouchDatabase) { (self.name, datastore, self.database) = (name, nil, database) }

    // MARK: Objects

    /// Saves a new object, or a new revision of a saved object.
    ///
    /// Origin: `save:completionHandler:`. New: ``GodwitStore/DocumentStore/create(_:)`` and
    /// ``GodwitStore/DocumentStore/update(_:)``.
    @available(*, deprecated, message: "Use create(_:) and update(_:).")
    public func save(
        _ object: any CDTDataObject,
        completionHandler: @escaping @Sendable (_ object: (any CDTDataObject)?, _ error: (any Error)?) -> Void
    ) {
        let held = Held(object)
        finish({ completionHandler($0, $1) }) { try await self.save(held.object) }
    }

    /// Saves a new object, or a new revision of a saved object.
    ///
    /// - Returns: The same object, whose metadata now has the new revision.
    /// - Throws: ``CDTError`` with the code 409 if the object was changed in the meantime, 404 if the revision of the
    ///   object is not stored any more, 400 if the class of the object has no data type, 493 if JSON cannot represent a
    ///   value.
    ///
    /// Origin: `save:completionHandler:`. New: ``GodwitStore/DocumentStore/create(_:)`` and
    /// ``GodwitStore/DocumentStore/update(_:)``.
    @available(*, deprecated, message: "Use create(_:) and update(_:).")
    @discardableResult
    public func save(_ object: any CDTDataObject) async throws -> any CDTDataObject {
        do {
            let saved: Document
            if let metadata = object.metadata {
                guard let revision = RevisionID(metadata.revisionId) else {
                    throw CDTError(400, "\(metadata.revisionId) is no revision id.")
                }
                var document = try await database.document(metadata.objectId, at: revision)
                document.body = try mapper.body(of: object, readFrom: document.body)
                saved = try await database.update(document)
            } else {
                saved = try await database.create(Document(body: try mapper.body(of: object)))
            }
            object.metadata = CDTDataObjectMetadata(objectId: saved.id!, revisionId: saved.revision!.description)
            return object
        } catch {
            throw CDTError(error)
        }
    }

    /// Reads an object.
    ///
    /// Origin: `fetchById:completionHandler:`. New: ``GodwitStore/DocumentStore/document(_:)``.
    @available(*, deprecated, message: "Use document(_:).")
    public func fetchById(
        _ objectId: String,
        completionHandler: @escaping @Sendable (_ object: (any CDTDataObject)?, _ error: (any Error)?) -> Void
    ) { finish({ completionHandler($0, $1) }) { try await self.fetchById(objectId) } }

    /// Reads an object.
    ///
    /// - Throws: ``CDTError`` with the code 404 if the object does not exist, 400 if no class is registered for its
    ///   type.
    ///
    /// Origin: `fetchById:completionHandler:`. New: ``GodwitStore/DocumentStore/document(_:)``.
    @available(*, deprecated, message: "Use document(_:).")
    public func fetchById(_ objectId: String) async throws -> any CDTDataObject {
        do {
            guard let object = mapper.object(of: try await database.document(objectId)) else {
                throw CDTError(400, "The document \(objectId) has no type for which the mapper has a class.")
            }
            return object
        } catch {
            throw CDTError(error)
        }
    }

    /// Deletes an object.
    ///
    /// Origin: `delete:completionHandler:`. New: ``GodwitStore/DocumentStore/delete(_:)-(Document)``.
    @available(*, deprecated, message: "Use delete(_:).")
    public func delete(
        _ object: any CDTDataObject,
        completionHandler:
            @escaping @Sendable (
                _ deletedObjectId: String?, _ deletedRevisionId: String?, _ error: (any Error)?
            ) -> Void
    ) {
        let held = Held(object)
        finish({ (deleted: CDTDataObjectMetadata?, error) in
            completionHandler(deleted?.objectId, deleted?.revisionId, error)
        }) { try await self.delete(held.object) }
    }

    /// Deletes an object.
    ///
    /// - Returns: The id of the object, and the revision that records the deletion.
    /// - Throws: ``CDTError`` with the code 409 if the object was changed in the meantime, 404 if the revision of the
    ///   object is not stored any more, 400 if the object was not saved.
    ///
    /// Origin: `delete:completionHandler:`. New: ``GodwitStore/DocumentStore/delete(_:)-(Document)``.
    @available(*, deprecated, message: "Use delete(_:).")
    @discardableResult
    public func delete(_ object: any CDTDataObject) async throws -> CDTDataObjectMetadata {
        do {
            guard let metadata = object.metadata, let revision = RevisionID(metadata.revisionId) else {
                throw CDTError(400, "The object was not saved.")
            }
            let document = try await database.document(metadata.objectId, at: revision)
            let deletion = try await database.delete(document)
            return CDTDataObjectMetadata(objectId: metadata.objectId, revisionId: deletion.description)
        } catch {
            throw CDTError(error)
        }
    }

    // MARK: Indexes and queries

    /// Creates an index for the objects of a type.
    ///
    /// Origin: `createIndexWithDataType:fields:completionHandler:`. New:
    /// ``GodwitQuery/QueryStore/ensureIndex(_:named:where:)``.
    @available(*, deprecated, message: "Use QueryStore.ensureIndex(_:named:where:).")
    public func createIndexWithDataType(
        _ dataType: String, fields: [String], completionHandler: @escaping @Sendable (_ error: (any Error)?) -> Void
    ) {
        createIndexWithName(
            CDTStore.indexName(dataType), fields: [IMFDataObjectMapper.typeMember] + fields,
            completionHandler: completionHandler)
    }

    /// Creates an index with a name.
    ///
    /// Origin: `createIndexWithName:fields:completionHandler:`. New:
    /// ``GodwitQuery/QueryStore/ensureIndex(_:named:where:)``.
    @available(*, deprecated, message: "Use QueryStore.ensureIndex(_:named:where:).")
    public func createIndexWithName(
        _ name: String, fields: [String], completionHandler: @escaping @Sendable (_ error: (any Error)?) -> Void
    ) {
        finish({ (_: Bool?, error) in completionHandler(error) }) {
            _ = try await self.database.ensureIndex(fields.map { .ascending($0) }, named: name, where: nil)
            return true
        }
    }

    /// Deletes an index.
    ///
    /// Origin: `deleteIndexWithName:completionHandler:`. New:
    /// ``GodwitQuery/QueryStore/deleteIndex(_:designDocument:)``.
    @available(*, deprecated, message: "Use QueryStore.deleteIndex(_:designDocument:).")
    public func deleteIndexWithName(
        _ name: String, completionHandler: @escaping @Sendable (_ error: (any Error)?) -> Void
    ) {
        finish({ (_: Bool?, error) in completionHandler(error) }) {
            try await self.database.deleteIndex(name, designDocument: nil)
            return true
        }
    }

    /// Deletes the index for the objects of a type.
    ///
    /// Origin: `deleteIndexWithDataType:completionHandler:`. New:
    /// ``GodwitQuery/QueryStore/deleteIndex(_:designDocument:)``.
    @available(*, deprecated, message: "Use QueryStore.deleteIndex(_:designDocument:).")
    public func deleteIndexWithDataType(
        _ dataType: String, completionHandler: @escaping @Sendable (_ error: (any Error)?) -> Void
    ) { deleteIndexWithName(CDTStore.indexName(dataType), completionHandler: completionHandler) }

    private static func indexName(_ dataType: String) -> String { "\(dataType.lowercased())index" }

    /// Finds objects.
    ///
    /// Origin: `performQuery:completionHandler:`. New: ``GodwitQuery/QueryStore/find(_:)``.
    @available(*, deprecated, message: "Use QueryStore.find(_:).")
    public func performQuery(
        _ query: CDTCloudantQuery,
        completionHandler: @escaping @Sendable (_ results: [any CDTDataObject]?, _ error: (any Error)?) -> Void
    ) {
        let selector = Result { try query.selector() }
        finish({ completionHandler($0, $1) }) { try await self.objects(try selector.get()) }
    }

    /// Finds objects.
    ///
    /// - Returns: All objects that match, except documents whose type has no class in the mapper.
    /// - Throws: ``CDTError`` with the code 400 if the predicate is invalid.
    ///
    /// Origin: `performQuery:completionHandler:`. New: ``GodwitQuery/QueryStore/find(_:)``.
    @available(*, deprecated, message: "Use QueryStore.find(_:).")
    public func performQuery(_ query: CDTCloudantQuery) async throws -> [any CDTDataObject] {
        try await objects(try query.selector())
    }

    private static let pageCount = 200

    private func objects(_ selector: JSONObject) async throws -> [any CDTDataObject] {
        do {
            var objects: [any CDTDataObject] = []
            var query = FindQuery(selector: selector, limit: CDTStore.pageCount)
            while true {
                let page = try await database.find(query)
                objects += page.documents.compactMap { mapper.object(of: $0) }
                guard page.documents.count == CDTStore.pageCount, let bookmark = page.bookmark else { return objects }
                query.bookmark = bookmark
            }
        } catch {
            throw CDTError(error)
        }
    }

    /// Runs an operation, and calls a completion handler with its result or its error.
    private func finish<Value>(
        _ completionHandler: @escaping @Sendable (Value?, (any Error)?) -> Void,
        _ body: @escaping @Sendable () async throws -> Value
    ) {
        Task {
            do {
                completionHandler(try await body(), nil)
            } catch {
                completionHandler(nil, CDTError(error))
            }
        }
    }

    /// An object that one operation uses.
    private struct Held: @unchecked Sendable {
        // Proof of `Sendable`: the caller must not use the object before the completion handler is called. IMFData has
        // the same rule.
        let object: any CDTDataObject

        init(_ object: any CDTDataObject) { self.object = object }
    }
}
