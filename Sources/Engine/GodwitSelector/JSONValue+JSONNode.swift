//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

extension JSONValue: JSONNode {
    var kind: JSONKind {
        switch self {
        case .null: .null
        case .bool(let bool): bool ? .true : .false
        case .integer, .bigInteger: .integer
        case .double: .double
        case .string: .string
        case .array: .array
        case .object: .object
        }
    }

    var number: JSONNumber {
        switch self {
        case .integer(let integer): .integer(integer)
        case .bigInteger(let digits): .bigInteger(digits)
        case .double(let double): .double(double)
        default: .integer(0)
        }
    }

    var textByteCount: Int {
        switch self {
        case .string(let text), .bigInteger(let text): text.utf8.count
        default: 0
        }
    }

    var memberCount: Int { objectValue?.count ?? 0 }

    var elementCount: Int { arrayValue?.count ?? 0 }

    var elements: [JSONValue] { arrayValue ?? [] }

    var members: some Sequence<(key: JSONValue, value: JSONValue)> {
        (objectValue ?? [:]).lazy.map { (key: JSONValue.string($0.key), value: $0.value) }
    }

    func member(_ name: String) -> JSONValue? { self[name] }

    func meets(_ condition: any GeoCondition, _ meter: WorkMeter?) -> Bool { condition.matches(self, meter) }

    func withText<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var text = stringValue ?? ""
        return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
    }
}
