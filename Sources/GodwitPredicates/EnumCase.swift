//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// A coding key's `stringValue` is the name in the document; its `description` hides the name of the enum case. The case
// has the name of the property, because synthesized coding requires it, and no public API returns it for an enum
// without payload. `print` and `dump` use this function of the runtime.

/// Returns the names of enum cases, which identify the properties of coding keys.
enum EnumCase {
    /// Returns the name of a value's case; `nil` for any value that is not an enum.
    static func name<Value>(of value: Value) -> String? {
        guard Mirror(reflecting: value).displayStyle == .enum, let name = enumCaseName(value) else { return nil }
        return String(cString: name)
    }
}

@_silgen_name("swift_EnumCaseName")
private func enumCaseName<Value>(_ value: Value) -> UnsafePointer<CChar>?
