//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitQuery
import GodwitStore
import GodwitText

/// Writes the results of a search, and reads their documents while it writes.
struct SearchWriter {
    private var run: SearchRun
    private let parameters: SearchParameters
    private let response: ServerResponse
    private var text = DocumentText()
    private var hits: ArraySlice<FoundHit> = []

    init(run: SearchRun, parameters: SearchParameters, response: ServerResponse) {
        (self.run, self.parameters, self.response) = (run, parameters, response)
    }

    consuming func write() async throws {
        // The first results are read before the response begins. Therefore the status of the response can report an
        // error.
        hits = try run.next()[...]
        try await response.begin(contentType: "application/json")
        if let groups = run.groups {
            try await write(groups)
        } else {
            text.append(raw: "{\"total_rows\":\(run.total),\"bookmark\":\"\(run.bookmark)\",\"rows\":[")
            try await writeRows(run.count)
            text.append(raw: "\n]")
            for (name, value) in run.facets?.json(parameters.request.facets) ?? [:] {
                text.append(raw: ",\n\"\(name)\":\(value.jsonText())")
            }
        }
        text.append(raw: "}\n")
        try await response.write(text.bytes)
        try await response.finish()
    }

    private mutating func write(_ groups: [SearchGroup]) async throws {
        let (total, rows) = parameters.groupsAsOfOld ? ("total_hits", "hits") : ("total_rows", "rows")
        text.append(raw: "{\"\(total)\":\(run.total)")
        if parameters.groupsAsOfOld {
            text.append(raw: ",\"total_grouped_hits\":\(groups.reduce(0) { $0 + $1.total })")
        }
        text.append(raw: ",\"groups\":[")
        for (index, group) in groups.enumerated() {
            let groupValue = group.by.map { JSONValue.string($0) } ?? .null
            text.append(
                raw:
                    "\(index > 0 ? "," : "")\n{\"by\":\(groupValue.jsonText()),\"\(total)\":\(group.total),\"\(rows)\":["
            )
            try await writeRows(group.count)
            text.append(raw: "\n]}")
        }
        text.append(raw: "\n]")
    }

    /// Writes the next hits.
    private mutating func writeRows(_ count: Int) async throws {
        for index in 0..<count {
            if hits.isEmpty { hits = try run.next()[...] }
            guard let hit = hits.popFirst() else { return }
            text.append(raw: index == 0 ? "\n" : ",\n")
            append(hit)
            if text.bytes.count >= response.sliceBytes {
                try await response.write(taking: &text.bytes)
            }
        }
    }

    private mutating func append(_ hit: FoundHit) {
        var row: JSONObject = ["id": .string(hit.id), "order": .array(hit.order), "fields": .object(hit.fields)]
        if !parameters.highlightedFields.isEmpty {
            row["highlights"] = .object(
                JSONObject(
                    parameters.highlightedFields.map { field in
                        (field, .array((hit.highlights[ExactText(field)] ?? []).map { .string($0) }))
                    }))
        }
        let line = JSONValue.object(row).jsonBytes()
        guard parameters.includesDocuments else {
            text += line
            return
        }
        text += line.dropLast()
        text.append(raw: ",\"doc\":")
        if let document = hit.document {
            document.appendText(showsConflicts: false, to: &text)
        } else {
            text.append(raw: "null")
        }
        text.append(raw: "}")
    }
}

extension TextFacets.Result {
    /// Returns the facets in JSON. The fields of `counts` are in the order of the request, and the fields of `ranges`
    /// are sorted by name. The values of a field are sorted by descending count.
    fileprivate func json(_ request: TextFacets?) -> JSONObject {
        var members = JSONObject()
        if let fields = request?.counts.map({ ExactText($0) }), !fields.isEmpty {
            members["counts"] = Self.json(counts, fields)
        }
        if let fields = request?.ranges.keys.sorted(), !fields.isEmpty { members["ranges"] = Self.json(ranges, fields) }
        return members
    }

    private static func json(_ counts: [ExactText: [ExactText: Int]], _ fields: [ExactText]) -> JSONValue {
        .object(
            JSONObject(
                fields.map { field in
                    let values = (counts[field] ?? [:]).sorted { ($1.value, $0.key) < ($0.value, $1.key) }
                    return (field.text, .object(JSONObject(values.map { ($0.key.text, .integer(Int64($0.value))) })))
                }))
    }
}
