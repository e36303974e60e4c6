//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// Divides a long loop of a task into slices, so that other tasks run between them.
package struct LoopYielder: ~Copyable {
    /// Counts the work of the current slice; `nil` for work without limits.
    package private(set) var meter = WorkMeter()

    /// Begins the first slice.
    package init() {}

    /// Whether other tasks should run now: the slice has used its steps, and the work may continue.
    package var isOver: Bool { meter?.isSliceOver == true && meter?.end == nil }

    /// Yields to other tasks, and begins the next slice.
    ///
    /// A loop that can throw must also check the task's cancellation and the meter.
    package mutating func next() async {
        await Task.yield()
        meter = WorkMeter()
    }
}
