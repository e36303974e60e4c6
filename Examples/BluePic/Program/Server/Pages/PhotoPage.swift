//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON

/// One photo as HTML, with the elements for its preview in other programs.
struct PhotoPage {
    let image: FeedImage
    /// The full name of the owner.
    let name: String
    /// The URL of the page.
    let address: String
    /// The URL of the picture.
    let picture: String

    private static let titleLengthMax = 80

    var title: String {
        image.caption.isEmpty ? "A photo by \(name)" : String(image.caption.prefix(Self.titleLengthMax))
    }

    /// The elements of Open Graph and of Twitter's cards.
    var preview: String {
        let description = ["By \(name)", image.placeName].compactMap { $0 }.joined(separator: ", ")
        let properties = [
            ("og:type", "article"), ("og:site_name", "BluePic"), ("og:title", title), ("og:description", description),
            ("og:url", address), ("og:image", picture), ("og:image:type", "image/jpeg"),
            ("og:image:width", "\(image.width)"), ("og:image:height", "\(image.height)"),
            ("og:image:alt", image.alternative(name)),
        ]
        return properties.map { "<meta property=\"\($0)\" content=\"\($1.markupEscaped)\">\n" }.joined()
            + "<meta name=\"twitter:card\" content=\"summary_large_image\">\n"
            + "<link rel=\"canonical\" href=\"\(address.markupEscaped)\">\n"
    }

    var html: String {
        let (id, uploaded) = (image.id.percentEncoded, image.uploaded.markupEscaped)
        return """
            <article class="photo">
            <a class="picture" href="/pictures/\(id)"><img src="/pictures/\(id)" \
            alt="\(image.alternative(name).markupEscaped)" width="\(image.width)" height="\(image.height)"></a>
            <div class="about">
            \(image.caption.isEmpty ? "<h1>A photo by <bdi>\(name.markupEscaped)</bdi></h1>" : "<h1 dir=\"auto\">\(image.caption.markupEscaped)</h1>")
            <p class="by"><a href="/user/\(image.owner.percentEncoded)"><bdi>\(name.markupEscaped)</bdi></a> \
            <time datetime="\(uploaded)Z">\(uploaded.replacing("T", with: " ")) GMT</time></p>
            \(place)\(tags)<p><button type="button" class="button" data-share="\(address.markupEscaped)" hidden>Share</button> \
            <span class="shared" role="status"></span></p>
            </div>
            </article>
            """
    }

    private var place: String {
        guard let location = image.body["location"] else { return "" }
        let weather = location["weather"]
        let parts = [
            image.placeName, weather?["description"]?.stringValue,
            weather?["temperature"]?.intValue.map { "\($0)°" },
        ]
        let text = parts.compactMap { $0 }.joined(separator: " · ")
        return text.isEmpty ? "" : "<p class=\"place\"><bdi>\(text.markupEscaped)</bdi></p>\n"
    }

    private var tags: String {
        guard !image.tags.isEmpty else { return "" }
        let items = image.tags.map { tag in
            "<li><a href=\"/tag/\(tag.percentEncoded)\"><bdi>#\(tag.markupEscaped)</bdi></a></li>"
        }
        return "<ul class=\"tags\" aria-label=\"Tags\">\(items.joined())</ul>\n"
    }
}

/// The head of the page of a user.
struct UserHead {
    let id: String
    let name: String
    /// The id of the image that is the picture of the user; `nil` for none.
    let picture: String?
    let count: Int

    var html: String {
        let portrait =
            picture.map { "<img src=\"/pictures/\($0.percentEncoded)/thumbnail\" alt=\"\" width=\"96\" height=\"96\">" }
            ?? "<span aria-hidden=\"true\">\(String(name.prefix(1)).uppercased().markupEscaped)</span>"
        return """
            <div class="user"><div class="portrait">\(portrait)</div>
            <div><h1><bdi>\(name.markupEscaped)</bdi></h1><p>\(count) \(count == 1 ? "photo" : "photos")</p></div></div>

            """
    }
}

/// The tags, ordered by name. Tags with more photos are larger.
struct TagCloud {
    let tags: [(label: String, count: Int)]

    private static let sizesCount = 5

    var html: String {
        tags.isEmpty
            ? "<p class=\"empty\">No photo has a tag yet. A word after # in a caption becomes one.</p>"
            : "<h1>Tags</h1>\n" + list
    }

    var list: String {
        let most = tags.map(\.count).max() ?? 1
        let items = tags.sorted { $0.label < $1.label }.map { tag in
            let size = 1 + (Self.sizesCount - 1) * tag.count / max(most, 1)
            return """
                <li><a class="size-\(size)" href="/tag/\(tag.label.percentEncoded)"><bdi>\(tag.label.markupEscaped)</bdi> \
                <small>\(tag.count)</small></a></li>
                """
        }
        return "<ul class=\"cloud\">\n\(items.joined(separator: "\n"))\n</ul>\n"
    }
}

/// The form of the search.
struct SearchForm {
    let words: String

    var html: String {
        """
        <form class="search" role="search" action="/find">
        <label for="q">Search captions, tags, places and people</label>
        <div><input id="q" name="q" type="search" value="\(words.markupEscaped)" autocomplete="off" maxlength="200">
        <button class="button">Search</button></div>
        </form>

        """
    }
}
