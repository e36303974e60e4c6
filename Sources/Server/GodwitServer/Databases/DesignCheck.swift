//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitStore
import GodwitViews
import HTTPTypes

/// CouchDB's checks of a design document before it is written: its members have the right types, and its views compile.
struct DesignCheck {
    /// A type that a member may have.
    private enum Shape: String {
        case object, string, array

        func fits(_ value: JSONValue) -> Bool {
            switch (self, value) {
            case (.object, .object), (.string, .string), (.array, .array): true
            default: false
            }
        }
    }

    /// A rule: each member that the path matches must have one of the types. `*` in the path matches any name.
    private typealias Rule = (path: [String], shapes: [Shape])

    private let members: JSONObject
    private let language: String

    init(_ members: JSONObject) {
        self.members = members
        language = members["language"]?.stringValue ?? "javascript"
    }

    // MARK: Shapes

    private var rules: [Rule] {
        let isQuery = language == "query"
        let kinds: [Rule] = ["filters", "lists", "shows", "updates"].flatMap { kind -> [Rule] in
            [([kind], [.object]), ([kind, "*"], [.object, .string])]
        }
        return kinds + [
            (["language"], [.string]), (["options"], [.object]), (["rewrites"], [.string, .array]),
            (["validate_doc_update"], [isQuery ? .object : .string]),
            (["views"], [.object]), (["views", "*"], [.object]),
            (["views", "*", "map"], [isQuery ? .object : .string]),
            (["views", "*", "reduce"], [.string]),
        ]
    }

    /// Checks the types of the members that CouchDB defines, and that each view has a map function.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 and CouchDB's reason.
    func checkShapes() throws(HTTPFailure) {
        for rule in rules { try checkShape(.object(members), rule.path[...], rule.shapes, at: []) }
        for (name, view) in views where view["map"] == nil {
            throw .invalidDesign("View `\(name)` must contain map function")
        }
    }

    /// Checks the option `partitioned`.
    ///
    /// - Throws: ``HTTPFailure`` with status 400 when it is not a boolean, or is `true` in a database without
    ///   partitions.
    func checkPartitioning(of datastore: Datastore) throws(HTTPFailure) {
        guard let value = members["options"]?.objectValue?["partitioned"] else { return }
        guard let isPartitioned = value.boolValue else {
            throw .invalidDesign("`options.partitioned` field must have boolean type")
        }
        guard !isPartitioned || datastore.isPartitioned else {
            throw .invalidDesign("partitioned option cannot be true in a non-partitioned database.")
        }
    }

    /// Checks that all members which a path matches have one of the required types.
    ///
    /// - Parameters:
    ///   - path: The names of members below the value. `*` matches any name.
    ///   - memberPath: The names of the members above the value, for the message.
    private func checkShape(
        _ value: JSONValue, _ path: ArraySlice<String>, _ shapes: [Shape], at memberPath: [String]
    ) throws(HTTPFailure) {
        guard let name = path.first else {
            guard !shapes.contains(where: { $0.fits(value) }) else { return }
            let requiredTypes = shapes.reversed().map(\.rawValue).joined(separator: " or ")
            throw .invalidDesign("`\(memberPath.joined(separator: "."))` field must have \(requiredTypes) type")
        }
        for (member, memberValue) in value.objectValue ?? [:] where name == "*" || member.isIdenticalText(to: name) {
            // The rules for the members of a view do not apply to `lib`. This member of `views` is not a view but a
            // tree of modules.
            if memberPath.count == 1, memberPath[0] == "views", member == "lib", path.count > 1 { continue }
            try checkShape(memberValue, path.dropFirst(), shapes, at: memberPath + [member])
        }
    }

    private var views: [(name: String, members: JSONObject)] {
        (members["views"]?.objectValue ?? [:]).compactMap { name, value in
            name == "lib" ? nil : value.objectValue.map { (name, $0) }
        }
    }

    // MARK: Compilation

    /// Compiles the functions of all views. Does nothing if JavaScript is not available, or if the document is in
    /// another language.
    ///
    /// - Parameter id: The design document's id.
    /// - Throws: ``HTTPFailure`` with status 400 when a function does not compile, or a built-in reduce function is
    ///   unknown; other errors of the script engine.
    func compile(as id: String, in datastore: Datastore) async throws {
        guard language == "javascript", !views.isEmpty, let scripts = try? datastore.scripts() else { return }
        // A program with an empty design document is sufficient, because compiling a function needs no members of the
        // document. Therefore all checks of a database share one program.
        let program = ScriptProgram(design: id, source: Array("{}".utf8), in: IndexedDatabase(datastore))
        for (name, view) in views {
            if let map = view["map"]?.stringValue { try await compile("map", map, name, program, scripts) }
            guard let reduce = view["reduce"]?.stringValue else { continue }
            if reduce.begins(with: "_") {
                guard BuiltInReduces.isKnown(reduce) else {
                    throw HTTPFailure.invalidDesign(BuiltInReduces.refusal(of: reduce))
                }
            } else {
                try await compile("reduce", reduce, name, program, scripts)
            }
        }
    }

    private func compile(
        _ kind: String, _ source: String, _ view: String, _ program: ScriptProgram, _ scripts: ScriptEngine
    ) async throws {
        let call = ScriptCall(program, "check", [JSONValue.string(source).jsonBytes()])
        do {
            _ = try await scripts.answer(to: call)
        } catch {
            if error.code == .unavailable { return }
            guard error.error == "compilation_error" else { throw error }
            throw HTTPFailure(
                .badRequest, "compilation_error",
                "Compilation of the \(kind) function in the '\(view)' view failed: \(error.reason)")
        }
    }
}

extension HTTPFailure {
    fileprivate static func invalidDesign(_ reason: String) -> HTTPFailure {
        HTTPFailure(.badRequest, "invalid_design_doc", reason)
    }
}
