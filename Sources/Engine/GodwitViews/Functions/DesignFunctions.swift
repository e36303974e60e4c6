//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON
package import GodwitStore

/// The functions of one design document. This type calls its filter functions and its validation function.
package struct DesignFunctions: Sendable {
    /// The engine that runs the functions.
    package let scripts: ScriptEngine
    let program: ScriptProgram
    /// The design document's id.
    package let id: String
    /// The revision of the design document.
    package let revision: RevisionID
    /// The members of the design document, except those whose names start with an underscore.
    package let members: JSONObject

    /// Creates the functions of a design document from its row.
    package init(_ row: DocumentRow, in database: IndexedDatabase, scripts: ScriptEngine) throws {
        var text = DocumentText()
        DocumentRenderer().append(StoredRevision(winnerOf: row), to: &text)
        program = ScriptProgram(design: row.id, source: text.bytes, in: database)
        id = row.id
        revision = row.winner.revision
        members = try JSONValue(parsing: row.body).objectValue ?? [:]
        self.scripts = scripts
    }

    /// An estimate of the memory of this value, in bytes. It includes the text and the parsed members.
    var bytes: Int { program.source.count * 3 + DesignFunctions.overheadBytes }

    private static let overheadBytes = 512

    /// Returns the text of a function; `nil` when it does not exist or is not a string.
    ///
    /// - Parameter path: The names of the members on the path to the function.
    package func source(_ path: String...) -> String? {
        path.reduce(JSONValue.object(members)) { value, name in value?.objectValue?[name] }?.stringValue
    }

    /// Checks that the design document has an object with the name `kind`, and that this object has a member with the
    /// name `name`. The value of this member is not checked.
    ///
    /// - Throws: ``ScriptError`` with CouchDB's error and reason when the object or the member is missing.
    package func check(_ kind: String, _ name: String) throws(ScriptError) {
        guard let functions = members[kind]?.objectValue else {
            throw ScriptError(.thrown, error: "not_found", reason: "missing json key: \(kind)")
        }
        guard functions[name] != nil else {
            throw ScriptError(.thrown, error: "not_found", reason: "missing json key: \(name)")
        }
    }

    // MARK: Filters

    /// Runs a filter function on documents. Returns, for each document, whether the function accepts it.
    ///
    /// - Parameters:
    ///   - name: The name of the function.
    ///   - documents: Documents as JSON.
    ///   - request: The function's `req` argument as JSON.
    /// - Throws: ``ScriptError`` when the function fails.
    package func filter(
        _ name: String, _ documents: [[UInt8]], request: [UInt8]
    ) async throws(ScriptError) -> [Bool] {
        try await flags(documents.count, "filter", [Array(name.utf8), Self.list(documents), request])
    }

    /// Runs the map function of a view on documents. Returns, for each document, whether the function emits something.
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

    /// A write to validate. It contains the documents that the validation function gets, as JSON.
    package struct Write: Sendable {
        /// The new document, with `_revisions`.
        package let document: [UInt8]
        /// The stored document that the new document replaces; `nil` if there is no such document.
        package let stored: [UInt8]?

        /// Creates a write from the JSON of the new document and of the stored document.
        package init(document: [UInt8], stored: [UInt8]?) {
            self.document = document
            self.stored = stored
        }
    }

    /// Runs the validation function on writes. Returns the error for each write; `nil` for a write that the function
    /// accepts.
    ///
    /// - Parameters:
    ///   - writes: The writes to validate.
    ///   - user: The user context, `userCtx`, as JSON.
    ///   - security: The database's security object, `secObj`, as JSON.
    /// - Throws: ``ScriptError`` when the function cannot be run or is stopped.
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
            return ScriptError(
                .thrown, error: tape.text(error), reason: tape.text(reason),
                reasonJSON: tape.kind(reason) == .string ? nil : Array(tape.slice(reason)))
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

    /// Returns JSON texts as a JSON array.
    package static func list(_ texts: [[UInt8]]) -> [UInt8] {
        var list: [UInt8] = [UInt8(ascii: "[")]
        list.reserveCapacity(texts.reduce(2) { $0 + $1.count + 1 })
        for (index, text) in texts.enumerated() {
            if index > 0 { list.append(UInt8(ascii: ",")) }
            list += text
        }
        list.append(UInt8(ascii: "]"))
        return list
    }
}
