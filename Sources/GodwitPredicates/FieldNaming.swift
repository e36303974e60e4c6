//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A type that says under which names its properties stand in documents.
///
/// Mostly nobody needs it: the name of a property is its coding key, also where `CodingKeys` rename it. It helps where
/// predicates fail with ``QueryPredicateError/Code/unknownField``: properties that are computed or wrapped, coding keys
/// that are no enum of the name `CodingKeys`, and properties inside of others whose type cannot be looked through.
/// Where coding by hand keeps a property under another key than that of its name, it is needed too, and nothing tells
/// it.
///
/// ```swift
/// struct Car: DocumentObject, FieldNaming {
///     @Clamped var year: Int
///
///     static var fieldNames: [PartialKeyPath<Car>: String] { [\.year: "year"] }
/// }
/// ```
public protocol FieldNaming {
    /// The dotted path in the document for each property that needs one. A point in a name is written `\.`.
    static var fieldNames: [PartialKeyPath<Self>: String] { get }
}

extension FieldNaming {
    /// The declared path of a key path, or of the property that has a name.
    static func declared(_ keyPath: AnyKeyPath) -> String? {
        (keyPath as? PartialKeyPath<Self>).flatMap { fieldNames[$0] }
    }

    /// The declared path of a property, and its type.
    static func declared(property: String) -> Field? {
        for (keyPath, path) in fieldNames where KeyPathNames.names(of: keyPath) == [property] {
            return Field(steps: [path], type: type(of: keyPath).valueType)
        }
        return nil
    }
}
