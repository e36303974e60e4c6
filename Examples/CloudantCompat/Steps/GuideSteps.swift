//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Godwit
import GodwitCloudantCompat

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

#if !canImport(Darwin)
    import class GodwitCloudantCompat.NSPredicate
#endif

/// Runs the calls of the guide in the order of the guide.
@available(*, deprecated)
struct GuideSteps {
    let directory: String
    let server: String
    let credentials: Credentials

    init(directory: String, server: String) throws {
        let url = try RemoteURL("\(server)/x")
        self.directory = directory
        self.server = String(url.description.dropLast(2))
        credentials = url.credentials
    }

    func check(_ isTrue: Bool, _ step: String) throws {
        guard isTrue else { throw StepFailure(step: step) }
        print(step)
    }

    // MARK: Before: IMFData

    func before() async throws {
        let manager = IMFDataManager.sharedInstance()
        try manager.initialize(directory: "\(directory)/before", cloudantURL: server, credentials: credentials)
        defer { manager.close() }
        let store = try manager.localStore("automobiles")
        try check(store.name == "automobiles", "before: a local store")
        store.mapper.setDataType("Automobile", forClass: Automobile.self)
        try check(store.mapper.dataTypeForClassName("Automobile") == "Automobile", "before: a data type")
        try await objects(in: store)
        try await indexesAndQueries(in: store)
        try await encryptedStore(manager)
        try await remoteStore(manager)
        try await replications(manager)
    }

    private func objects(in store: CDTStore) async throws {
        let automobile = Automobile(make: "Toyota", model: "Corolla", year: 2006)
        let saved: Automobile = try await withCheckedThrowingContinuation { continuation in
            store.save(automobile) { object, error in
                if let error { return continuation.resume(throwing: error) }
                nonisolated(unsafe) let saved = object as! Automobile
                continuation.resume(returning: saved)
            }
        }
        let id = saved.metadata!.objectId
        try check(saved.metadata!.revisionId.hasPrefix("1-"), "before: save a new object")
        let fetched = try await store.fetchById(id) as? Automobile
        try check(fetched?.model == "Corolla" && fetched?.year == 2006, "before: fetch by id")
        saved.year = 2007
        try await store.save(saved)
        try check(saved.metadata!.revisionId.hasPrefix("2-"), "before: save a changed object")
        let deleted = try await store.delete(saved)
        try check(deleted.objectId == id && deleted.revisionId.hasPrefix("3-"), "before: delete")
    }

    private func indexesAndQueries(in store: CDTStore) async throws {
        try await finished {
            store.createIndexWithDataType("Automobile", fields: ["year", "make"], completionHandler: $0)
        }
        try await finished { store.createIndexWithName("by-model", fields: ["model"], completionHandler: $0) }
        for (make, year) in [("Toyota", 2006), ("Saab", 2006), ("Volvo", 2010)] {
            try await store.save(Automobile(make: make, model: "x", year: year))
        }
        let query = CDTCloudantQuery(dataType: "Automobile", withPredicate: NSPredicate(format: "(year = 2006)"))
        let found = try await store.performQuery(query).compactMap { ($0 as? Automobile)?.make }
        try check(found.sorted() == ["Saab", "Toyota"], "before: a query with a predicate")
        try await finished { store.deleteIndexWithName("by-model", completionHandler: $0) }
        try await finished { store.deleteIndexWithDataType("Automobile", completionHandler: $0) }
        try check(store.datastore!.listIndexes().isEmpty, "before: delete indexes")
    }

    private func finished(_ call: (@escaping @Sendable ((any Error)?) -> Void) -> Void) async throws {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            call { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }

    private func keyProvider(_ password: String) -> CDTEncryptionKeychainProvider {
        var provider = CDTEncryptionKeychainProvider(password: password, forIdentifier: "guide")
        provider.folder = "\(directory)/keys"
        return provider
    }

    private func encryptedStore(_ manager: IMFDataManager) async throws {
        let store = try manager.localStore("secret", withEncryptionKeyProvider: keyProvider("first"))
        try check(store.datastore!.store.isEncrypted, "before: an encrypted store")
        do {
            _ = try manager.localStore("secret", withEncryptionKeyProvider: keyProvider("wrong"))
            throw StepFailure(step: "before: a wrong password")
        } catch let error as CDTError {
            try check(error.code == 400, "before: a wrong password is an error")
        }
        let changed = try keyProvider("first").changePassword(to: "second")
        _ = try manager.localStore("secret", withEncryptionKeyProvider: changed)
        print("now: another password")
    }

    private func remoteStore(_ manager: IMFDataManager) async throws {
        let store = try await manager.remoteStore("automobiles")
        store.mapper.setDataType("Automobile", forClass: Automobile.self)
        let saved = try await store.save(Automobile(make: "Fiat", model: "500", year: 1957))
        let fetched = try await store.fetchById(saved.metadata!.objectId) as? Automobile
        try check(fetched?.make == "Fiat", "before: a remote store")
        try await manager.setCurrentUserPermissions(DB_ACCESS_GROUP_MEMBERS, forStoreName: "automobiles")
        try await manager.setCurrentUserPermissions(DB_ACCESS_GROUP_ADMINS, forStoreName: "automobiles")
        print("before: permissions")
    }

    private func replications(_ manager: IMFDataManager) async throws {
        for replication in [
            try manager.pullReplicationForStore("automobiles"), try manager.pushReplicationForStore("automobiles"),
        ] as [CDTAbstractReplication] {
            let replicator = try manager.replicatorFactory.oneWay(replication)
            try check(
                CDTReplicator.stringForReplicatorState(replicator.state) == "CDTReplicatorStatePending",
                "before: a replicator")
            try replicator.start()
            while replicator.isActive() { try await Task.sleep(for: .milliseconds(20)) }
            if let error = replicator.error { throw error }
            try check(replicator.state == .complete && replicator.changesProcessed > 0, "before: a replication")
        }
        let store = try manager.localStore("automobiles")
        try check(store.datastore!.documentCount == 4, "before: the object of the server is here")
    }

    // MARK: After: CDTDatastore

    func after() async throws {
        let manager = try CDTDatastoreManager(directory: "\(directory)/after")
        defer { manager.close() }
        let datastore = try manager.datastoreNamed("claims")
        try check(try manager.datastoreNamed("claims") === datastore, "after: the same datastore")
        try documents(in: datastore)
        try queries(in: datastore)
        try attachments(in: datastore)
        let encrypted = try manager.datastoreNamed("secret", withEncryptionKeyProvider: keyProvider("second"))
        try check(encrypted.store.isEncrypted, "after: an encrypted datastore")
        try await replications(of: datastore, manager)
    }

    private func documents(in datastore: CDTDatastore) throws {
        let revision = CDTMutableDocumentRevision()
        revision.setBody(["@datatype": "Automobile", "make": "Toyota", "model": "Corolla", "year": 2006])
        let saved = try datastore.createDocumentFromRevision(revision)
        try check(saved.revId!.hasPrefix("1-") && saved.docId != nil, "after: create")
        let read = try datastore.getDocumentWithId(saved.docId!)
        try check(read.body["make"] as? String == "Toyota" && read.body["year"] as? Int == 2006, "after: read")
        let changed: CDTMutableDocumentRevision = read.mutableCopy()
        changed.body["year"] = 2007
        let updated = try datastore.updateDocumentFromRevision(changed)
        try check(updated.revId!.hasPrefix("2-"), "after: update")
        do {
            try datastore.updateDocumentFromRevision(changed)
            throw StepFailure(step: "after: a conflict")
        } catch let error as CDTError {
            try check(error.code == 409, "after: a second update of the same revision is a conflict")
        }
        let deletion = try datastore.deleteDocumentFromRevision(updated)
        try check(deletion.deleted && deletion.revId!.hasPrefix("3-"), "after: delete")
    }

    /// Runs the queries of the guide's example, which is an insurance company.
    private func queries(in datastore: CDTDatastore) throws {
        for (customer, type) in [("Ada", "Claim"), ("", "Claim"), ("Grace", "Policy"), ("Grace", "Claim")] {
            let revision = CDTMutableDocumentRevision()
            revision.setBody(["@datatype": type, "customer": customer])
            try datastore.createDocumentFromRevision(revision)
        }
        let name = datastore.ensureIndexed(["@datatype", "customer"], withName: "claimindex")
        try check(name == "claimindex" && datastore.listIndexes().keys.contains("claimindex"), "after: an index")
        let claims = datastore.find(["@datatype": "Claim", "customer": ["$gt": ""]])!
        var customers: [String] = []
        claims.enumerateObjectsUsingBlock { revision, _, _ in customers.append(revision.body["customer"] as! String) }
        try check(customers.sorted() == ["Ada", "Grace"], "after: customer > '', type Claim")
        try check(claims.documentIds.count == 2, "after: the ids of a result")
        try check(
            datastore.deleteIndexNamed("claimindex") && !datastore.deleteIndexNamed("claimindex"),
            "after: delete an index")
    }

    private func attachments(in datastore: CDTDatastore) throws {
        let path = "\(directory)/photo.txt"
        try Data("a photo".utf8).write(to: URL(fileURLWithPath: path))
        let revision = CDTMutableDocumentRevision()
        revision.docId = "with-attachments"
        revision.attachments["photo"] = CDTUnsavedFileAttachment(path: path, name: "photo", type: "text/plain")!
        revision.attachments["note"] = CDTUnsavedDataAttachment(
            data: Data("note".utf8), name: "note", type: "text/plain")!
        try datastore.createDocumentFromRevision(revision)
        let saved = try datastore.getDocumentWithId("with-attachments")
        let photo = saved.attachments["photo"]?.dataFromAttachmentContent()
        try check(photo == Data("a photo".utf8) && saved.attachments.count == 2, "after: attachments")
    }

    private func replications(of datastore: CDTDatastore, _ manager: CDTDatastoreManager) async throws {
        try await CouchDatabase("\(server)/claims", credentials: credentials).createDatabase()
        guard case .basic(let user, let password) = credentials else { return }
        let url = URL(string: "\(server)/claims")!
        let factory = CDTReplicatorFactory(datastoreManager: manager)
        let delegate = Observer()
        let push = try factory.oneWay(
            CDTPushReplication(source: datastore, target: url, username: user, password: password))
        push.delegate = delegate
        try push.start()
        try await delegate.end()
        try check(
            delegate.calls.contains("complete") && delegate.calls.contains("state"), "after: a push with a delegate")
        let copy = try manager.datastoreNamed("copy")
        let pull = CDTPullReplication(source: url, target: copy, username: user, password: password)
        let interceptor = Header()
        pull.addInterceptor(interceptor)
        let replicator = try factory.oneWay(pull)
        try replicator.start()
        while replicator.isActive() { try await Task.sleep(for: .milliseconds(20)) }
        if let error = replicator.error { throw error }
        try check(
            copy.documentCount == datastore.documentCount && interceptor.count > 0, "after: a pull with an interceptor")
    }
}

/// A step whose result differs from the result in the guide.
struct StepFailure: Error, CustomStringConvertible {
    let step: String
    var description: String { step }
}

/// Records the calls of a replicator.
@available(*, deprecated)
private final class Observer: CDTReplicatorDelegate, @unchecked Sendable {
    // Proof of `Sendable`: the lock guards the only member.
    private let lock = NSLock()
    private var seen: [String] = []

    var calls: [String] { lock.withLock { seen } }

    private func add(_ call: String) { lock.withLock { seen.append(call) } }

    func replicatorDidChangeState(_ replicator: CDTReplicator) { add("state") }
    func replicatorDidChangeProgress(_ replicator: CDTReplicator) { add("progress") }
    func replicatorDidComplete(_ replicator: CDTReplicator) { add("complete") }
    func replicatorDidError(_ replicator: CDTReplicator, info: any Error) { add("error \(info)") }

    func end() async throws {
        while !calls.contains(where: { $0 == "complete" || $0.hasPrefix("error") }) {
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}

/// Adds a header to each request.
@available(*, deprecated)
private final class Header: CDTHTTPInterceptor, @unchecked Sendable {
    // Proof of `Sendable`: the lock guards the only member.
    private let lock = NSLock()
    private var requestCount = 0

    var count: Int { lock.withLock { requestCount } }

    func interceptRequestInContext(_ context: CDTHTTPInterceptorContext) -> CDTHTTPInterceptorContext? {
        lock.withLock { requestCount += 1 }
        context.request.setValue("guide", forHTTPHeaderField: "X-App")
        return context
    }
}
