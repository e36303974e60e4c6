//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CSQLite

extension SQLiteConnection {
    /// Registers an extension (functions written in C) with the connection. Does nothing if it is already registered.
    ///
    /// - Parameters:
    ///   - name: The name of the extension.
    ///   - register: A closure that registers the functions with SQLite's handle and returns SQLite's result code.
    package func extend(_ name: String, _ register: (OpaquePointer) -> Int32) throws(SQLiteError) {
        // Exact: the names of extensions are ASCII.
        guard !extensions.contains(name) else { return }
        try check(register(handle), "registering \(name)")
        extensions.insert(name)
    }

    /// Runs `body` with SQLite's handle. The handle must not be used after the call.
    package func withHandle<Result>(_ body: (OpaquePointer) -> Result) -> Result { body(handle) }
}

extension SQLiteStatement {
    /// Binds memory for a function of an extension (`sqlite3_bind_pointer`). The memory must exist as long as the
    /// binding.
    ///
    /// - Parameters:
    ///   - pointer: The memory.
    ///   - type: The type name that the function requests. Its memory must never be freed.
    ///   - index: The index of the parameter.
    package func bind(pointer: UnsafeMutableRawPointer, type: UnsafePointer<CChar>, at index: Int32) {
        sqlite3_bind_pointer(handle, index, pointer, type, nil)
    }
}
