//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import Godwit

/// A class that a ``CDTStore`` saves.
///
/// Origin: `CDTDataObject`, `IMFDataObject`. New: ``GodwitStore/DocumentObject``.
@available(*, deprecated, message: "Use DocumentObject.")
public protocol CDTDataObject: AnyObject {
    /// The id and the revision of the saved object; `nil` before it is saved.
    ///
    /// Origin: `metadata`. New: ``GodwitStore/TypedDocument``.
    var metadata: CDTDataObjectMetadata? { get set }

    /// Creates an object without values.
    ///
    /// Origin: `init`. New: `Codable`.
    init()

    /// The values of the object. The key of each value is the name of the member that contains it.
    ///
    /// Origin: the properties of the class, by key-value coding. New: `Codable`.
    var values: [String: Any] { get set }
}

/// The id and the revision of a saved object.
///
/// Origin: `CDTDataObjectMetadata`. New: ``GodwitStore/TypedDocument``.
@available(*, deprecated, message: "Use TypedDocument.")
public struct CDTDataObjectMetadata: Equatable, Sendable {
    /// The id of the document.
    ///
    /// Origin: `objectId`. New: ``GodwitStore/Document/id``.
    public let objectId: String
    /// The revision.
    ///
    /// Origin: `revisionId`. New: ``GodwitStore/Document/revision``.
    public let revisionId: String
}

/// Converts a value that JSON cannot represent.
///
/// Origin: `CDTPropertySerializer`. New: `Codable`.
@available(*, deprecated, message: "Use Codable.")
public protocol CDTPropertySerializer: Sendable {
    /// Returns the JSON value; `nil` if the serializer cannot convert this value. In this case, the object cannot be
    /// saved.
    ///
    /// Origin: `serializePropertyValue:`. New: `Encodable`.
    func serialize(_ value: Any) -> Any?
    /// Returns the value for a JSON value; `nil` to use the JSON value itself.
    ///
    /// Origin: `deserializePropertyValue:`. New: `Decodable`.
    func deserialize(_ value: Any) -> Any?
}

/// Converts dates to text with milliseconds, in UTC: `2015-06-30T12:00:00.000Z`.
///
/// Origin: `CDTDateSerializer`. New: `Codable`.
@available(*, deprecated, message: "Use Codable.")
public struct CDTDateSerializer: CDTPropertySerializer {
    /// Creates a serializer.
    ///
    /// Origin: `init`. New: `Codable`.
    public init() {}

    private static let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

    /// See ``CDTPropertySerializer/serialize(_:)``.
    ///
    /// Origin: `serializePropertyValue:`. New: `Encodable`.
    public func serialize(_ value: Any) -> Any? { (value as? Date)?.formatted(Self.style) }

    /// See ``CDTPropertySerializer/deserialize(_:)``.
    ///
    /// Origin: `deserializePropertyValue:`. New: `Decodable`.
    public func deserialize(_ value: Any) -> Any? { (value as? String).flatMap { try? Date($0, strategy: Self.style) } }
}

/// Converts objects to documents. The member `@datatype` of a document names the class of its object.
///
/// Origin: `IMFDataObjectMapper`, `CDTObjectMapper`. New: ``GodwitStore/DocumentObject``.
@available(*, deprecated, message: "Use DocumentObject.")
public final class IMFDataObjectMapper {
    /// The name of the member that contains the type of an object.
    ///
    /// Origin: `@datatype`. New: ``GodwitStore/DocumentObject``'s type member.
    static let typeMember = "@datatype"

    private var dataTypes: [String: String] = [:]
    private var classes: [String: any CDTDataObject.Type] = [:]
    private var serializers: [String: any CDTPropertySerializer] = [:]

    /// Creates a mapper without types.
    ///
    /// Origin: `init`. New: ``GodwitStore/DocumentObject``.
    public init() {}

    /// Sets the type of the objects of a class. Objects of a class without a type cannot be saved or read.
    ///
    /// Origin: `setDataType:forClassName:`. New: ``GodwitStore/DocumentObject``'s type member.
    @available(*, deprecated, message: "Use DocumentObject.")
    public func setDataType(_ dataType: String, forClass objectClass: any CDTDataObject.Type) {
        dataTypes[Self.name(objectClass)] = dataType
        classes[dataType] = objectClass
    }

    /// Returns the type of a class; `nil` if none was set.
    ///
    /// Origin: `dataTypeForClassName:`. New: ``GodwitStore/DocumentObject``'s type member.
    @available(*, deprecated, message: "Use DocumentObject.")
    public func dataTypeForClassName(_ className: String) -> String? { dataTypes[className] }

    /// Sets the serializer of a member. If a member has no serializer, a date is written with ``CDTDateSerializer``,
    /// but is read as a text.
    ///
    /// Origin: `setPropertySerializer:forPropertyName:`. New: `Codable`.
    @available(*, deprecated, message: "Use Codable.")
    public func setPropertySerializer(_ serializer: any CDTPropertySerializer, forPropertyName name: String) {
        serializers[name] = serializer
    }

    private static func name(_ objectClass: any CDTDataObject.Type) -> String { String(describing: objectClass) }

    /// Returns the members of an object's document.
    ///
    /// - Parameters:
    ///   - object: The object.
    ///   - original: The members of the revision that the object was read from.
    func body(of object: any CDTDataObject, readFrom original: JSONObject = [:]) throws -> JSONObject {
        guard let dataType = dataTypes[Self.name(type(of: object))] else {
            throw CDTError(400, "The class \(Self.name(type(of: object))) has no data type. Call setDataType first.")
        }
        var members: [String: Any] = [:]
        for (name, value) in object.values {
            let serialized = (serializers[name] ?? (value is Date ? CDTDateSerializer() : nil)).map {
                $0.serialize(value)
            }
            guard let converted = serialized ?? value else {
                throw CDTError(493, "The serializer of \(name) has no JSON for its value.")
            }
            members[name] = converted
        }
        members[Self.typeMember] = dataType
        guard let body = FoundationValues.object(members, readFrom: original) else {
            throw CDTError(493, "The object has a value that is no JSON. Set a serializer for it.")
        }
        return body
    }

    /// Returns the object of a document; `nil` if no class is registered for its type.
    func object(of document: Document) -> (any CDTDataObject)? {
        guard let dataType = document.body[Self.typeMember]?.stringValue, let objectClass = classes[dataType],
            let id = document.id, let revision = document.revision
        else { return nil }
        let object = objectClass.init()
        var values = FoundationValues.dictionary(document.body)
        values[Self.typeMember] = nil
        for (name, value) in values {
            if let serializer = serializers[name], let converted = serializer.deserialize(value) {
                values[name] = converted
            }
        }
        object.values = values
        object.metadata = CDTDataObjectMetadata(objectId: id, revisionId: revision.description)
        return object
    }
}
