//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitStore

/// A line that a function wrote with `log`, together with the database and the design documents of the function.
public struct ScriptLogLine: Sendable {
    /// The name of the database.
    public let database: String
    /// The ids of the function's design documents, separated by commas. Several design documents may define one index.
    /// The text is empty when the ids could not be read.
    public let designs: String
    /// The logged text. It is truncated if the log of the call exceeds ``ScriptLimits/logBytesMax``. An engine that
    /// runs functions in this process does not truncate it.
    public let text: String
}

/// The database and the design documents of functions, for their log lines.
package final class ScriptOrigin: Sendable {
    private let database: String
    private let findDesigns: @Sendable () throws -> [String]
    /// The ids of the design documents; set when a function logs for the first time.
    private let designs = Mutex<String?>(nil)

    /// Creates the origin of the functions of a design document.
    package init(database: String, design: String) {
        self.database = database
        findDesigns = { [design] }
    }

    /// Creates the origin of the functions of an index, which belongs to all design documents that define it.
    package init(_ index: IndexDescription, in database: IndexedDatabase) {
        self.database = database.name
        findDesigns = { try database.designs(of: index) }
    }

    /// Returns a log line of one of the functions.
    func line(_ text: some Collection<UInt8>) -> ScriptLogLine {
        ScriptLogLine(database: database, designs: designNames, text: String(decoding: text, as: UTF8.self))
    }

    private var designNames: String {
        if let designs = designs.withLock({ $0 }) { return designs }
        let names = (try? findDesigns())?.joined(separator: ",") ?? ""
        designs.withLock { $0 = names }
        return names
    }
}
