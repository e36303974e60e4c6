//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitScript

/// The JavaScript of the command's databases: in processes of this same program, started at the first need.
package let commandScripts = ScriptEngine.workers(.this) { LogWriter.shared.add("godwit: log: \($0)") }
