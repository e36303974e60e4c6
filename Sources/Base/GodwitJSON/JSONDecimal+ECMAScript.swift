//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Numbers in the form of ECMAScript's `Number.prototype.toString`: the shortest digits that read back as the same
/// double.
extension JSONDecimal {
    /// Appends a number of a text in ECMAScript's form. In the text, the number has a fraction or an exponent, so its
    /// value is a double.
    ///
    /// A number of up to fifteen digits is unchanged by a conversion to a double and back. Therefore, if the text has
    /// at most fifteen digits, these digits are the shortest digits.
    static func appendECMAScript(_ text: JSONText, range: Range<Int>, to output: inout [UInt8]) {
        var decimal = JSONDecimal(text: text, range: range)
        if decimal.isECMAScriptAsWritten {
            let bytes = UnsafeRawBufferPointer(start: text.base + range.lowerBound, count: range.count)
            return output.append(contentsOf: bytes)
        }
        decimal.trim()
        if decimal.isExact, decimal.digits < digitsSafe, abs(decimal.exponent) < exponentSafe {
            return decimal.appendECMAScript(to: &output)
        }
        appendECMAScript(decimal.double(in: text, range: range), to: &output)
    }

    /// Appends a finite double in ECMAScript's form.
    static func appendECMAScript(_ double: Double, to output: inout [UInt8]) {
        var shortest = double.description
        shortest.withUTF8 { buffer in
            if !buffer.contains(where: \.isExponentMark), double != 0 {
                // Swift's description of such a double has the same form, except that integral values end in `.0`,
                // which is removed here.
                return output.append(contentsOf: buffer.dropLast(buffer.last == .zero ? 2 : 0))
            }
            guard let base = buffer.baseAddress else { return }
            let text = JSONText(base: UnsafeRawPointer(base), count: buffer.count)
            var decimal = JSONDecimal(text: text, range: 0..<buffer.count)
            decimal.trim()
            decimal.appendECMAScript(to: &output)
        }
    }

    /// All integers with up to fifteen digits are less than this number: 10^15.
    private static let digitsSafe: UInt64 = 1_000_000_000_000_000
    /// A number of up to fifteen digits whose exponent's magnitude is below this value is a normal double.
    private static let exponentSafe = 280

    /// Whether the number is already in ECMAScript's form. This is known only for a number that has no exponent, up to
    /// fifteen digits, a fraction whose last digit is not zero, and a magnitude of at least 10^-6.
    @inline(__always)
    private var isECMAScriptAsWritten: Bool {
        !hasExponentMark && exponent < 0 && digits < Self.digitsSafe && digitCount + exponent > -6 && digits % 10 != 0
    }

    /// Appends the number by steps 5 to 10 of `Number::toString`, ECMA-262 section 6.1.6.1.20.
    private func appendECMAScript(to output: inout [UInt8]) {
        guard digits != 0 else { return output.append(.zero) }
        if isNegative { output.append(.minus) }
        let start = output.count
        JSONWriter.append(digits, to: &output)
        let count = output.count - start
        let point = count + exponent
        switch point {
        case count...max(count, 21):
            if point <= 21 { return output.append(contentsOf: repeatElement(.zero, count: exponent)) }
        case 1...21:
            return output.insert(.point, at: start + point)
        case -5...0:
            let zeros = [.zero, .point] + [UInt8](repeating: .zero, count: -point)
            return output.insert(contentsOf: zeros, at: start)
        default:
            break
        }
        if count > 1 { output.insert(.point, at: start + 1) }
        output.append(.letter("e"))
        output.append(point > 0 ? .plus : .minus)
        JSONWriter.append(UInt64(abs(point - 1)), to: &output)
    }
}
