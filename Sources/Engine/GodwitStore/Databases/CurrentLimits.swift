//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Synchronization

/// The limits of a manager and its databases. The maximum length of a document's body can change while the databases
/// are open; all other limits stay as the manager was opened with them.
final class CurrentLimits: Sendable {
    private let fixed: StoreLimits
    private let bodyBytesMax: Atomic<Int>

    init(_ limits: StoreLimits) {
        fixed = limits
        bodyBytesMax = Atomic(limits.bodyBytesMax)
    }

    var value: StoreLimits {
        var limits = fixed
        limits.bodyBytesMax = bodyBytesMax.load(ordering: .relaxed)
        return limits
    }

    func setBodyBytesMax(_ count: Int) { bodyBytesMax.store(count, ordering: .relaxed) }
}
