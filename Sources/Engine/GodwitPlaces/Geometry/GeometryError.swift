//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error of a geometry or of an operation on it.
///
/// The message describes what was expected and what was found. It contains only numbers and the name of the type, and
/// no other parts of the geometry.
public struct GeometryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of an error. Later versions may add codes. Therefore, a `switch` over codes needs a default case.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code.
        public let description: String

        /// The value is not a geometry: it is not an object, has no `type`, or has a `type` that GeoJSON does not
        /// define.
        public static let notAGeometry = Code(description: "notAGeometry")
        /// The coordinates are missing, or are not numbers in the arrays that the type requires.
        public static let invalidCoordinates = Code(description: "invalidCoordinates")
        /// The geometry has no position or no area, or a line or a ring has too few positions.
        public static let empty = Code(description: "empty")
        /// Positions of one geometry have different numbers of coordinates.
        public static let mixedDimensions = Code(description: "mixedDimensions")
        /// A latitude is beyond ±90, a longitude beyond ±180, or a number is not finite.
        public static let outOfRange = Code(description: "outOfRange")
        /// A geometry has more positions than ``GeometryLimits/positionsMax``, or a document has too many geometries
        /// for an index.
        public static let tooManyPositions = Code(description: "tooManyPositions")
        /// Collections are nested more deeply than ``GeometryLimits/nestingMax`` allows.
        public static let tooDeep = Code(description: "tooDeep")
        /// The text is not well-known text of a geometry.
        public static let invalidText = Code(description: "invalidText")
        /// The bytes are not well-known binary of a geometry.
        public static let invalidBinary = Code(description: "invalidBinary")
        /// A polygon of a query is not valid, for instance because its rings cross each other or themselves.
        public static let selfCrossing = Code(description: "selfCrossing")
        /// A distance is negative or not finite.
        public static let invalidDistance = Code(description: "invalidDistance")
        /// The coordinate system does not exist or is not supported.
        public static let unknownCoordinateSystem = Code(description: "unknownCoordinateSystem")
        /// A position cannot be represented in the target coordinate system.
        public static let notTransformable = Code(description: "notTransformable")
        /// The operation was stopped because it exceeded a limit of time, such as
        /// ``GeometryLimits/operationSecondsMax``.
        public static let tooCostly = Code(description: "tooCostly")
        /// The operation on a shape failed in GEOS.
        public static let operationFailed = Code(description: "operationFailed")
        /// The operation needs GEOS or PROJ, which is not installed.
        public static let libraryMissing = Code(description: "libraryMissing")
    }

    /// The kind of the error.
    public let code: Code
    /// A description of what was expected and what was found.
    public let message: String

    /// Creates an error with its kind and its description.
    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
