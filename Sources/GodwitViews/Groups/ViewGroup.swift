//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
import GodwitScript
import GodwitSelector
package import GodwitStore

// The views of one design document are one index: a document is read once for all of them, and runs through their functions in
// one call. What a group is made of is a text: functions, modules and options in a fixed order. Its hash is the signature by
// which CouchDB names a view's file, and two design documents that say the same share one index.

/// The views of a design document, as they are indexed.
package struct ViewGroup: Sendable {
    /// One of the views.
    package struct View: Sendable, Equatable {
        package let name: String
        let map: String
        /// The reduce function's text, or the name of a built-in one.
        package let reduce: String?
        /// The order of its keys.
        let collation: Collation
    }

    /// The order of keys.
    package enum Collation: String, Sendable {
        /// CouchDB's: text in the order of people's languages.
        case unicode
        /// By bytes.
        case raw
    }

    /// By their names in order; a view's place is its number within the index.
    package let views: [View]
    /// The modules of the views.
    let library: JSONValue?
    /// Whether design documents are indexed too.
    let includesDesigns: Bool
    /// Whether documents carry `_local_seq`.
    let hasLocalSequence: Bool
    /// Whether a view's rows are those of one partition each, in a database with partitions.
    package let isPartitioned: Bool

    /// The views of a design document; `nil` when it has none, or is not of JavaScript.
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
        guard !views.isEmpty else { return nil }
        self.views = views.sorted { Array($0.name.utf16).lexicographicallyPrecedes(Array($1.name.utf16)) }
        library = members["lib"]
        let options = design["options"]?.objectValue
        includesDesigns = options?["include_design"]?.boolValue ?? false
        hasLocalSequence = options?["local_seq"]?.boolValue ?? false
        isPartitioned = options?["partitioned"]?.boolValue ?? true
    }

    /// A group as an index has it.
    package init?(_ index: IndexDescription) {
        guard let design = try? JSONValue(parsing: index.definition).objectValue else { return nil }
        self.init(design: design)
    }

    /// All of it as a design document, always in the same order: what the index is made of, and the program that runs. The
    /// version of the order of texts is part of it: with another one it is another index.
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

    /// The number of a view.
    package func position(of name: String) -> Int? { views.firstIndex { $0.name.isIdenticalText(to: name) } }
}
