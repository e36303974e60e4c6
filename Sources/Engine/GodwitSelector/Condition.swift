//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// A test of one value: an operator with a checked argument.
struct Condition: Sendable {
    /// The operator.
    let `operator`: Operator
    /// The argument of the operator.
    let argument: JSONValue
    /// The compiled argument of `$regex`.
    let expression: RegularExpression?
    /// The strings of the argument of `$in` or `$nin`; `nil` if there are few.
    let texts: TextArguments?
    /// The parsed argument of a geospatial operator.
    let geoCondition: (any GeoCondition)?

    /// Creates the condition `{"$eq": argument}`.
    init(equalTo argument: JSONValue) {
        self.init(.equal, argument: argument)
    }

    /// Creates a condition after checking its argument.
    ///
    /// - Throws: ``SelectorError`` as in CouchDB: `invalid_operator` when the argument of `$regex` or `$beginsWith` is
    ///   not a string, and `bad_arg` for other invalid arguments. A `$mod` is also rejected if its divisor is 0 or if
    ///   one of its numbers has more than 64 bits. CouchDB detects a divisor of 0 only while it reads documents. A
    ///   geospatial operator throws `bad_arg` when its argument is invalid or geospatial queries are not enabled.
    init(_ operator: Operator, _ argument: JSONValue) throws(SelectorError) {
        var expression: RegularExpression?
        if `operator` == .regex {
            guard let pattern = argument.stringValue else { throw .invalidOperator(`operator`.rawValue) }
            expression = try Self.expression(pattern, argument)
        } else if `operator` == .beginsWith, argument.kind != .string {
            throw .invalidOperator(`operator`.rawValue)
        } else if !Self.accepts(`operator`, argument) {
            throw .badArgument(`operator`.rawValue, argument)
        }
        self.init(
            `operator`, argument: argument, expression: expression,
            geoCondition: try Self.geoCondition(`operator`, argument))
    }

    private init(
        _ operator: Operator, argument: JSONValue, expression: RegularExpression? = nil,
        geoCondition: (any GeoCondition)? = nil
    ) {
        self.operator = `operator`
        self.argument = argument
        self.expression = expression
        self.geoCondition = geoCondition
        texts = [.in, .notIn].contains(`operator`) ? TextArguments(of: argument) : nil
    }

    private static func expression(
        _ pattern: String, _ argument: JSONValue
    ) throws(SelectorError) -> RegularExpression {
        do throws(PatternError) {
            return try RegularExpression(pattern)
        } catch {
            switch error {
            case .invalid: throw .badArgument(Operator.regex.rawValue, argument)
            case .unsupported(let construct): throw .unsupportedPattern(argument, "It contains \(construct).")
            case .tooLarge: throw .unsupportedPattern(argument, "Its repetitions are too large.")
            }
        }
    }

    private static func geoCondition(
        _ operator: Operator, _ argument: JSONValue
    ) throws(SelectorError) -> (any GeoCondition)? {
        guard [.geoWithin, .geoIntersects, .near].contains(`operator`) else { return nil }
        return try GeoConditions.condition(`operator`, argument)
    }

    /// The condition with the opposite result; `nil` when the operator has no opposite.
    var negation: Condition? {
        if `operator` == .exists {
            return Condition(.exists, argument: .bool(argument.boolValue == false))
        }
        return `operator`.negation.map { Condition($0, argument: argument) }
    }

    /// The condition in CouchDB's notation.
    var json: JSONValue { .object([`operator`.rawValue: argument]) }

    /// Whether this is `{"$exists": false}`, the only condition that a missing field matches.
    var isAbsence: Bool { `operator` == .exists && argument.boolValue == false }

    private static func accepts(_ operator: Operator, _ argument: JSONValue) -> Bool {
        switch `operator` {
        case .in, .notIn, .all: argument.kind == .array
        case .exists: argument.boolValue != nil
        case .type: argument.kind == .string
        case .mod: divisorAndRemainder(of: argument) != nil
        case .size: argument.kind == .integer && argument.number.compare(.integer(0)) != .before
        default: true
        }
    }

    /// Returns the two integers of a `$mod` argument; `nil` when the argument is not valid.
    static func divisorAndRemainder(of argument: JSONValue) -> (divisor: Int64, remainder: Int64)? {
        guard case .array(let numbers) = argument, numbers.count == 2,
            case .integer(let divisor) = numbers[0], case .integer(let remainder) = numbers[1], divisor != 0
        else { return nil }
        return (divisor, remainder)
    }
}
