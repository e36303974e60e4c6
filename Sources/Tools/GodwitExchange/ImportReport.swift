//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// The action for a document whose id already exists in the database.
package enum ConflictPolicy: String, CaseIterable, Sendable {
    /// The existing document is not changed.
    case skip
    /// The existing document gets a new revision with the content of the record. There is no new revision if both have
    /// the same members and neither has attachments.
    case replace
    /// The existing document is not changed, and the record is counted as failed.
    case fail
}

/// The result of an import.
package struct ImportReport: Sendable {
    /// A record that was not imported.
    package struct Failure: Sendable {
        /// The record's number in the file, from 1.
        package let number: Int
        /// The line at which the record starts, from 1.
        package let line: Int
        /// The id of the record in the file. If the file contains no id for the record, this is the derived id if the
        /// record could not be written, and `nil` for any other failure.
        package let id: String?
        /// A description of the failure, for the user.
        package let reason: String
    }

    /// The number of records that were read.
    package internal(set) var readCount = 0
    /// The number of new documents.
    package internal(set) var writtenCount = 0
    /// The number of documents that got a new revision.
    package internal(set) var replacedCount = 0
    /// The number of documents that existed before and were not changed.
    package internal(set) var skippedCount = 0
    /// The number of records that repeat an earlier record of the file: both have the same id and the same members.
    package internal(set) var repeatedCount = 0
    /// The number of records whose id was derived from their content.
    package internal(set) var derivedCount = 0
    /// The number of records that failed.
    package internal(set) var failedCount = 0
    /// The first failures, at most ``ExchangeLimits/failuresListedMax``.
    package internal(set) var failures: [Failure] = []
    /// The reason why the import ended before the end of the file; `nil` when the complete file was read.
    package internal(set) var stopReason: String?

    /// Whether no record failed and the import did not stop early.
    package var isComplete: Bool { failedCount == 0 && stopReason == nil }

    mutating func add(_ failure: Failure) {
        failedCount += 1
        if failures.count < ExchangeLimits.failuresListedMax { failures.append(failure) }
    }

    /// The report as JSON.
    package var json: JSONObject {
        let counts = [
            ("read", readCount), ("written", writtenCount), ("replaced", replacedCount), ("skipped", skippedCount),
            ("repeated", repeatedCount), ("ids_made", derivedCount), ("failed", failedCount),
        ]
        var object: JSONObject = ["ok": .bool(isComplete)]
        for (name, count) in counts { object[name] = .integer(Int64(count)) }
        object["failures"] = .array(
            failures.map { failure in
                [
                    "number": .integer(Int64(failure.number)), "line": .integer(Int64(failure.line)),
                    "id": failure.id.map { .string($0) } ?? .null, "reason": .string(failure.reason),
                ]
            })
        object["stopped"] = stopReason.map { .string($0) } ?? .null
        return object
    }
}
