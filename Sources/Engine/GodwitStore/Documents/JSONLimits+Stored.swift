//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

extension JSONLimits {
    /// No limits, for texts that were checked when they were written.
    package static let stored = JSONLimits(depthMax: .max, bytesMax: .max)
}
