//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// Writes the XML documents of S3's protocol.
///
/// ```swift
/// var xml = XMLWriter()
/// xml.open("Error")
/// xml.element("Code", "NoSuchKey")
/// xml.close()
/// let body = xml.bytes
/// ```
package struct XMLWriter: Sendable {
    /// The part of the document that was written so far.
    package private(set) var bytes = Array("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".utf8)
    private var openNames: [String] = []

    /// Creates a document without elements.
    package init() {}

    /// Begins an element.
    ///
    /// - Parameters:
    ///   - name: The name with its prefix.
    ///   - attributes: The attributes, in order. A namespace is the attribute `xmlns`.
    package mutating func open(_ name: String, _ attributes: [(name: String, value: String)] = []) {
        bytes += "<\(name)".utf8
        for (name, value) in attributes {
            bytes += " \(name)=\"".utf8
            appendEscaped(value)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: ">"))
        openNames.append(name)
    }

    /// Ends the element that was begun last. An element must be open.
    package mutating func close() { bytes += "</\(openNames.removeLast())>".utf8 }

    /// Writes an element that contains only text.
    package mutating func element(_ name: String, _ text: String) {
        open(name)
        appendEscaped(text)
        close()
    }

    /// Appends text. Control characters are written as references, so that readers keep them.
    private mutating func appendEscaped(_ text: String) {
        for byte in text.markupEscaped.utf8 {
            switch byte {
            case 0..<0x20, 0x7f: bytes += "&#x\(String(byte, radix: 16, uppercase: true));".utf8
            default: bytes.append(byte)
            }
        }
    }
}
