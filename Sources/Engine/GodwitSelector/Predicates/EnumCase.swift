//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// The `stringValue` of a coding key is the name in the document, and its `description` does not show the name of the
// enum case. But the name of the case is needed: it is the name of the property, because synthesized coding requires
// this. No public API returns the name of a case of an enum without payload. Therefore, this file calls a function of
// the Swift runtime. `print` and `dump` call the same function.

/// Returns the names of the cases of enums. For a coding key, the name of the case is the name of the property.
enum EnumCase {
    /// Returns the name of a value's case; `nil` for any value that is not an enum.
    static func name<Value>(of value: Value) -> String? {
        guard Mirror(reflecting: value).displayStyle == .enum, let name = enumCaseName(value) else { return nil }
        return String(cString: name)
    }
}

@_silgen_name("swift_EnumCaseName")
private func enumCaseName<Value>(_ value: Value) -> UnsafePointer<CChar>?
