//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

/// Parses a design document of the language `query`, in which Mango stores its indexes.
package struct QueryDesign {
    /// The indexes of the type `json` with their definitions.
    package private(set) var views: [(name: String, map: JSONValue)] = []
    /// The indexes of the type `text`.
    package private(set) var texts: [(name: String, index: JSONValue)] = []

    /// Parses a design document's body. A design document of another language has no indexes.
    package init(_ body: [UInt8]) {
        guard let members = (try? JSONValue(parsing: body))?.objectValue, members["language"] == "query" else { return }
        for (name, view) in members["views"]?.objectValue ?? [:] {
            if let map = view.objectValue?["map"], map.objectValue != nil { views.append((name, map)) }
        }
        for (name, index) in members["indexes"]?.objectValue ?? [:] where index.objectValue != nil {
            texts.append((name, index))
        }
    }
}
