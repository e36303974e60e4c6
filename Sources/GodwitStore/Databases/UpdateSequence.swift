//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// A place in the changes of one database: the number of a change and the epoch of the file, written `42-9f03a1c7`.
///
/// Keep the text and hand it back; what it is made of is the database's own affair.
public struct UpdateSequence: Hashable, Sendable, CustomStringConvertible {
    /// The number of the last change that was seen.
    public let number: Int64
    /// The epoch of the database that gave it; `nil` for a bare number.
    public let epoch: String?
    /// The text of a place that is not of this form, as some servers give it.
    private let opaque: String?

    package init(number: Int64, epoch: String?) {
        self.number = number
        self.epoch = epoch
        opaque = nil
    }

    /// A place in the changes of a database elsewhere, whatever its server makes it of.
    package init(ofPeer text: String) {
        let plain = UpdateSequence(text)
        number = plain?.number ?? 0
        epoch = plain?.epoch
        opaque = plain.map { $0.description.utf8.elementsEqual(text.utf8) } == true ? nil : text
    }

    /// Reads `number-epoch` or a bare number; `nil` when the text is something else.
    public init?(_ text: String) {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = Int64(parts[0]), number >= 0 else { return nil }
        self.init(number: number, epoch: parts.count > 1 ? String(parts[1]) : nil)
    }

    /// Before the first change.
    public static let zero = UpdateSequence(number: 0, epoch: nil)

    /// `number-epoch`, or the bare number; of a server with other ways, its own text.
    public var description: String { opaque ?? epoch.map { "\(number)-\($0)" } ?? "\(number)" }
}
