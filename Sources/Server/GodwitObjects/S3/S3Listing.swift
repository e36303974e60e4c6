//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitObjectStore
import GodwitServer
import HTTPTypes

/// The lists of objects and of unfinished uploads of a bucket.
struct S3Listing {
    let directory: ObjectDirectory

    private static let countMax = 1_000

    /// The form in which names are written.
    private struct NameForm {
        let isEncoded: Bool

        init(_ request: S3Request) throws(HTTPFailure) {
            let type = request.head.query("encoding-type")
            guard type == nil || type == "url" else {
                throw S3Failure.invalid("Invalid Encoding Method specified in Request")
            }
            isEncoded = type == "url"
        }

        func text(_ name: String) -> String { isEncoded ? name.percentEncoded(keeping: "/") : name }
    }

    // MARK: Objects

    /// Sends a page of objects. If the parameter `list-type` is 2, the page has the second form of S3's lists.
    func sendObjects(_ request: S3Request, _ bucket: ObjectContainer) async throws {
        let isSecond = request.head.query("list-type") == "2"
        let form = try NameForm(request)
        var listing = ListingRequest()
        listing.prefix = request.head.query("prefix") ?? ""
        listing.delimiter = request.head.query("delimiter") ?? ""
        listing.countMax = try request.number("max-keys", max: Self.countMax)
        listing.after = try start(request, isSecond: isSecond)
        let wanted = listing
        let (entries, hasMore) = try await directory.run { try $0.list(bucket, wanted) }
        var writer = XMLWriter()
        writer.open("ListBucketResult", XMLWriter.space)
        writer.element("Name", bucket.name)
        writer.element("Prefix", form.text(wanted.prefix))
        if !wanted.delimiter.isEmpty { writer.element("Delimiter", form.text(wanted.delimiter)) }
        writer.element("MaxKeys", "\(wanted.countMax)")
        if form.isEncoded { writer.element("EncodingType", "url") }
        writer.element("IsTruncated", hasMore ? "true" : "false")
        let next = hasMore ? entries.last?.name : nil
        if isSecond {
            addSecondForm(to: &writer, request, count: entries.count, next: next, form)
        } else {
            writer.element("Marker", form.text(wanted.after))
            if let next { writer.element("NextMarker", form.text(next)) }
        }
        let showsOwner = !isSecond || request.head.query("fetch-owner") == "true"
        for case .object(let record) in entries {
            add(record, to: &writer, form, owner: showsOwner ? request.account : nil)
        }
        for case .prefix(let prefix) in entries {
            writer.open("CommonPrefixes")
            writer.element("Prefix", form.text(prefix))
            writer.close()
        }
        writer.close()
        try await request.send(writer)
    }

    private func start(_ request: S3Request, isSecond: Bool) throws -> String {
        guard isSecond else { return request.head.query("marker") ?? "" }
        return try Self.nameInToken(of: request) ?? request.head.query("start-after") ?? ""
    }

    /// Returns the name after which a page begins; `nil` if the request contains no continuation token.
    static func nameInToken(of request: S3Request) throws(HTTPFailure) -> String? {
        guard let token = request.head.query("continuation-token") else { return nil }
        guard let bytes = Base64URL.decode(token), let name = String(validating: bytes, as: UTF8.self), !name.isEmpty
        else {
            throw S3Failure.invalid("The continuation token provided is incorrect")
        }
        return name
    }

    private func addSecondForm(
        to writer: inout XMLWriter, _ request: S3Request, count: Int, next: String?, _ form: NameForm
    ) {
        writer.element("KeyCount", "\(count)")
        if let token = request.head.query("continuation-token") { writer.element("ContinuationToken", token) }
        if let start = request.head.query("start-after") { writer.element("StartAfter", form.text(start)) }
        if let next { writer.element("NextContinuationToken", Base64URL.encode(Array(next.utf8))) }
    }

    private func add(_ record: ObjectRecord, to writer: inout XMLWriter, _ form: NameForm, owner: ObjectAccount?) {
        writer.open("Contents")
        writer.element("Key", form.text(record.name))
        writer.element("LastModified", ObjectTime.iso(milliseconds: record.modified))
        writer.element("ETag", "\"\(record.entityTag)\"")
        writer.element("Size", "\(record.byteCount)")
        if let owner { writer.owner(owner) }
        writer.element("StorageClass", "STANDARD")
        writer.close()
    }

    // MARK: Uploads

    func sendUploads(_ request: S3Request, _ bucket: ObjectContainer) async throws {
        let form = try NameForm(request)
        var listing = UploadListingRequest()
        listing.prefix = request.head.query("prefix") ?? ""
        listing.delimiter = request.head.query("delimiter") ?? ""
        listing.after = request.head.query("key-marker") ?? ""
        listing.afterID = request.head.query("upload-id-marker").flatMap { $0.isEmpty ? nil : $0 }
        listing.countMax = try request.number("max-uploads", max: Self.countMax)
        let wanted = listing
        let (entries, hasMore) = try await directory.run { try $0.uploads(in: bucket, wanted) }
        var writer = XMLWriter()
        writer.open("ListMultipartUploadsResult", XMLWriter.space)
        writer.element("Bucket", bucket.name)
        writer.element("KeyMarker", form.text(wanted.after))
        writer.element("UploadIdMarker", wanted.afterID ?? "")
        writer.element("Prefix", form.text(wanted.prefix))
        if !wanted.delimiter.isEmpty { writer.element("Delimiter", form.text(wanted.delimiter)) }
        writer.element("MaxUploads", "\(wanted.countMax)")
        if form.isEncoded { writer.element("EncodingType", "url") }
        writer.element("IsTruncated", hasMore ? "true" : "false")
        if hasMore, let last = entries.last {
            writer.element("NextKeyMarker", form.text(last.name))
            if case .upload(let upload) = last { writer.element("NextUploadIdMarker", upload.id) }
        }
        for case .upload(let upload) in entries { add(upload, to: &writer, form, request.account) }
        for case .prefix(let prefix) in entries {
            writer.open("CommonPrefixes")
            writer.element("Prefix", form.text(prefix))
            writer.close()
        }
        writer.close()
        try await request.send(writer)
    }

    private func add(_ upload: PartialUpload, to writer: inout XMLWriter, _ form: NameForm, _ account: ObjectAccount) {
        writer.open("Upload")
        writer.element("Key", form.text(upload.name))
        writer.element("UploadId", upload.id)
        writer.owner(account, as: "Initiator")
        writer.owner(account)
        writer.element("StorageClass", "STANDARD")
        writer.element("Initiated", ObjectTime.iso(milliseconds: upload.created.multipliedSaturated(by: 1_000)))
        let checksum = UploadChecksum(of: upload)
        if checksum.isChosen {
            writer.element("ChecksumAlgorithm", checksum.algorithm.name)
            writer.element("ChecksumType", checksum.coverage.rawValue)
        }
        writer.close()
    }
}
