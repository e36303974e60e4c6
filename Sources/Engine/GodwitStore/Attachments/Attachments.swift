//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// The attachments of a document, keyed by name.
///
/// It is used as a dictionary. In contrast to a `Dictionary`, it distinguishes names by their bytes: `"\u{e9}"` and
/// `"e\u{301}"` look equal, and are two attachments. The attachments are in the order of the bytes of their names.
///
/// ```swift
/// var photo = Document(body: ["place": "Oslo"], attachments: ["photo.jpg": Attachment(bytes, contentType: "image/jpeg")])
/// photo.attachments["notes.txt"] = Attachment(notes, contentType: "text/plain")
/// photo.attachments["photo.jpg"] = nil
/// ```
public struct Attachments: RandomAccessCollection, ExpressibleByDictionaryLiteral, Sendable {
    /// An attachment with its name.
    public typealias Element = (key: String, value: Attachment)

    /// The attachments in the order of their names' bytes, without repetitions.
    private var members: [Element] = []

    /// Creates a table without attachments.
    public init() {}

    /// Creates a table from attachments with their names. If a name occurs several times, the last attachment is used.
    public init(_ attachments: some Sequence<(String, Attachment)>) {
        for (name, attachment) in attachments { self[name] = attachment }
    }

    /// Creates a table from attachments with their names. If a name occurs several times, the last attachment is used.
    public init(dictionaryLiteral attachments: (String, Attachment)...) { self.init(attachments) }

    /// The position of the first attachment.
    public var startIndex: Int { members.startIndex }
    /// The position after the last attachment.
    public var endIndex: Int { members.endIndex }
    /// The attachment at a position, with its name.
    public subscript(position: Int) -> Element { members[position] }

    /// The names, in the order of their bytes.
    public var keys: [String] { members.map(\.key) }
    /// The attachments, in the order of the bytes of their names.
    public var values: [Attachment] { members.map(\.value) }

    /// The attachment with a name. Setting `nil` removes it.
    ///
    /// - Complexity: Reading takes O(log *n*).
    public subscript(name: String) -> Attachment? {
        get {
            let (position, isFound) = position(of: name)
            return isFound ? members[position].value : nil
        }
        set {
            let (position, isFound) = position(of: name)
            switch (newValue, isFound) {
            case (let newValue?, true): members[position].value = newValue
            case (let newValue?, false): members.insert((name, newValue), at: position)
            case (nil, true): members.remove(at: position)
            case (nil, false): break
            }
        }
    }

    /// Removes an attachment, and returns it; `nil` if there is none with this name.
    @discardableResult
    public mutating func removeValue(forKey name: String) -> Attachment? {
        let (position, isFound) = position(of: name)
        return isFound ? members.remove(at: position).value : nil
    }

    /// Removes all attachments.
    public mutating func removeAll() { members.removeAll() }

    /// Returns the position of a name, or the position at which it would be inserted.
    private func position(of name: String) -> (position: Int, isFound: Bool) {
        let name = ExactText(name)
        var (low, high) = (0, members.count)
        while low < high {
            let middle = low + (high - low) / 2
            if ExactText(members[middle].key) < name { low = middle + 1 } else { high = middle }
        }
        return (low, low < members.count && ExactText(members[low].key) == name)
    }
}
