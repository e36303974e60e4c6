//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON
import GodwitStore

extension IncomingDocument {
    /// Returns the document in the format for validations.
    ///
    /// - Parameters:
    ///   - parentPath: The revision that an edit follows, with its ancestors, the youngest first.
    ///   - parentAttachments: The attachments of the stored revision that the document replaces. The document's stubs
    ///     refer to them.
    func functionText(following parentPath: [RevisionID], _ parentAttachments: [AttachmentRecord] = []) -> [UInt8] {
        let path = path.isEmpty ? parentPath : self.path
        var text: [UInt8] = Array("{\"_id\":".utf8)
        JSONWriter.appendQuoted(id ?? "", to: &text)
        if let revision = path.first {
            let hashes = path.prefix(DocumentTable.ancestorsOfFunctionMax).map { "\"\($0.hashText)\"" }.joined(
                separator: ",")
            text.append(raw: ",\"_rev\":\"\(revision)\"")
            text.append(raw: ",\"_revisions\":{\"start\":\(revision.generation),\"ids\":[\(hashes)]}")
        }
        if isDeleted { text.append(raw: ",\"_deleted\":true") }
        if let attachments, !attachments.isEmpty {
            let stubs = attachments.map { ($0.name, $0.functionStub(of: parentAttachments)) }
            text.append(raw: ",\"_attachments\":\(JSONValue.object(JSONObject(stubs)).jsonText())")
        }
        // If the body has only two bytes, it is `{}`.
        if body.count > 2 {
            text.append(UInt8(ascii: ","))
            text += body[1...]
        } else {
            text.append(UInt8(ascii: "}"))
        }
        return text
    }
}

extension AttachmentRecord {
    fileprivate var functionStub: JSONValue {
        [
            "content_type": .string(contentType), "revpos": .integer(Int64(revisionPosition)),
            "digest": .string(blob.md5Text), "length": .integer(Int64(blob.length)), "stub": true,
        ]
    }
}

extension IncomingDocument.Attachment {
    /// Returns the known properties of an attachment before it is stored. A stub has the properties of the parent's
    /// attachment.
    fileprivate func functionStub(of parentAttachments: [AttachmentRecord]) -> JSONValue {
        switch self {
        case .stub(let name, _):
            // Names that Unicode considers equal may have different bytes.
            parentAttachments.first { $0.name.utf8.elementsEqual(name.utf8) }?.functionStub ?? ["stub": true]
        case .inline(_, let type, let bytes, _):
            ["content_type": .string(type), "length": .integer(Int64(bytes.count)), "stub": true]
        case .stored(_, let type, let blob, _), .known(_, let type, let blob), .absent(_, let type, let blob, _):
            [
                "content_type": .string(type), "digest": .string(blob.md5Text), "length": .integer(Int64(blob.length)),
                "stub": true,
            ]
        case .following(_, let type, _): ["content_type": .string(type), "stub": true]
        }
    }
}
