//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation

/// A library of the ICU that is installed, as the reference of code that replaces it. It is loaded when a test needs it.
package struct ICULibrary: @unchecked Sendable {
    // The handle of a library that is never unloaded.
    private let handle: UnsafeMutableRawPointer
    private let version: Int

    /// Loads `libicu<name>.so` of a major version; `nil` if the machine does not have it.
    package init?(_ name: String, version: Int) {
        guard let handle = dlopen("libicu\(name).so.\(version)", RTLD_NOW) else { return nil }
        self.handle = handle
        self.version = version
    }

    /// The function of a name, whose type the caller knows; `nil` if the library does not have it.
    package func function<Function>(_ name: String, _: Function.Type) -> Function? {
        dlsym(handle, "\(name)_\(version)").map { unsafeBitCast($0, to: Function.self) }
    }
}
