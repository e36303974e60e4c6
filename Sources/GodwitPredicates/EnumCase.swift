//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// A coding key knows the name in the document, and hides the name of its case behind descriptions of its own. The name
// of the case is the property's, as synthesized coding demands it, and nothing public tells it of an enum without
// payload. The runtime's function for it is what `print` and `dump` go through.

/// The names of enums' cases.
enum EnumCase {
    /// The name of a value's case; `nil` for anything but an enum.
    static func name<Value>(of value: Value) -> String? {
        guard Mirror(reflecting: value).displayStyle == .enum, let name = enumCaseName(value) else { return nil }
        return String(cString: name)
    }
}

@_silgen_name("swift_EnumCaseName")
private func enumCaseName<Value>(_ value: Value) -> UnsafePointer<CChar>?
