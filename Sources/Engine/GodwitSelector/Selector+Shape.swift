//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

extension Selector {
    /// A fingerprint of the selector without the values of its arguments. Two selectors with the same shape differ only
    /// in the values of their arguments.
    package var shape: [UInt8] {
        var shape: [UInt8] = []
        clause?.appendShape(to: &shape)
        return shape
    }
}

extension Clause {
    private static let end: UInt8 = 0

    fileprivate func appendShape(to shape: inout [UInt8]) {
        switch self {
        case .and: shape.append(1)
        case .or: shape.append(2)
        case .nor: shape.append(3)
        case .not: shape.append(4)
        case .field(let path, _):
            shape.append(5)
            shape.append(contentsOf: path.text.utf8)
        case .elemMatch: shape.append(6)
        case .allMatch: shape.append(7)
        case .keyMapMatch: shape.append(8)
        case .condition(let condition):
            shape.append(9)
            shape.append(contentsOf: condition.operator.rawValue.utf8)
            shape.append(CollationKey.tag(condition.argument.kind))
        case .text: shape.append(10)
        }
        for child in children { child.appendShape(to: &shape) }
        shape.append(Self.end)
    }
}
