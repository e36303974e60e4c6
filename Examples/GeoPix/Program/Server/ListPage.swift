//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GeoPixCore
import GodwitBase

/// The list of photos as HTML.
struct ListPage {
    let page: PhotoPage
    let isFirst: Bool

    var html: String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>GeoPix: list</title>
        <link rel="stylesheet" href="/photos/files/list.css">
        </head>
        <body>
        <header><h1>GeoPix</h1><nav aria-label="GeoPix"><a href="/map">Map</a> <a href="/list" aria-current="page">List</a></nav></header>
        <main>
        \(page.photos.isEmpty ? "<p class=\"empty\">There are no photos yet.</p>" : items)
        \(links)
        </main>
        </body>
        </html>

        """
    }

    private var items: String {
        "<ol class=\"photos\">\n\(page.photos.map(item).joined(separator: "\n"))\n</ol>"
    }

    private func item(_ photo: Photo) -> String {
        let (id, name) = (photo.id.percentEncoded, (photo.imageName ?? "").percentEncoded)
        let caption = photo.entry.caption.map { "<p class=\"caption\" dir=\"auto\">\($0.markupEscaped)</p>" } ?? ""
        let place = photo.entry.placeWords
        let alternative = (photo.entry.caption ?? "A photo of \(photo.owner)").markupEscaped
        let image =
            photo.image == nil
            ? ""
            : "<a href=\"/image/\(id)/\(name)\"><img src=\"/thumbnail/\(id)/\(name)\" alt=\"\(alternative)\" "
                + "loading=\"lazy\" width=\"320\" height=\"240\"></a>"
        return """
            <li>\(image)
            <div>\(caption)<p class="date">\(photo.entry.day)</p>
            <p class="place">\(place.markupEscaped)\(photo.entry.latitude == nil ? "" : " <a href=\"/map#\(id)\">on the map</a>")</p>
            <p class="owner"><bdi>\(photo.owner.markupEscaped)</bdi></p></div></li>
            """
    }

    private var links: String {
        var links: [String] = []
        if !isFirst { links.append("<a href=\"/list\" rel=\"first\">Newest photos</a>") }
        if let next = page.next {
            let address = "/list?before=\(next.sort)&amp;beforeId=\(next.id.percentEncoded)"
            links.append("<a href=\"\(address)\" rel=\"next\">Older photos</a>")
        }
        return links.isEmpty ? "" : "<nav class=\"pages\" aria-label=\"Pages\">\(links.joined(separator: " "))</nav>"
    }
}

extension PhotoEntry {
    /// The day at which the photo was taken, in UTC: `26 Nov 2026`.
    var day: String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_GB")
        formatter.timeZone = TimeZone(identifier: "UTC")
        formatter.dateFormat = "d MMM yyyy"
        return formatter.string(from: Date(timeIntervalSince1970: sort))
    }

    /// The place, in the words that the original app used.
    var placeWords: String {
        guard let latitude, let longitude else { return "without a place" }
        let degrees = { (value: Double) in String(format: "%.5f", value) }
        let meters = altitude.map { String(format: "%.0f", $0) } ?? "unknown"
        return "latitude: \(degrees(latitude)), longitude: \(degrees(longitude)), altitude: \(meters)"
    }
}
