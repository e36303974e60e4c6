//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import HTTPTypes

/// The rules for ids in a partitioned database: `PARTITION:ID`.
enum PartitionedID {
    /// Checks the id of a document. Ids that begin with `_` need no partition.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 and CouchDB's reason.
    static func check(_ id: String) throws(HTTPFailure) {
        guard id.utf8.first != UInt8(ascii: "_") else { return }
        guard let colon = id.utf8.firstIndex(of: UInt8(ascii: ":")) else {
            throw HTTPFailure(.badRequest, "illegal_docid", "Doc id must be of form partition:id")
        }
        try check(partition: String(id[..<colon]))
        guard id.utf8.index(after: colon) < id.utf8.endIndex else {
            throw HTTPFailure(.badRequest, "illegal_docid", "Document id must not be empty")
        }
    }

    /// Checks the name of a partition.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when it is empty or begins with `_`.
    static func check(partition: String) throws(HTTPFailure) {
        guard !partition.isEmpty else {
            throw HTTPFailure(.badRequest, "illegal_partition", "Partition must not be empty")
        }
        guard partition.utf8.first != UInt8(ascii: "_") else {
            throw HTTPFailure(.badRequest, "illegal_partition", "Partition must not start with an underscore")
        }
    }
}
