//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitBase

/// The photos of a page as HTML, and the link to the next page.
struct PhotoGrid {
    let images: [FeedImage]
    let names: FullNames
    /// The position of the next page; `nil` on the last page.
    let next: String?
    /// The path of the list.
    let path: String
    /// The text of an empty list.
    var emptyText = ""

    var html: String {
        guard !images.isEmpty else { return "<p class=\"empty\">\(emptyText)</p>\n" }
        let more = next.map {
            "<nav class=\"pages\" aria-label=\"Pages\"><a class=\"button\" rel=\"next\" href=\"\(path)?before=\($0.percentEncoded)\">Older photos</a></nav>\n"
        }
        return "<ol class=\"grid\">\n\(images.map(card).joined(separator: "\n"))\n</ol>\n\(more ?? "")"
    }

    private func card(_ image: FeedImage) -> String {
        let name = names[image.owner] ?? image.ownerName
        let (id, alternative) = (image.id.percentEncoded, image.alternative(name).markupEscaped)
        let caption =
            image.caption.isEmpty ? "" : "<p class=\"caption\" dir=\"auto\">\(image.caption.markupEscaped)</p>"
        return """
            <li class="card"><a class="picture" href="/photo/\(id)"><img src="/pictures/\(id)/thumbnail" \
            alt="\(alternative)" loading="lazy" width="\(image.width)" height="\(image.height)"></a>
            \(caption)<p class="by"><a href="/user/\(image.owner.percentEncoded)"><bdi>\(name.markupEscaped)</bdi></a> \
            <time datetime="\(image.uploaded.markupEscaped)Z">\(image.age.markupEscaped)</time></p></li>
            """
    }
}

extension FeedImage {
    /// Returns the alternative text of the picture.
    func alternative(_ name: String) -> String { caption.isEmpty ? "A photo by \(name)" : caption }

    /// The time since the upload in one unit: weeks, days, hours, minutes, seconds, or now.
    var age: String {
        guard let date = try? Date(uploaded + "Z", strategy: .iso8601),
            let seconds = Int(exactly: Date().timeIntervalSince(date).rounded(.towardZero))
        else { return uploaded }
        let units = [(604_800, "w"), (86_400, "d"), (3_600, "h"), (60, "m"), (1, "s")]
        guard let (length, name) = units.first(where: { seconds >= $0.0 }) else { return "now" }
        return "\(seconds / length)\(name)"
    }
}
