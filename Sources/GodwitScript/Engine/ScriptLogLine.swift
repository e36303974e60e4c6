//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitStore
import GodwitThreads

/// What a function said with `log`, and where it stands.
public struct ScriptLogLine: Sendable {
    /// The name of the database.
    public let database: String
    /// The design documents that have the function, with commas between their ids: of an index there may be several.
    public let designs: String
    /// What the function said.
    public let text: String
}

/// Where functions stand, for those who read what they log.
package final class ScriptOrigin: Sendable {
    private let database: String
    private let find: @Sendable () throws -> [String]
    /// The design documents; found when a function logs for the first time.
    private let designs = Mutex<String?>(nil)

    /// The functions of a design document.
    package init(database: String, design: String) {
        self.database = database
        find = { [design] }
    }

    /// The functions of an index, which belongs to all design documents that define it.
    package init(_ index: IndexDescription, in database: IndexedDatabase) {
        self.database = database.name
        find = { try database.designs(of: index) }
    }

    /// A line that one of the functions logged.
    func line(_ text: some Collection<UInt8>) -> ScriptLogLine {
        ScriptLogLine(database: database, designs: found, text: String(decoding: text, as: UTF8.self))
    }

    private var found: String {
        if let designs = designs.withLock({ $0 }) { return designs }
        let names = (try? find())?.joined(separator: ",") ?? ""
        designs.withLock { $0 = names }
        return names
    }
}
