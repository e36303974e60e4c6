//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitViews
import Logging

/// The JavaScript engine of the command's databases. It runs scripts in separate processes of this program. A process
/// starts when a script is first needed.
package let commandScripts = ScriptEngine.workers(.this) { line in
    scriptLog.notice("log: \(line.text)", metadata: ["database": "\(line.database)", "design": "\(line.designs)"])
}

private let scriptLog = Logger(label: "godwit.log") { LineLog(label: $0) }
