//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitThreads

/// Work that a module does for principals beside their requests, such as replications.
///
/// A module adds it to the server's ``BackgroundWorkList`` when it starts. The server then ends it with the rights of those
/// whom it is for, and lists it in `_active_tasks`.
protocol BackgroundWork: Sendable {
    /// What runs now, as `_active_tasks` lists it.
    var runningTasks: [JSONValue] { get async }

    /// Ends what runs for principals who have lost the right to it. The server calls it when rights change.
    func recheck() async

    /// Ends what runs for some principals.
    func revoke(where isMeant: @Sendable (Principal) -> Bool) async
}

/// The background work of all modules of a server.
final class BackgroundWorkList: Sendable {
    private let works = Mutex<[any BackgroundWork]>([])

    /// All that was added, in the order in which it was.
    var all: [any BackgroundWork] { works.withLock { $0 } }

    /// Adds the work of a module that starts.
    func add(_ work: any BackgroundWork) { works.withLock { $0.append(work) } }
}
