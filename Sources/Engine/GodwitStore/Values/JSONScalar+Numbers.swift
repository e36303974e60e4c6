//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitFoundation
import GodwitJSON

extension JSONScalar where Self: FixedWidthInteger {
    var scalar: JSONValue? { Int64(exactly: self).map { .integer($0) } ?? .bigInteger(String(self)) }

    /// Accepts an integer of any length, and a number with a fraction or an exponent whose value is integral.
    init?(scalar: JSONValue) {
        let integer: Self? =
            switch scalar {
            case .integer(let integer): Self(exactly: integer)
            case .bigInteger(let digits): Self(digits)
            case .double(let double): Self(exactly: double)
            default: nil
            }
        guard let integer else { return nil }
        self = integer
    }
}

extension Int: JSONScalar {}
extension Int8: JSONScalar {}
extension Int16: JSONScalar {}
extension Int32: JSONScalar {}
extension Int64: JSONScalar {}
extension Int128: JSONScalar {}
extension UInt: JSONScalar {}
extension UInt8: JSONScalar {}
extension UInt16: JSONScalar {}
extension UInt32: JSONScalar {}
extension UInt64: JSONScalar {}
extension UInt128: JSONScalar {}

extension Double: JSONScalar {
    var scalar: JSONValue? { isFinite ? .double(self) : nil }

    init?(scalar: JSONValue) {
        guard let double = scalar.doubleValue, double.isFinite else { return nil }
        self = double
    }
}

extension Float: JSONScalar {
    /// The double with the shortest digits of the float, if this double converts back to the same float. Otherwise,
    /// this is the exact value of the float.
    var scalar: JSONValue? {
        guard isFinite else { return nil }
        guard let short = Double(description), Float(short) == self else { return .double(Double(self)) }
        return .double(short)
    }

    init?(scalar: JSONValue) {
        guard let double = Double(scalar: scalar), Float(double).isFinite else { return nil }
        self.init(double)
    }
}

extension Decimal: JSONScalar {
    /// A string with all digits, because a number with a fraction is a double in a document, and a double holds only
    /// seventeen digits.
    var scalar: JSONValue? { isFinite ? .string(description) : nil }

    /// Accepts a string, or a number with its digits.
    init?(scalar: JSONValue) {
        let text: String
        switch scalar {
        case .string(let string): text = string
        case .integer, .bigInteger, .double: text = scalar.jsonText()
        default: return nil
        }
        // The complete text must be a number without spaces. Therefore both checks are needed: Foundation would ignore
        // text after a number, and JSON allows spaces around it.
        guard let number = try? JSONValue(parsing: text), number.doubleValue != nil,
            !text.utf8.contains(where: { $0 <= 0x20 }),
            let decimal = Decimal(string: text), decimal.isFinite
        else { return nil }
        self = decimal
    }
}
