//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitJSON
public import GodwitStore

/// A row of a view.
public struct ViewRow: Sendable {
    /// The id of the document that emitted the row; `nil` in a reduced query.
    public let id: String?
    /// The emitted key, or the key of a group; null for a single group of all rows.
    public let key: JSONValue
    /// The emitted value, or the reduced value of a group.
    public let value: JSONValue
    /// The document that emitted the row. If the value specifies another document as `_id`, this is the other document.
    /// The property is `nil` when the query does not request documents, or when the document does not exist, is
    /// deleted, or does not have the revision that the value specifies as `_rev`.
    public let document: Document?

    /// Creates a row from the values of its properties.
    package init(id: String?, key: JSONValue, value: JSONValue, document: Document?) {
        (self.id, self.key, self.value, self.document) = (id, key, value, document)
    }
}
