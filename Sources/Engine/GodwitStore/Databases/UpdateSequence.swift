//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase

/// A position in the changes of one database: the number of a change and the epoch of the file, written `42-9f03a1c7`.
///
/// Treat the text as opaque: store it and pass it back unchanged.
public struct UpdateSequence: Hashable, Sendable, CustomStringConvertible {
    /// The number of the last change before the position.
    public let number: Int64
    /// The epoch of the database that created the sequence; `nil` for a bare number.
    public let epoch: String?
    /// The text of a sequence in another format, which some servers use; `nil` for the format `number-epoch` or a bare
    /// number.
    private let opaque: String?

    /// Creates a sequence from the number of a change and the epoch of the file. If `epoch` is `nil`, the sequence is a
    /// bare number.
    package init(number: Int64, epoch: String?) {
        self.number = number
        self.epoch = epoch
        opaque = nil
    }

    /// Creates a sequence of a remote database, in any format. Its `number` is 0 if the text does not begin with a
    /// number and a hyphen.
    package init(ofPeer text: String) {
        let parsed = UpdateSequence(text)
        number = parsed?.number ?? 0
        epoch = parsed?.epoch
        opaque = parsed.map { $0.description.utf8.elementsEqual(text.utf8) } == true ? nil : text
    }

    /// Parses `number-epoch` or a bare number; `nil` for any other text.
    public init?(_ text: String) {
        let parts = text.pieces(at: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let number = Int64(parts[0]), number >= 0 else { return nil }
        self.init(number: number, epoch: parts.count > 1 ? String(parts[1]) : nil)
    }

    /// The position before the first change.
    public static let zero = UpdateSequence(number: 0, epoch: nil)

    /// `number-epoch`, a bare number, or the original text of a remote sequence in another format.
    public var description: String { opaque ?? epoch.map { "\(number)-\($0)" } ?? "\(number)" }
}
