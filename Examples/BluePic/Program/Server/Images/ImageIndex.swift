//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// The indexes and views of the database.
enum ImageIndex {
    /// All images by time.
    static let byTime = "order"
    /// The images of each user by time.
    static let byUser = "user-order"
    /// The text index of the words in captions, tags, places and names of users.
    static let words = "words"

    static let declarations: [JSONObject] = [
        ["index": ["fields": ["order"]], "name": "order", "ddoc": "order"],
        ["index": ["fields": ["userId", "order"]], "name": "user-order", "ddoc": "user-order"],
        [
            "type": "text", "name": "words", "ddoc": "words",
            "index": [
                "fields": [
                    ["name": "caption", "type": "string"], ["name": "userName", "type": "string"],
                    ["name": "tags.[].label", "type": "string"], ["name": "location.name", "type": "string"],
                ]
            ],
        ],
    ]

    /// `tags` counts the images of each tag, `tagged` lists the images of each tag by time, and `counts` counts the
    /// images of each user. The key of `counts` has the UTF-16 code units of the user's name, because texts with different
    /// bytes can be equal keys.
    static let views: JSONValue = [
        "tags": [
            "map":
                "function(doc) { if (doc.type === 'image') (doc.tags || []).forEach(function(tag) { emit(tag.label) }) }",
            "reduce": "_count",
        ],
        "tagged": [
            "map": """
            function(doc) {
              if (doc.type === 'image') (doc.tags || []).forEach(function(tag) { emit([tag.label, doc.order]) })
            }
            """
        ],
        "counts": [
            "map": """
            function(doc) {
              if (doc.type === 'image' && typeof doc.userId === 'string') {
                emit(doc.userId.split('').map(function(unit) { return unit.charCodeAt(0) }))
              }
            }
            """,
            "reduce": "_count",
        ],
    ]
}
