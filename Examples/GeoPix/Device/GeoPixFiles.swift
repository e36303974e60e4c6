//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CGeoPixAssets
public import EmbeddedFiles

extension EmbeddedFiles {
    /// GeoPix's pages: `device/NAME` for the screens of a device, `web/NAME` for the pages of the server.
    public static let geoPix = EmbeddedFiles(geopix_asset)
}
