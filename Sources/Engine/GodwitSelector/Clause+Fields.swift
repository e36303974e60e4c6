//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The second step of normalization (`norm_fields`), which gives each condition the complete path of its field.
extension Clause {
    /// Moves the names of enclosing fields into the conditions: `{"a": {"$and": [{"b": 1}, {"$gt": 0}]}}` becomes
    /// `{"$and": [{"a.b": 1}, {"a": {"$gt": 0}}]}`.
    ///
    /// Below `$elemMatch`, `$allMatch` and `$keyMapMatch`, paths start again from the element or key. A condition on
    /// the element or key itself has the empty path.
    ///
    /// - Parameter path: The path of the enclosing fields.
    /// - Throws: ``SelectorError`` with `bad_field` for a `$text` below a field, and with `invalid_selector` when a
    ///   joined path is longer than ``SelectorLimits/fieldBytesMax``.
    func withFields(below path: FieldPath = FieldPath("")) throws(SelectorError) -> Clause {
        switch self {
        case .and(let clauses): return .and(try Self.withFields(clauses, below: path))
        case .or(let clauses): return .or(try Self.withFields(clauses, below: path))
        case .nor(let clauses): return .nor(try Self.withFields(clauses, below: path))
        case .not(let clause): return .not(try clause.withFields(below: path))
        case .elemMatch(let clause): return .field(path, .elemMatch(try clause.withFields()))
        case .allMatch(let clause): return .field(path, .allMatch(try clause.withFields()))
        case .keyMapMatch(let clause): return .field(path, .keyMapMatch(try clause.withFields()))
        case .condition: return .field(path, self)
        case .field(let name, let clause):
            let completePath = path.text.isEmpty ? name : path.appending(name.text)
            if completePath.text.utf8.count > SelectorLimits.fieldBytesMax { throw .fieldTooLong }
            return try clause.withFields(below: completePath)
        case .text:
            guard path.text.isEmpty else { throw .badField(json) }
            return self
        }
    }

    private static func withFields(_ clauses: [Clause], below path: FieldPath) throws(SelectorError) -> [Clause] {
        var clausesWithFields: [Clause] = []
        for clause in clauses { clausesWithFields.append(try clause.withFields(below: path)) }
        return clausesWithFields
    }

    /// Throws ``SelectorError`` when a path has an empty step.
    func checkFields() throws(SelectorError) {
        var invalid: String?
        forEach { if case .field(let path, _) = $0, !path.isValid { invalid = invalid ?? path.text } }
        if let invalid { throw .invalidFieldName(invalid) }
    }
}
