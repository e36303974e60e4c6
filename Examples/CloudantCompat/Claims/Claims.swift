//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// An app that was written for Cloudant Sync: the claims of an insurance company, with the old names only. Its datastore
// was imported by `godwit import-cdt`, and its server is Godwit.
//
//     ClaimsApp DIRECTORY URL list
//     ClaimsApp DIRECTORY URL add CUSTOMER TEXT [PHOTO]
//     ClaimsApp DIRECTORY URL close ID
//     ClaimsApp DIRECTORY URL sync

import Foundation
import GodwitCloudantCompat

@available(*, deprecated)
@main
struct Claims {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count > 3 else {
            print("usage: ClaimsApp DIRECTORY URL list|add|close|sync")
            exit(2)
        }
        do {
            try await Claims(arguments[1], arguments[2]).run(Array(arguments.dropFirst(3)))
        } catch {
            print("\(error)")
            exit(1)
        }
    }

    let manager: CDTDatastoreManager
    let datastore: CDTDatastore
    let remote: URL

    init(_ directory: String, _ url: String) throws {
        manager = try CDTDatastoreManager(directory: directory)
        datastore = try manager.datastoreNamed("claims")
        remote = URL(string: url)!
        datastore.ensureIndexed(["@datatype", "customer"], withName: "claimindex")
    }

    func list() {
        let open = datastore.find(
            ["@datatype": "Claim", "customer": ["$gt": ""]], skip: 0, limit: 0, fields: nil, sort: [["customer": "asc"]]
        )
        open?.enumerateObjectsUsingBlock { revision, _, _ in
            let state = revision.body["closed"] as? Bool == true ? "closed" : "open"
            let photos = revision.attachments.values.map { "\($0.name) (\($0.size) bytes)" }.sorted()
            let words = [revision.body["customer"], revision.body["text"]].map { $0 as? String ?? "" }
            print(([revision.docId ?? "", state] + words + photos).joined(separator: "  "))
        }
        let conflicts = datastore.getConflictedDocumentIds()
        if !conflicts.isEmpty { print("in conflict: \(conflicts.joined(separator: ", "))") }
    }

    func add(_ customer: String, _ text: String, photo: String?) throws {
        let revision = CDTMutableDocumentRevision()
        revision.setBody(["@datatype": "Claim", "customer": customer, "text": text, "closed": false])
        if let photo, let attachment = CDTUnsavedFileAttachment(path: photo, name: "photo", type: "image/jpeg") {
            revision.attachments["photo"] = attachment
        }
        print(try datastore.createDocumentFromRevision(revision).docId ?? "")
    }

    func close(_ id: String) throws {
        let revision: CDTMutableDocumentRevision = try datastore.getDocumentWithId(id).mutableCopy()
        revision.body["closed"] = true
        try datastore.updateDocumentFromRevision(revision)
    }

    /// Resolves a conflict of a claim: a revision in which the claim is closed wins. If there is none, the first
    /// revision wins.
    struct ClosedWins: CDTConflictResolver {
        func resolve(_ docId: String, conflicts: [CDTDocumentRevision]) -> CDTDocumentRevision? {
            conflicts.first { $0.body["closed"] as? Bool == true } ?? conflicts.first
        }
    }

    func sync() async throws {
        let factory = CDTReplicatorFactory(datastoreManager: manager)
        for replication in [
            CDTPullReplication(source: remote, target: datastore),
            CDTPushReplication(source: datastore, target: remote),
        ] as [CDTAbstractReplication] {
            let replicator = try factory.oneWay(replication)
            try replicator.start()
            while replicator.isActive() { try await Task.sleep(for: .milliseconds(50)) }
            if let error = replicator.error { throw error }
            print("\(CDTReplicator.stringForReplicatorState(replicator.state)) \(replicator.changesProcessed)")
            for id in datastore.getConflictedDocumentIds() {
                try datastore.resolveConflictsForDocument(id, resolver: ClosedWins())
            }
        }
    }

    func run(_ arguments: [String]) async throws {
        switch arguments.first {
        case "list": list()
        case "add": try add(arguments[1], arguments[2], photo: arguments.count > 3 ? arguments[3] : nil)
        case "close": try close(arguments[1])
        case "sync": try await sync()
        default: print("usage: ClaimsApp DIRECTORY URL list|add|close|sync")
        }
        manager.close()
    }
}
