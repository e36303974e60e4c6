//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// Deletes many objects and empty containers in one request, as OpenStack Swift's `POST ?bulk-delete`.
///
/// The body has a percent-encoded path in each line: `CONTAINER/OBJECT`, or `CONTAINER` for an empty container. They are
/// deleted in their order. The right to delete is checked for each path.
struct SwiftBulkDelete {
    let directory: ObjectDirectory

    /// The largest number of paths of a request.
    static let pathsMax = 10_000
    /// The number of paths that could not be deleted after which a request ends.
    static let failuresMax = 1_000
    private static let bodyBytesMax = 16 << 20
    private static let invalidName = "412 Precondition Failed"

    /// A line of the body.
    private struct Line {
        /// The path as the client wrote it.
        let text: String
        /// The name of the container; `nil` if the line is malformed.
        let container: String?
        /// The name of the object; `nil` for the container itself.
        let object: String?

        init(_ text: String) {
            self.text = text
            let path = [UInt8](percentEncoded: text.utf8).flatMap { String(validating: $0, as: UTF8.self) } ?? ""
            let parts = path.utf8.drop { $0 == UInt8(ascii: "/") }
                .split(separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            let object = parts.count > 1 && !parts[1].isEmpty ? parts[1] : nil
            let isValid = ObjectNames.isContainer(parts.first ?? "") && object.map(ObjectNames.isObject) ?? true
            container = isValid ? parts.first : nil
            self.object = object
        }
    }

    /// - Throws: ``HTTPFailure`` with status 401 if the client is not known, or 413 if the body is too large.
    func handle(_ request: SwiftRequest) async throws {
        let access = try await SwiftAccess(request, directory)
        guard !access.isAnonymous else { throw SwiftAccess.unauthorized }
        let lines = try await lines(of: request)
        var deletions = SwiftDeletions()
        if lines.isEmpty {
            deletions.refusal = ("400 Bad Request", "Invalid bulk delete.")
        } else if lines.count > Self.pathsMax {
            deletions.refusal = (
                "413 Request Entity Too Large", "Maximum Bulk Deletes: \(Self.pathsMax) per request"
            )
        } else {
            try await delete(lines, access, &deletions)
        }
        try await deletions.send(request)
    }

    private func lines(of request: SwiftRequest) async throws -> [Line] {
        let body = try await request.head.collectBody(bytesMax: Self.bodyBytesMax)
        let isSpace: (UInt8) -> Bool = {
            $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\t")
        }
        let texts = body.split(separator: UInt8(ascii: "\n")).lazy.map { line in
            var line = line.drop(while: isSpace)
            while let last = line.last, isSpace(last) { line.removeLast() }
            return line
        }.filter { !$0.isEmpty }
        // One more line than is permitted shows that there are too many.
        return texts.prefix(Self.pathsMax + 1).map { Line(String(decoding: $0, as: UTF8.self)) }
    }

    private func delete(_ lines: [Line], _ access: SwiftAccess, _ deletions: inout SwiftDeletions) async throws {
        var rest = lines[...]
        while let first = rest.first {
            guard deletions.failures.count < Self.failuresMax else {
                deletions.refusal = ("400 Bad Request", "Max delete failures exceeded")
                return
            }
            guard let name = first.container else {
                deletions.failures.append((first.text, Self.invalidName))
                rest = rest.dropFirst()
                continue
            }
            // Objects of one container in a row are deleted together.
            let group = rest.prefix {
                $0.object != nil && first.object != nil && $0.container?.isIdenticalText(to: name) ?? false
            }.prefix(Self.failuresMax - deletions.failures.count)
            let deleted = group.isEmpty ? rest.prefix(1) : group
            rest = rest.dropFirst(deleted.count)
            try await delete(deleted, in: name, access, &deletions)
        }
    }

    /// Deletes objects of a container, or the container itself.
    private func delete(
        _ lines: ArraySlice<Line>, in name: String, _ access: SwiftAccess, _ deletions: inout SwiftDeletions
    ) async throws {
        let names = lines.compactMap(\.object)
        let account = access.account.id
        let container = try await directory.run { try $0.container(name, of: account) }
        let isPermitted =
            if let container, !names.isEmpty { access.permits(.write(container)) } else { access.isOwner }
        guard isPermitted else {
            deletions.failures += lines.map { ($0.text, "403 Forbidden") }
            return
        }
        guard let container else {
            deletions.missingCount += lines.count
            return
        }
        guard names.isEmpty else {
            let count = try await deletedCount(names, in: container)
            deletions.deletedCount += count
            deletions.missingCount += names.count - count
            return
        }
        do {
            try await directory.run { try $0.delete(container) }
            deletions.deletedCount += 1
        } catch  where error.code == .containerNotFound {
            deletions.missingCount += 1
        } catch {
            let status = SwiftFailure.failure(of: error).status
            deletions.failures += lines.map { ($0.text, "\(status.code) \(status.reasonPhrase)") }
        }
    }

    /// Deletes objects of a container.
    ///
    /// - Returns: The number of objects that existed.
    private func deletedCount(_ names: [String], in container: ObjectContainer) async throws -> Int {
        var (count, rest) = (0, names[...])
        while !rest.isEmpty {
            let next = rest
            let (deleted, handled) = try await directory.run { try $0.deleteObjects(named: next, in: container) }
            count += deleted
            rest = rest.dropFirst(handled)
        }
        return count
    }
}
