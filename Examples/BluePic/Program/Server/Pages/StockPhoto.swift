//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ProgramKit

/// A stock photo of the original BluePic. Its file is embedded in the program.
struct StockPhoto: Sendable {
    /// The name of the account of the stock photos.
    static let userID = "mobile-innovation-lab"
    /// The full name of the owner, as in the original.
    static let userName = "Mobile Innovation Lab"
    /// The three photos, in the order in which they are posted.
    static let all = [
        StockPhoto(id: "stock-mountains", fileName: "photo1.jpg", caption: "Mountains"),
        StockPhoto(id: "stock-fog", fileName: "photo2.jpg", caption: "Fog"),
        StockPhoto(id: "stock-island", fileName: "photo3.jpg", caption: "Island"),
    ]

    /// The id of the image.
    let id: String
    /// The name of the file.
    let fileName: String
    /// The caption.
    let caption: String

    /// The JPEG.
    var bytes: [UInt8] { EmbeddedFiles.bluePic.file(fileName, in: "web")?.bytes ?? [] }
}

extension EmbeddedFiles {
    /// The files of the pages.
    static let bluePic = EmbeddedFiles("bluepic")
}
