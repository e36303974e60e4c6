//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A type that declares the names of its properties in documents.
///
/// Most types need not adopt this protocol: the name of a property is its coding key, even if `CodingKeys` renames it.
/// Adopt the protocol if predicates fail with ``QueryPredicateError/Code/unknownField``. This error occurs in these
/// cases:
///
/// - A property is computed or wrapped.
/// - The coding keys are not an enum named `CodingKeys`.
/// - A property is within a property whose type cannot be inspected.
///
/// The protocol is also needed if custom coding stores a property under a key that differs from the coding key with the
/// name of the property. In this case, no error reports that the type does not adopt the protocol.
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
