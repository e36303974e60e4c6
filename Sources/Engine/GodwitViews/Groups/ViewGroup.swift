//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
import GodwitSelector
package import GodwitStore

// The views of one design document form one index: a document is read once for all of these views, and one call passes
// it to all their functions. A group is defined by a text that contains the functions, modules and options in a fixed
// order. The hash of this text is the name of the index. (In CouchDB, such a hash is the name of the view's file.) Two
// design documents with equal texts share one index.

/// The views of a design document, which share an index.
package struct ViewGroup: Sendable {
    /// A view of the group.
    package struct View: Sendable, Equatable {
        /// The view's name in the design document.
        package let name: String
        let map: String
        /// The text of the reduce function, or the name of a built-in reduce function; `nil` when the view has no
        /// reduce function.
        package let reduce: String?
        /// The collation of its keys.
        let collation: Collation
    }

    /// The collation of keys.
    package enum Collation: String, Sendable {
        /// CouchDB's default: strings in the order of Unicode's root collation.
        case unicode
        /// The order of Erlang's terms: strings by their bytes.
        case raw
    }

    /// The maximum number of views in a group. An entry contains the number of its view in two bytes.
    package static let viewsMax = 65_535

    /// The views ordered by their names. A view's number is its position in this array.
    package let views: [View]
    /// The modules of the views.
    let library: JSONValue?
    /// Whether design documents are indexed too.
    let includesDesigns: Bool
    /// Whether documents have the member `_local_seq`.
    let hasLocalSequence: Bool
    /// Whether rows are grouped by partition if the database is partitioned.
    package let isPartitioned: Bool

    /// The languages of design documents that the server understands. Exact: the names are ASCII.
    static let languages: Set = ["javascript", "query"]

    /// Creates the group of a design document; `nil` when it has no views with a map function, it has more than
    /// ``viewsMax``, or its language is not JavaScript.
    ///
    /// - Parameter design: The body of the document.
    package init?(design: JSONObject) {
        let language = design["language"]?.stringValue ?? "javascript"
        guard language == "javascript", let members = design["views"]?.objectValue else { return nil }
        let views = members.compactMap { name, value -> View? in
            guard name != "lib", let map = value["map"]?.stringValue else { return nil }
            return View(
                name: name, map: map, reduce: value["reduce"]?.stringValue,
                collation: value["options"]?["collation"]?.stringValue.flatMap(Collation.init) ?? .unicode)
        }
        guard !views.isEmpty, views.count <= Self.viewsMax else { return nil }
        self.views = views.sorted { Array($0.name.utf16).lexicographicallyPrecedes(Array($1.name.utf16)) }
        library = members["lib"]
        let options = design["options"]?.objectValue
        includesDesigns = options?["include_design"]?.boolValue ?? false
        hasLocalSequence = options?["local_seq"]?.boolValue ?? false
        isPartitioned = options?["partitioned"]?.boolValue ?? true
    }

    /// Creates the group of an index; `nil` when its definition is not valid.
    package init?(_ index: IndexDescription) {
        guard let design = try? JSONValue(parsing: index.definition).objectValue else { return nil }
        self.init(design: design)
    }

    /// The group as a design document with a fixed order of members. This text is both the definition of the index and
    /// the source of the JavaScript program. The text includes the version of the collation, so that a new index is
    /// built if this version changes.
    var text: [UInt8] {
        var members = JSONObject()
        for view in views {
            var functions = JSONObject()
            functions["map"] = .string(view.map)
            if let reduce = view.reduce { functions["reduce"] = .string(reduce) }
            if view.collation != .unicode { functions["options"] = ["collation": .string(view.collation.rawValue)] }
            members[view.name] = .object(functions)
        }
        if let library { members["lib"] = library }
        var options = JSONObject()
        options["include_design"] = .bool(includesDesigns)
        options["local_seq"] = .bool(hasLocalSequence)
        options["partitioned"] = .bool(isPartitioned)
        return JSONValue.object([
            "views": .object(members), "options": .object(options), "order": .string(CollationKey.version),
        ]).jsonBytes()
    }

    /// Returns the number of a view; `nil` when the group has no view of this name.
    package func position(of name: String) -> Int? { views.firstIndex { $0.name.isIdenticalText(to: name) } }
}
