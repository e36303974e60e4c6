//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

extension SQLiteConnection {
    /// Gives the connection functions of its own, written in C, unless it has them.
    ///
    /// - Parameters:
    ///   - name: The name of the extension.
    ///   - register: Registers with SQLite's handle and returns SQLite's result code.
    package func extend(_ name: String, _ register: (OpaquePointer) -> Int32) throws(SQLiteError) {
        guard !extensions.contains(name) else { return }
        try check(register(handle), "registering \(name)")
        extensions.insert(name)
    }

    /// Calls a C function with SQLite's handle. It must not outlive the call.
    package func withHandle<Result>(_ body: (OpaquePointer) -> Result) -> Result { body(handle) }
}

extension SQLiteStatement {
    /// Binds memory for a function of an extension (`sqlite3_bind_pointer`). It must live as long as the binding.
    ///
    /// - Parameters:
    ///   - pointer: The memory.
    ///   - type: The name under which the function asks for it; it must live for ever.
    ///   - index: The parameter.
    package func bind(pointer: UnsafeMutableRawPointer, type: UnsafePointer<CChar>, at index: Int32) {
        sqlite3_bind_pointer(handle, index, pointer, type, nil)
    }
}
