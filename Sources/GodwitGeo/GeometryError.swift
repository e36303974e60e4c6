//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What was wrong with a geometry or with what was asked of it.
///
/// The message says what was expected, in words, and holds numbers of the geometry at most.
public struct GeometryError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of mistake it is. More codes may come: match with a default.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name.
        public let description: String

        /// It is no geometry: no object, no `type`, or one that GeoJSON does not know.
        public static let notAGeometry = Code(description: "notAGeometry")
        /// The coordinates are missing, or are no numbers in the arrays that the type has.
        public static let invalidCoordinates = Code(description: "invalidCoordinates")
        /// It has no position, or a line or a ring has too few.
        public static let empty = Code(description: "empty")
        /// Positions of one geometry have different numbers of coordinates.
        public static let mixedDimensions = Code(description: "mixedDimensions")
        /// A latitude is beyond ±90, a longitude beyond ±180, or a number is not finite.
        public static let outOfRange = Code(description: "outOfRange")
        /// There are more positions than ``GeometryLimits/positionsMax``.
        public static let tooManyPositions = Code(description: "tooManyPositions")
        /// Collections are nested deeper than ``GeometryLimits/nestingMax``.
        public static let tooDeep = Code(description: "tooDeep")
        /// The text is no well-known text of a geometry.
        public static let invalidText = Code(description: "invalidText")
        /// The bytes are no well-known binary of a geometry.
        public static let invalidBinary = Code(description: "invalidBinary")
        /// A polygon's rings cross each other or themselves.
        public static let selfCrossing = Code(description: "selfCrossing")
        /// A distance is negative or not finite.
        public static let invalidDistance = Code(description: "invalidDistance")
        /// There is no such coordinate system.
        public static let unknownCoordinateSystem = Code(description: "unknownCoordinateSystem")
        /// A position has no place in the other coordinate system.
        public static let notTransformable = Code(description: "notTransformable")
        /// The work took longer than ``GeometryLimits/operationSecondsMax`` and was ended.
        public static let tooCostly = Code(description: "tooCostly")
        /// A shape could not be worked with.
        public static let operationFailed = Code(description: "operationFailed")
        /// GEOS or PROJ is not installed.
        public static let libraryMissing = Code(description: "libraryMissing")
    }

    /// The kind of mistake.
    public let code: Code
    /// What was expected and what was found.
    public let message: String

    package init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
