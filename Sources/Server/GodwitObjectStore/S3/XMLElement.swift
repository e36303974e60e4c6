//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

/// An element of an XML document.
package struct XMLElement: Equatable, Sendable {
    /// The name without its prefix.
    package let name: String
    /// The text between the element's tags, without the text of its children.
    package let text: String
    /// The elements within the element, in order.
    package let children: [XMLElement]

    /// Creates an element.
    package init(_ name: String, text: String = "", children: [XMLElement] = []) {
        self.name = name
        self.text = text
        self.children = children
    }

    /// The first child with a name; `nil` if there is none.
    package subscript(name: String) -> XMLElement? { children.first { $0.name.isIdenticalText(to: name) } }

    /// Returns the children with a name, in order.
    package func all(_ name: String) -> [XMLElement] { children.filter { $0.name.isIdenticalText(to: name) } }
}

/// An error in an XML document.
package struct XMLError: Error, Equatable, Sendable, CustomStringConvertible {
    /// A description of the fault, as a sentence. It contains no text of the document.
    package let description: String

    /// Creates an error.
    init(_ description: String) { self.description = description }
}
