//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBytes
package import GodwitStore

/// The functions that belong together: a design document, or what a view's index needs of it.
package struct ScriptProgram: Hashable, Sendable {
    /// Stands for owner and source.
    package let key: String
    /// Whose functions they are: the calls of one owner take no more than its share of the processes.
    package let owner: String
    /// Where they stand.
    let origin: ScriptOrigin
    /// The design document as JSON.
    package let source: [UInt8]

    /// The functions of a design document.
    ///
    /// - Parameters:
    ///   - design: The design document's id.
    ///   - source: The design document as JSON.
    package init(design: String, source: [UInt8], in database: IndexedDatabase) {
        self.init(
            owner: database.owner, origin: ScriptOrigin(database: database.name, design: design), source: source)
    }

    /// The functions of an index.
    ///
    /// - Parameter source: A design document as JSON with what the index needs of those that define it.
    package init(of index: IndexDescription, source: [UInt8], in database: IndexedDatabase) {
        self.init(owner: database.owner, origin: ScriptOrigin(index, in: database), source: source)
    }

    /// - Parameters:
    ///   - owner: Stands for the database. Functions of different owners never share a world.
    ///   - origin: Where the functions stand.
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

    package static func == (left: ScriptProgram, right: ScriptProgram) -> Bool { left.key == right.key }

    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// A function to run, and what it is given.
package struct ScriptCall: Sendable {
    package let program: ScriptProgram
    /// The function of the runtime that runs the design document's (`Sources/CScriptRuntime/javascript/end.js`).
    package let function: String
    /// Texts in JSON, or the name of a function in the design document.
    package let arguments: [[UInt8]]

    package init(_ program: ScriptProgram, _ function: String, _ arguments: [[UInt8]]) {
        self.program = program
        self.function = function
        self.arguments = arguments
    }
}
