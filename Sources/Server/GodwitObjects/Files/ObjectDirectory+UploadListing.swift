//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import GodwitSQLite
import GodwitStore

/// An entry of a list of unfinished uploads.
package enum ListedUpload: Sendable {
    case upload(PartialUpload)
    /// A common prefix of names, which ends with the delimiter.
    case prefix(String)

    /// The name of the object, or the prefix.
    package var name: String {
        switch self {
        case .upload(let upload): upload.name
        case .prefix(let prefix): prefix
        }
    }
}

/// The part of the unfinished uploads of a container to list.
package struct UploadListingRequest: Sendable {
    /// The text with which all listed names begin; empty for all names.
    package var prefix = ""
    /// The text that groups names. If several names are equal from the beginning to the first delimiter after
    /// ``prefix``, they are listed as one entry. If the delimiter is empty, names are not grouped.
    package var delimiter = ""
    /// The name after which the list begins. If it has a common prefix, all names with this prefix are skipped.
    package var after = ""
    /// The id of the upload of the object ``after`` after which the list begins; `nil` to skip all its uploads.
    package var afterID: String?
    /// The largest number of entries.
    package var countMax = 1_000

    /// Creates a request for the first uploads of a container.
    package init() {}

    /// Returns the part of a name up to the first delimiter after the prefix; `nil` if there is none.
    fileprivate func commonPrefix(of name: String) -> String? {
        Array(name.utf8).commonPrefix(after: Array(prefix.utf8), to: Array(delimiter.utf8))
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

extension ObjectDirectory {
    /// An id that follows all ids of uploads.
    private static let lastID = "\u{10FFFF}"
    /// The number of uploads that are read together.
    private static let uploadRowsMax = 100

    /// Lists unfinished uploads of a container, in the order of the names and ids.
    ///
    /// - Returns: The entries, and whether more follow.
    package func uploads(
        in container: ObjectContainer, _ request: UploadListingRequest
    ) throws -> (entries: [ListedUpload], hasMore: Bool) {
        var entries: [ListedUpload] = []
        var position = (name: request.after, id: request.afterID ?? Self.lastID)
        var group = request.commonPrefix(of: request.after)
        guard request.countMax > 0 else { return ([], false) }
        if position.name.utf8.lexicographicallyPrecedes(request.prefix.utf8) { position = (request.prefix, "") }
        while true {
            if WorkBudget.current?.isCancelled == true { throw ObjectError(.cancelled, "The client has gone.") }
            if let group, case let end = group + Self.lastID, position.name.utf8.starts(with: group.utf8),
                !position.name.utf8.starts(with: end.utf8)
            {
                position = (end, Self.lastID)
            }
            let rows = try uploads(in: container, after: position)
            for upload in rows {
                position = (upload.name, upload.id)
                // The names with the prefix are adjacent.
                guard upload.name.utf8.starts(with: request.prefix.utf8) else { return (entries, false) }
                if let group, upload.name.utf8.starts(with: group.utf8) { continue }
                guard entries.count < request.countMax else { return (entries, true) }
                group = request.commonPrefix(of: upload.name)
                entries.append(group.map { .prefix($0) } ?? .upload(upload))
                if group != nil { break }
            }
            if rows.isEmpty { return (entries, false) }
        }
    }

    private func uploads(
        in container: ObjectContainer, after position: (name: String, id: String)
    ) throws -> [PartialUpload] {
        try catalogue.read { connection in
            try connection.rows(
                """
                SELECT id, account, container, name, created, properties FROM uploads
                WHERE container = ?1 AND (name, id) > (?2, ?3)
                ORDER BY name, id LIMIT ?4
                """,
                {
                    $0.bind(container.id, at: 1)
                    $0.bind(position.name, at: 2)
                    $0.bind(position.id, at: 3)
                    $0.bind(Self.uploadRowsMax, at: 4)
                }, PartialUpload.init)
        }
    }
}
