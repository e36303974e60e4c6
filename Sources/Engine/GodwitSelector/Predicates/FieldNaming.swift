//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A type that declares the names of its properties in documents.
///
/// Most types need not adopt this protocol, because the name of a property in documents is its coding key. This is also
/// true for a coding key with a different name that the type declares in `CodingKeys`. Adopt the protocol if predicates
/// fail with ``QueryPredicateError/Code/unknownField``. This error occurs in these cases:
///
/// - A property is computed or wrapped.
/// - The coding keys are not an enum named `CodingKeys`.
/// - A property is within a property whose type cannot be inspected.
///
/// Also adopt the protocol if a type has custom coding, and stores a property under a key whose enum case does not have
/// the name of the property. If such a type does not adopt the protocol, no error is reported, but predicates use the
/// wrong field.
///
/// ```swift
/// struct Car: DocumentObject, FieldNaming {
///     @Clamped var year: Int
///
///     static var fieldNames: [PartialKeyPath<Car>: String] { [\.year: "year"] }
/// }
/// ```
public protocol FieldNaming {
    /// For each property whose name must be declared, the dotted path of its value in the document. A period in a name
    /// is written `\.`.
    static var fieldNames: [PartialKeyPath<Self>: String] { get }
}

extension FieldNaming {
    /// Returns the declared path of a key path; `nil` when the type declares none.
    static func declared(_ keyPath: AnyKeyPath) -> String? {
        (keyPath as? PartialKeyPath<Self>).flatMap { fieldNames[$0] }
    }

    /// Returns the field of a property with a declared path; `nil` when the type declares none.
    static func declared(property: String) -> Field? {
        for (keyPath, path) in fieldNames where KeyPathNames.names(of: keyPath) == [property] {
            return Field(steps: [path], type: type(of: keyPath).valueType)
        }
        return nil
    }
}
