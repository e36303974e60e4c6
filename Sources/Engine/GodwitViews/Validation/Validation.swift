//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitSelector
package import GodwitStore

/// The rules by which the design documents of a database validate writes (`validate_doc_update`): JavaScript functions,
/// and selectors in design documents of the language `query`. A document is written only if all validations accept it.
package struct Validation: Sendable {
    /// The validation of one design document.
    private enum Rule: Sendable {
        case function(DesignFunctions)
        /// A selector over `{newDoc, oldDoc}`. `oldDoc` is missing if no stored document is replaced.
        case selector(Selector)
        /// An invalid validation, which refuses every write.
        case broken(ScriptError)
    }

    private static let memberName = "validate_doc_update"
    /// The maximum number of documents passed to one call of a function.
    private static let writesPerCall = 100

    private let rules: [Rule]

    /// Reads the validations of a database. They are cached until a design document changes. Returns `nil` when the
    /// database has no validations. Rethrows errors of reading the database.
    package init?(of datastore: Datastore) throws {
        guard try datastore.hasDesignDocument(withMember: Self.memberName) else { return nil }
        rules = try datastore.cachedOfDesigns(Self.memberName) { try Self.rules(of: datastore) }
    }

    private static func rules(of datastore: Datastore) throws -> [Rule] {
        var rules: [Rule] = []
        try datastore.eachDesign { row in
            let functions = try datastore.functions(of: row)
            guard let rule = functions.members[memberName] else { return }
            switch functions.members["language"]?.stringValue {
            case "query": rules.append(selector(rule, of: functions.id))
            case "javascript", nil: rules.append(.function(functions))
            case let language?:
                let reason =
                    "`validate_doc_update` of \(functions.id) is in the language \(language), and this server runs "
                    + "JavaScript. An administrator can change or delete the design document; nothing else can be written."
                rules.append(.broken(ScriptError(.thrown, error: "unknown_query_language", reason: reason)))
            }
        }
        return rules
    }

    private static func selector(_ rule: JSONValue, of design: String) -> Rule {
        guard testsOnlyDocuments(rule) else {
            let reason =
                "'validate_doc_update' of \(design) may only contain 'newDoc' and 'oldDoc' as top-level fields"
            return .broken(ScriptError(.thrown, error: "invalid_validate_doc_update", reason: reason))
        }
        do {
            return .selector(try Selector(parsing: rule))
        } catch {
            return .broken(ScriptError(.thrown, error: error.error, reason: error.reason))
        }
    }

    /// Whether a selector tests only the new and the stored document. If the selector combines other selectors, they
    /// are checked too.
    private static func testsOnlyDocuments(_ selector: JSONValue) -> Bool {
        guard let fields = selector.objectValue else { return false }
        return fields.allSatisfy { name, condition in
            switch name {
            case "$and", "$or", "$nor": condition.arrayValue?.allSatisfy(testsOnlyDocuments) == true
            case "$not": testsOnlyDocuments(condition)
            default: ["newDoc", "oldDoc"].contains(name.prefix { $0 != "." })
            }
        }
    }

    // MARK: Calling the functions

    /// The JSON arguments of validations that describe the user and the database.
    package struct Context: Sendable {
        /// The `userCtx`.
        package let user: [UInt8]
        /// The `secObj`.
        package let security: [UInt8]

        /// Creates a context from the `userCtx` and the `secObj`, both as JSON.
        package init(user: [UInt8], security: [UInt8]) {
            self.user = user
            self.security = security
        }
    }

    /// Returns the refusals of writes, in the order of the writes; `nil` for an accepted write.
    ///
    /// - Throws: ``ScriptError`` when a function did not return a result, or an error of reading the database.
    package func refusals(
        of documents: [IncomingDocument], in datastore: Datastore, _ context: Context
    ) async throws -> [ScriptError?] {
        let validatedIndexes = documents.indices.filter { Self.isValidated(documents[$0]) }
        var refusals = [ScriptError?](repeating: nil, count: documents.count)
        for start in stride(from: 0, to: validatedIndexes.count, by: Self.writesPerCall) {
            let batch = validatedIndexes[start..<min(start + Self.writesPerCall, validatedIndexes.count)]
            let writes = try batch.map { index in try datastore.read { try $0.write(of: documents[index]) } }
            for (index, refusal) in zip(batch, try await self.refusals(of: writes, context)) {
                refusals[index] = refusal
            }
        }
        return refusals
    }

    /// Returns the refusal of a write within a transaction; `nil` when the write is accepted. The method blocks its
    /// thread until the functions have returned.
    ///
    /// - Parameter table: The database state in the transaction.
    /// - Throws: ``ScriptError`` when a function did not return a result, or an error of reading the database.
    func refusal(of document: IncomingDocument, in table: DocumentTable, _ context: Context) throws -> ScriptError? {
        guard Self.isValidated(document) else { return nil }
        let write = try table.write(of: document)
        return try waiting { () -> Result<ScriptError?, any Error> in
            do {
                return .success(try await refusals(of: [write], context)[0])
            } catch {
                return .failure(error)
            }
        }.get()
    }

    /// Design documents are not validated. Only administrators can write them, and administrators must be able to
    /// repair an invalid validation.
    private static func isValidated(_ document: IncomingDocument) -> Bool {
        document.id.map(DocumentID.isDesign) != true
    }

    private func refusals(
        of writes: [DesignFunctions.Write], _ context: Context
    ) async throws -> [ScriptError?] {
        var refusals = [ScriptError?](repeating: nil, count: writes.count)
        for rule in rules {
            let ruleRefusals: [ScriptError?]
            switch rule {
            case .function(let functions):
                ruleRefusals = try await functions.validate(writes, user: context.user, security: context.security)
            case .selector(let selector): ruleRefusals = try writes.map { try Self.refusal(of: $0, by: selector) }
            case .broken(let failure): ruleRefusals = writes.map { _ in failure }
            }
            for (index, refusal) in ruleRefusals.enumerated() where refusals[index] == nil {
                refusals[index] = refusal
            }
        }
        return refusals
    }

    private static func refusal(of write: DesignFunctions.Write, by selector: Selector) throws -> ScriptError? {
        var text: [UInt8] = Array("{\"newDoc\":".utf8) + write.document
        if let stored = write.stored { text += Array(",\"oldDoc\":".utf8) + stored }
        text.append(UInt8(ascii: "}"))
        guard !selector.matches(try JSONTape(scanning: text)) else { return nil }
        return ScriptError(.thrown, error: "forbidden", reason: "document is not valid")
    }
}

extension DocumentTable {
    /// Returns a document and the stored revision that it replaces, in the format for validations. If there is no such
    /// revision, `stored` is `nil`.
    fileprivate func write(of document: IncomingDocument) throws -> DesignFunctions.Write {
        guard let id = document.id, let row = try row(id: id) else {
            return DesignFunctions.Write(document: document.functionText(following: []), stored: nil)
        }
        // For a replicated revision, the stored revision is the youngest ancestor whose body is stored.
        let ancestors = document.path.isEmpty ? document.revision.map { [$0] } ?? [] : Array(document.path.dropFirst())
        for ancestor in ancestors {
            guard let stored = try revision(ancestor, of: row) else { continue }
            var tree = try row.tree()
            if tree.index(of: ancestor) == nil { tree = try fullTree(of: row) }
            let path = tree.index(of: ancestor).map { tree.path(from: $0) } ?? [ancestor]
            return DesignFunctions.Write(
                document: document.functionText(following: path, stored.attachments),
                stored: try functionText(of: stored, in: row))
        }
        return DesignFunctions.Write(document: document.functionText(following: ancestors), stored: nil)
    }
}
