//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// Work that a module does for principals but not during their requests, such as replications.
///
/// When a module starts, it adds its work to the server's ``BackgroundWorkList``. The server lists the work in
/// `_active_tasks`. When a principal loses the rights for its work, the server ends this work.
protocol BackgroundWork: Sendable {
    /// The running tasks, as entries of `_active_tasks`.
    var runningTasks: [JSONValue] { get async }

    /// Ends the work of principals that lost the rights for it. The server calls this method when rights change.
    func recheck() async

    /// Ends the work of some principals.
    func revoke(where isMeant: @Sendable (Principal) -> Bool) async
}

/// The background work of all modules of a server.
final class BackgroundWorkList: Sendable {
    private let works = Mutex<[any BackgroundWork]>([])

    /// The work of all modules, in the order in which it was added.
    var all: [any BackgroundWork] { works.withLock { $0 } }

    /// Adds the work of a module that starts.
    func add(_ work: any BackgroundWork) { works.withLock { $0.append(work) } }
}
