//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A field of documents: its path and the Swift type of its value.
struct Field: Sendable {
    /// The steps of the dotted path. Periods in names are escaped.
    var steps: [String]
    /// The type, `Optional` or not; `nil` when it is unknown.
    var type: (any Any.Type)?

    /// Creates the field of a key path.
    ///
    /// - Throws: ``QueryPredicateError`` with code ``QueryPredicateError/Code/unknownField`` when the name of a step
    ///   cannot be determined, or with code ``QueryPredicateError/Code/unsupported`` when Mango cannot address the
    ///   field.
    init<Root, Value>(_ keyPath: KeyPath<Root, Value>) throws(QueryPredicateError) {
        if keyPath as AnyKeyPath == \Root.self {
            self.init(steps: [], type: Value.self)
            return
        }
        if let naming = Root.self as? any FieldNaming.Type, let path = naming.declared(keyPath) {
            self.init(steps: [path], type: Value.self)
            try checkReachable()
            return
        }
        guard let names = KeyPathNames.names(of: keyPath) else {
            throw .unknownField(
                "a step of the key path \(String(describing: Root.self)) → \(String(describing: Value.self)) "
                    + "is not a stored property", in: Root.self)
        }
        var field = Field(steps: [], type: Root.self)
        for name in names { field = try field.member(name) }
        self.init(steps: field.steps, type: Value.self)
        try checkReachable()
    }

    init(steps: [String], type: (any Any.Type)?) {
        self.steps = steps
        self.type = type
    }

    /// Throws an error for a path that Mango cannot address.
    private func checkReachable() throws(QueryPredicateError) {
        guard let reason = DottedPath.mistake(in: steps.joined(separator: ".")) else { return }
        throw QueryPredicateError(
            .unsupported, "Mango cannot reach the field \(steps.joined(separator: ".")): \(reason)")
    }

    /// Returns the field of a property. The type of this field declares the property.
    private func member(_ property: String) throws(QueryPredicateError) -> Field {
        guard let type = type.map(Self.unwrapped) else {
            throw QueryPredicateError(
                .unknownField,
                "the type at \(steps.joined(separator: ".")) is unknown: adopt FieldNaming in the type that holds "
                    + "it, and declare its key path")
        }
        let member = try Self.member(property, of: type)
        return Field(steps: steps + member.steps, type: member.type)
    }

    private static func member(_ property: String, of type: any Any.Type) throws(QueryPredicateError) -> Field {
        if let naming = type as? any FieldNaming.Type, let declared = naming.declared(property: property) {
            return declared
        }
        guard let decodable = type as? any Decodable.Type, let finding = FieldProbe.find(property, in: decodable) else {
            throw .unknownField("\(String(describing: type)) has no coding key named \(property)", in: type)
        }
        guard !finding.name.utf8.contains(UInt8(ascii: "\\")) else {
            throw QueryPredicateError(
                .unsupported, "Mango cannot reach the field \(finding.name): its name contains a backslash")
        }
        return Field(steps: [DottedPath.escaped(finding.name)], type: finding.type)
    }

    /// Returns the type inside all levels of `Optional`.
    static func unwrapped(_ type: any Any.Type) -> any Any.Type {
        (type as? any OptionalType.Type).map { unwrapped($0.wrappedType) } ?? type
    }
}

extension QueryPredicateError {
    fileprivate static func unknownField(_ reason: String, in type: any Any.Type) -> QueryPredicateError {
        QueryPredicateError(
            .unknownField, "\(reason): adopt FieldNaming in \(String(describing: type)) and declare its key path")
    }
}

/// Gives access to the wrapped type of `Optional`.
private protocol OptionalType {
    static var wrappedType: any Any.Type { get }
}

extension Optional: OptionalType {
    static var wrappedType: any Any.Type { Wrapped.self }
}
