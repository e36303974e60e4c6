//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

package import GodwitJSON

extension JSONLimits {
    /// No limits: for text that was checked when it was written.
    package static let stored = JSONLimits(depthMax: .max, bytesMax: .max)
}
