//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
package import GodwitStore

/// The functions of one design document, ready to be called.
package struct DesignFunctions: Sendable {
    package let scripts: ScriptEngine
    let program: ScriptProgram
    /// The design document's id.
    package let id: String
    /// Its revision.
    package let revision: RevisionID
    /// Its members, without those that begin with an underscore.
    package let members: JSONObject

    /// The functions of a design document as its row has it.
    package init(_ row: DocumentRow, in database: IndexedDatabase, scripts: ScriptEngine) throws {
        var text = DocumentText()
        DocumentRenderer().append(StoredRevision(winnerOf: row), to: &text)
        program = ScriptProgram(design: row.id, source: text.bytes, in: database)
        id = row.id
        revision = row.winner.revision
        members = try JSONValue(parsing: row.body).objectValue ?? [:]
        self.scripts = scripts
    }

    /// About how much memory they take: the text, and its members as values.
    var bytes: Int { program.source.count * 3 + DesignFunctions.overheadBytes }

    private static let overheadBytes = 512

    /// The text of a function; `nil` when it is not there.
    ///
    /// - Parameter path: The names of the members that lead to it.
    package func source(_ path: String...) -> String? {
        path.reduce(JSONValue.object(members)) { position, name in position?.objectValue?[name] }?.stringValue
    }

    /// Refuses what names a function that is not there, in CouchDB's words.
    package func check(_ kind: String, _ name: String) throws(ScriptError) {
        guard let functions = members[kind]?.objectValue else {
            throw ScriptError(.thrown, error: "not_found", reason: "missing json key: \(kind)")
        }
        guard functions[name] != nil else {
            throw ScriptError(.thrown, error: "not_found", reason: "missing json key: \(name)")
        }
    }

    // MARK: Filters

    /// Which documents a filter function lets through.
    ///
    /// - Parameters:
    ///   - documents: Documents as JSON.
    ///   - request: What the function is given as `req`, as JSON.
    package func filter(
        _ name: String, _ documents: [[UInt8]], request: [UInt8]
    ) async throws(ScriptError) -> [Bool] {
        try await flags(documents.count, "filter", [Array(name.utf8), Self.list(documents), request])
    }

    /// For which documents the map function of a view emits something.
    package func filter(byView name: String, _ documents: [[UInt8]]) async throws(ScriptError) -> [Bool] {
        try await flags(documents.count, "filterByView", [Array(name.utf8), Self.list(documents)])
    }

    private func flags(_ count: Int, _ function: String, _ arguments: [[UInt8]]) async throws(ScriptError) -> [Bool] {
        let answer = try await call(function, arguments)
        let flags = answer.tape.elements(of: answer.index).map { answer.tape.bool($0) ?? false }
        guard flags.count == count else { throw .invalidAnswer("no answer for each document") }
        return flags
    }

    // MARK: Validation

    /// A write as a validation sees it: documents as JSON.
    package struct Write: Sendable {
        /// The document as it is to be, with `_revisions`.
        package let document: [UInt8]
        /// The revision that it follows; `nil` when there is none.
        package let stored: [UInt8]?

        package init(document: [UInt8], stored: [UInt8]?) {
            self.document = document
            self.stored = stored
        }
    }

    /// What the validation says against each of some writes; `nil` where it says nothing.
    ///
    /// - Parameters:
    ///   - user: The user's context, `userCtx`, as JSON.
    ///   - security: The database's security object, `secObj`, as JSON.
    package func validate(
        _ writes: [Write], user: [UInt8], security: [UInt8]
    ) async throws(ScriptError) -> [ScriptError?] {
        let pairs = writes.map { Self.list([$0.document, $0.stored ?? Array("null".utf8)]) }
        let answer = try await call("validate", [Self.list(pairs), user, security])
        let tape = answer.tape
        let refusals = tape.elements(of: answer.index).map { element -> ScriptError? in
            guard let error = tape.member("error", of: element), let reason = tape.member("reason", of: element) else {
                return nil
            }
            return ScriptError(.thrown, error: tape.text(error), reason: tape.text(reason))
        }
        guard refusals.count == writes.count else { throw .invalidAnswer("no answer for each document") }
        return refusals
    }

    // MARK: Calls

    /// Calls a function of the runtime.
    package func call(
        _ function: String, _ arguments: [[UInt8]], ask: ScriptQuestions? = nil
    ) async throws(ScriptError) -> ScriptAnswer {
        try await scripts.answer(to: ScriptCall(program, function, arguments), ask: ask)
    }

    /// Texts as a list in JSON.
    package static func list(_ texts: [[UInt8]]) -> [UInt8] {
        var list: [UInt8] = [UInt8(ascii: "[")]
        list.reserveCapacity(texts.reduce(2) { $0 + $1.count + 1 })
        for (position, text) in texts.enumerated() {
            if position > 0 { list.append(UInt8(ascii: ",")) }
            list += text
        }
        list.append(UInt8(ascii: "]"))
        return list
    }
}
