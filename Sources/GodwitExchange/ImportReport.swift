//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// What is done with a document whose id is in the database already.
package enum ConflictPolicy: String, CaseIterable, Sendable {
    /// It stays as it is.
    case skip
    /// It gets a new revision, unless it is the same.
    case replace
    /// It stays as it is, and that is a failure.
    case fail
}

/// What an import came to.
package struct ImportReport: Sendable {
    /// A record that gave no document in the database.
    package struct Failure: Sendable {
        /// Which record of the file it is, and its line, from 1.
        package let number: Int
        package let line: Int
        /// Its id, when it has one.
        package let id: String?
        package let reason: String
    }

    /// Records of the file.
    package internal(set) var readCount = 0
    /// New documents.
    package internal(set) var writtenCount = 0
    /// Documents that got a new revision.
    package internal(set) var replacedCount = 0
    /// Documents that were there before and stayed as they are.
    package internal(set) var skippedCount = 0
    /// Records that are the same as one before them.
    package internal(set) var repeatedCount = 0
    /// Records whose id was made of their content.
    package internal(set) var derivedCount = 0
    /// Records that gave no document.
    package internal(set) var failedCount = 0
    /// The first of these.
    package internal(set) var failures: [Failure] = []
    /// Why it ended before the end of the file; `nil` when it did not.
    package internal(set) var stopReason: String?

    /// Whether every record of the file is in the database.
    package var isComplete: Bool { failedCount == 0 && stopReason == nil }

    mutating func add(_ failure: Failure) {
        failedCount += 1
        if failures.count < ExchangeLimits.failuresListedMax { failures.append(failure) }
    }

    /// The report for programs.
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
