//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ProgramKit

extension EmbeddedFiles {
    /// The files of the pages.
    static let geoPix = EmbeddedFiles("geopix")
}
