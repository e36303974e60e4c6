//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
package import GodwitStore

/// Functions that are loaded together. They come from a complete design document, or from the part of a design document
/// that the index of a view needs.
package struct ScriptProgram: Hashable, Sendable {
    /// The key of the program, which is derived from the owner and the source.
    package let key: String
    /// The owner of the functions: a text that identifies the database. The number of processes for the calls of one
    /// owner is limited (``ScriptLimits/workersPerDatabaseMax``).
    package let owner: String
    /// The origin of the functions, for their log lines.
    let origin: ScriptOrigin
    /// The design document as JSON.
    package let source: [UInt8]

    /// Creates the program of a design document.
    ///
    /// - Parameters:
    ///   - design: The design document's id.
    ///   - source: The design document as JSON.
    package init(design: String, source: [UInt8], in database: IndexedDatabase) {
        self.init(
            owner: database.owner, origin: ScriptOrigin(database: database.name, design: design), source: source)
    }

    /// Creates the program of an index.
    ///
    /// - Parameters:
    ///   - index: The index.
    ///   - source: A design document as JSON with the members that the index needs.
    ///   - database: The database of the index.
    package init(of index: IndexDescription, source: [UInt8], in database: IndexedDatabase) {
        self.init(owner: database.owner, origin: ScriptOrigin(index, in: database), source: source)
    }

    /// Creates a program.
    ///
    /// - Parameters:
    ///   - owner: A text that identifies the database. Functions of different owners never share a context.
    ///   - origin: The origin of the functions.
    ///   - source: The design document as JSON.
    init(owner: String, origin: ScriptOrigin, source: [UInt8]) {
        var hash = MessageDigest(.sha256)
        hash.update(Array(owner.utf8) + [0])
        hash.update(source)
        key = hash.finish().prefix(16).map { String($0, radix: 36) }.joined(separator: "-")
        self.owner = owner
        self.origin = origin
        self.source = source
    }

    package static func == (left: ScriptProgram, right: ScriptProgram) -> Bool {
        left.key.isIdenticalText(to: right.key)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// A call of a function with its arguments.
package struct ScriptCall: Sendable {
    /// The program that contains the design document's function.
    package let program: ScriptProgram
    /// The function of the runtime that calls the design document's function
    /// (`Sources/C/CViews/javascript/end.js`).
    package let function: String
    /// The arguments: JSON texts, or the name of a function in the design document.
    package let arguments: [[UInt8]]

    /// Creates a call of a function of the runtime. Each argument is a JSON text, or the name of a function.
    package init(_ program: ScriptProgram, _ function: String, _ arguments: [[UInt8]]) {
        self.program = program
        self.function = function
        self.arguments = arguments
    }
}
