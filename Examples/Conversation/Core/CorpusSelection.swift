//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitDatabase

/// The part of the corpus that a device has.
public struct CorpusSelection: Equatable, Sendable {
    /// The maximum number of sources. It is also the maximum number of topics.
    public static let countMax = 100

    /// The names of sources.
    public var sources: [String]
    /// The names of topics.
    public var topics: [String]

    /// Creates a selection of the questions whose source or whose topic is in these lists. If both lists are empty, the
    /// complete corpus is selected.
    public init(sources: [String] = [], topics: [String] = []) { (self.sources, self.topics) = (sources, topics) }

    /// The selector of the documents that the device pulls. It matches the selected questions and all deleted
    /// documents. It does not match design documents of the server.
    var selector: JSONValue {
        let list = { (names: [String]) -> JSONValue in ["$in": .array(names.map { .string($0) })] }
        var selector: JSONObject = ["question": ["$exists": true]]
        switch (sources.isEmpty, topics.isEmpty) {
        case (true, true): break
        case (false, true): selector["source"] = list(sources)
        case (true, false): selector["focus"] = list(topics)
        case (false, false): selector["$or"] = [["source": list(sources)], ["focus": list(topics)]]
        }
        return ["$or": [["_deleted": true], .object(selector)]]
    }

    init(_ value: JSONValue?) {
        let names = { (member: String) in (value?[member]?.arrayValue ?? []).compactMap(\.stringValue) }
        self.init(sources: names("sources"), topics: names("topics"))
    }

    /// The selection as JSON.
    public var json: JSONValue {
        [
            "sources": .array(sources.map { .string($0) }), "topics": .array(topics.map { .string($0) }),
        ]
    }
}
