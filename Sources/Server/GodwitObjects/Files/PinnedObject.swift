//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An object whose files are not removed as long as an instance of this class exists, even if the object is replaced or
/// deleted.
package final class PinnedObject: Sendable {
    /// The object.
    package let record: ObjectRecord
    let directory: ObjectDirectory

    /// Pins the files of an object, or of several objects that are read as one. Pinning has no effect on a file that
    /// the collection is just removing. ``ObjectDirectory/open(_:in:)`` ensures that this is not the case for any file
    /// of the object.
    package init(_ record: ObjectRecord, in directory: ObjectDirectory) {
        self.record = record
        self.directory = directory
        directory.pins.pinReading(record.pieces)
    }

    deinit { directory.pins.unpin(record.pieces.map(\.blob)) }

    /// Returns the bytes of a range.
    package func read(_ range: Range<Int>) -> StoredObjectReading { StoredObjectReading(self, range: range) }
}
