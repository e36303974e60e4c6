//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The counts of a run. Several copies may change them at the same time.
final class MirrorCounts: Sendable {
    private let state = Mutex(ObjectMirrorReport())
    private let progress: @Sendable (ObjectMirrorReport) -> Void

    init(_ progress: @escaping @Sendable (ObjectMirrorReport) -> Void) { self.progress = progress }

    var report: ObjectMirrorReport { state.withLock { $0 } }

    func add(_ change: (inout ObjectMirrorReport) -> Void) {
        progress(
            state.withLock { report in
                change(&report)
                return report
            })
    }
}

/// Remembers copies whose entity tags differ from those of their objects. They differ because the object or its copy
/// was uploaded in parts.
final class KnownCopies: Sendable {
    /// An object of the source, and its copy.
    struct Pair: Hashable {
        let container: String
        let name: ExactText
        let sourceTag: String
        let targetTag: String
    }

    private static let countMax = 100_000

    private let pairs = Mutex(Set<Pair>())

    func contains(_ pair: Pair) -> Bool { pairs.withLock { $0.contains(pair) } }

    func insert(_ pair: Pair) {
        pairs.withLock { pairs in
            // Removing known copies is safe: their objects are only copied once more.
            if pairs.count >= KnownCopies.countMax { pairs.removeAll() }
            pairs.insert(pair)
        }
    }
}
