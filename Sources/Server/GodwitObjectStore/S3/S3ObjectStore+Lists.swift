//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

extension S3ObjectStore {
    /// See ``ObjectStore/objects(in:_:)``. A page has at most 1 000 entries.
    public func objects(in container: String, _ page: ObjectPage) async throws(ObjectError) -> ObjectList {
        try ObjectNames.checkContainer(container)
        let request = S3ObjectStore.listing(container, page)
        let root = try element(try await answer(to: request), request)
        let isEncoded = root["EncodingType"]?.text == "url"
        let contents = root.all("Contents")
        let keys = try S3ObjectStore.names(contents.map { $0["Key"] }, isEncoded: isEncoded)
        let prefixes = try S3ObjectStore.names(
            root.all("CommonPrefixes").map { $0["Prefix"] }, isEncoded: isEncoded)
        let objects = zip(keys, contents).map { S3ObjectStore.listed($0, $1) }
        guard root["IsTruncated"]?.text == "true" else { return ObjectList(objects: objects, prefixes: prefixes) }
        let last = [keys.last, prefixes.last].compactMap(\.self).max { ExactText($0) < ExactText($1) }
        guard let next = last, page.after.map({ ExactText($0) < ExactText(next) }) ?? true else {
            throw ObjectError(.badResponse, "The service repeats a page of the list of \(container).")
        }
        return ObjectList(objects: objects, prefixes: prefixes, next: next)
    }

    private static func listing(_ container: String, _ page: ObjectPage) -> ServiceRequest {
        var request = ServiceRequest("GET", container)
        request.query = [
            (name: "list-type", value: "2"), (name: "encoding-type", value: "url"),
            (name: "max-keys", value: "\(min(max(page.countMax, 1), ServiceLimits.pageCountMax))"),
        ]
        if !page.prefix.isEmpty { request.query.append((name: "prefix", value: page.prefix)) }
        if let delimiter = page.delimiter { request.query.append((name: "delimiter", value: delimiter)) }
        if let start = startAfter(page) { request.query.append((name: "start-after", value: start)) }
        return request
    }

    /// Returns the text after which S3 must begin the page.
    ///
    /// If a page began directly after a common prefix, the names below this prefix would be listed as the same common
    /// prefix again. Therefore the highest code point is appended to the common prefix, so that these names are
    /// skipped.
    static func startAfter(_ page: ObjectPage) -> String? {
        guard let after = page.after, let delimiter = page.delimiter, !delimiter.isEmpty else { return page.after }
        let (bytes, prefix, mark) = (Array(after.utf8), Array(page.prefix.utf8), Array(delimiter.utf8))
        guard bytes.starts(with: prefix), bytes.count >= prefix.count + mark.count,
            bytes.suffix(mark.count).elementsEqual(mark)
        else { return after }
        let level = bytes[prefix.count...]
        // The text is a common prefix if the delimiter occurs only at its end (after the prefix of the page).
        let isCommonPrefix = !level.indices.dropLast(mark.count).contains { level[$0...].starts(with: mark) }
        return isCommonPrefix ? after + "\u{10FFFF}" : after
    }

    /// Returns the texts of elements that contain names.
    ///
    /// - Parameter isEncoded: Whether the names have percent escapes.
    private static func names(_ elements: [XMLElement?], isEncoded: Bool) throws(ObjectError) -> [String] {
        var names: [String] = []
        for element in elements {
            guard let text = element?.text, let name = isEncoded ? decoded(text) : text else {
                throw ObjectError(.badResponse, "The service sent a list with an invalid name.")
            }
            names.append(name)
        }
        return names
    }

    private static func decoded(_ text: String) -> String? {
        [UInt8](percentEncoded: text.utf8, plusIsSpace: true).flatMap { String(validating: $0, as: UTF8.self) }
    }

    private static func listed(_ name: String, _ element: XMLElement) -> ObjectInfo {
        ObjectInfo(
            name: name, byteCount: max(element["Size"].flatMap { Int($0.text) } ?? 0, 0),
            entityTag: ObjectHeaders.entityTag(element["ETag"]?.text),
            modified: element["LastModified"].flatMap { ServiceTime.seconds(iso: $0.text) } ?? 0)
    }
}
