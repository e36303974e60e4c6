//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The frame of all pages: the head, the navigation and the content.
struct WebPage {
    /// The pages of the navigation.
    enum Tab: String, CaseIterable {
        case explore, cloud, find

        var title: String {
            switch self {
            case .explore: "Explore"
            case .cloud: "Tags"
            case .find: "Search"
            }
        }
    }

    let title: String
    /// The entry of the navigation that this page belongs to; `nil` for a page without an entry.
    let tab: Tab?
    /// Elements of the head for previews of the page in other programs.
    var preview = ""
    /// The content as HTML.
    let body: String

    /// The element in which a script announces new photos.
    static let news = "<p id=\"news\" class=\"news\" role=\"status\" hidden><a href=\"/explore\"></a></p>\n"

    func html(scriptNonce: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>\(title.markupEscaped) · BluePic</title>
        \(preview)<link rel="icon" href="/explore/files/icon.svg" type="image/svg+xml">
        <link rel="stylesheet" href="/explore/files/bluepic.css">
        <script nonce="\(scriptNonce)" src="/explore/files/bluepic.js" type="module"></script>
        </head>
        <body>
        <header class="bar"><div class="inner">
        <a class="brand" href="/explore"><img src="/explore/files/icon.svg" alt="" width="28" height="28">BluePic</a>
        <nav aria-label="BluePic">\(links)</nav>
        </div></header>
        <main class="inner">
        \(body)
        </main>
        </body>
        </html>

        """
    }

    private var links: String {
        Tab.allCases.map { item in
            "<a href=\"/\(item.rawValue)\"\(item == tab ? " aria-current=\"page\"" : "")>\(item.title)</a>"
        }
        .joined(separator: " ")
    }
}
