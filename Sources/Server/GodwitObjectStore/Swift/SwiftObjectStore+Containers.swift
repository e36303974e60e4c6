//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitTransport

extension SwiftObjectStore {
    /// See ``ObjectStore/createContainer(_:)``.
    public func createContainer(_ name: String) async throws(ObjectError) {
        try ObjectNames.checkContainer(name)
        do throws(ObjectError) {
            _ = try await answer(to: ServiceRequest("PUT", name))
        } catch {
            // With these codes, the service refuses the name, because it may have further rules for names.
            guard [.invalidRequest, .preconditionFailed].contains(error.code) else { throw error }
            throw ObjectError(.invalidName, error.message, cause: error)
        }
    }

    /// See ``ObjectStore/deleteContainer(_:)``.
    public func deleteContainer(_ name: String) async throws(ObjectError) {
        try ObjectNames.checkContainer(name)
        _ = try await answer(to: ServiceRequest("DELETE", name))
    }

    /// See ``ObjectStore/containers()``. The result includes the containers with segments of large objects.
    public func containers() async throws(ObjectError) -> [String] {
        var names: [String] = []
        while true {
            var query = [(name: "limit", value: "\(ServiceLimits.pageCountMax)")]
            if let last = names.last { query.append((name: "marker", value: last)) }
            let page = try await entries(of: nil, query).compactMap { $0["name"]?.stringValue }
            guard let first = page.first else { return names }
            // The names must follow those of the previous page. Otherwise, if a service ignored the marker, this loop
            // would get the same page forever.
            guard names.last.map({ ExactText($0) < ExactText(first) }) ?? true else {
                throw ObjectError(.badResponse, "The service repeats a page of the list of containers.")
            }
            names += page
        }
    }

    /// See ``ObjectStore/setPublicReading(_:of:)``. It replaces the container's access control list for reading. If the
    /// list contained other readers, they lose their access.
    public func setPublicReading(_ isPublic: Bool, of container: String) async throws(ObjectError) {
        try ObjectNames.checkContainer(container)
        var request = ServiceRequest("POST", container)
        request.headers = [(name: "X-Container-Read", value: isPublic ? ".r:*" : "")]
        _ = try await answer(to: request)
    }

    /// See ``ObjectStore/allowsPublicReading(of:)``.
    public func allowsPublicReading(of container: String) async throws(ObjectError) -> Bool {
        try ObjectNames.checkContainer(container)
        let readers = try await answer(to: ServiceRequest("HEAD", container))["X-Container-Read"] ?? ""
        return readers.pieces(at: ",").contains { $0.filter { $0 != " " } == ".r:*" }
    }

    /// See ``ObjectStore/objects(in:_:)``. A page has at most 1 000 entries.
    public func objects(in container: String, _ page: ObjectPage) async throws(ObjectError) -> ObjectList {
        try ObjectNames.checkContainer(container)
        let countMax = min(max(page.countMax, 1), ServiceLimits.pageCountMax)
        // One entry more than needed is requested. If the service returns it, another page follows.
        var query = [(name: "limit", value: "\(countMax + 1)")]
        if !page.prefix.isEmpty { query.append((name: "prefix", value: page.prefix)) }
        if let delimiter = page.delimiter { query.append((name: "delimiter", value: delimiter)) }
        if let after = page.after { query.append((name: "marker", value: after)) }
        let found = try await entries(of: container, query)
        let shown = found.prefix(countMax)
        let next = shown.last.flatMap { $0["name"]?.stringValue ?? $0["subdir"]?.stringValue }
        return ObjectList(
            objects: shown.compactMap { SwiftObjectStore.listed($0) },
            prefixes: shown.compactMap { $0["subdir"]?.stringValue }, next: found.count > countMax ? next : nil)
    }

    /// Returns the entries of a page of a list.
    private func entries(
        of container: String?, _ query: [(name: String, value: String)]
    ) async throws(ObjectError) -> [JSONValue] {
        var request = ServiceRequest("GET", container)
        request.query = [(name: "format", value: "json")] + query
        let answer = try await self.answer(to: request)
        // The status 204 means an empty list. Such a response has no body.
        if answer.status == 204 { return [] }
        guard let entries = (try? JSONValue(parsing: answer.body))?.arrayValue else {
            throw ObjectError(.badResponse, "\(request.description): the service sent no list. Check its address.")
        }
        return entries
    }

    private static func listed(_ entry: JSONValue) -> ObjectInfo? {
        guard let name = entry["name"]?.stringValue else { return nil }
        return ObjectInfo(
            name: name, byteCount: max(entry["bytes"]?.intValue ?? 0, 0),
            entityTag: ObjectHeaders.entityTag(entry["hash"]?.stringValue),
            modified: entry["last_modified"]?.stringValue.flatMap { ServiceTime.seconds(iso: $0) } ?? 0,
            properties: ObjectProperties(contentType: entry["content_type"]?.stringValue))
    }
}
