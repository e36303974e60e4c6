//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Divides a long loop of a task into slices, so that others have their turn between them.
package struct WorkTurns: ~Copyable {
    /// Counts the work of the current slice; `nil` for work without limits.
    package private(set) var meter = WorkMeter()

    package init() {}

    /// Whether the slice took as long as it may, so that it is the turn of others.
    package var isOver: Bool { meter?.isSliceOver == true && meter?.end == nil }

    /// Lets others run, and begins the next slice.
    ///
    /// A loop that may fail checks the task's cancellation and the meter beside this.
    package mutating func next() async {
        await Task.yield()
        meter = WorkMeter()
    }
}
