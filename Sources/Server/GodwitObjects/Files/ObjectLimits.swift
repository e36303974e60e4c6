//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// The limits of the storage of objects.
package enum ObjectLimits {
    /// The largest number of bytes of an object in one upload, as in S3 and Swift.
    package static let uploadBytesMax = 5 << 30
    /// The largest number of parts of an upload. S3's limit.
    package static let partsMax = 10_000
    /// The smallest number of bytes of a part, except for the last part. It is S3's limit.
    package static let partBytesMin = 5 << 20
    /// The largest number of unfinished uploads in parts of an account.
    package static let uploadsPerAccountMax = 10_000
    /// The number of days after which an unfinished upload in parts is aborted.
    package static let uploadDaysMax = 7
    /// The number of objects that an account with a quota may have even if the quota is small.
    static let quotaObjectsMin = 1_000
    /// If a quota is larger, the account may have more objects: one more for each time that the quota contains this
    /// number of bytes.
    static let quotaBytesPerObject = 4 << 10
    /// The largest number of unfinished uploads that a container may have when it is deleted.
    static let uploadsOfDeletedMax = 100
    /// The largest number of containers of an account.
    package static let containersPerAccountMax = 10_000
    /// The largest size of the metadata of an object or of a container, in bytes. The size includes the names of the
    /// metadata.
    package static let metadataBytesMax = 8 << 10
    /// The largest number of objects, common prefixes or parts on a page.
    package static let pageCountMax = 10_000
    /// The number of rows that are read together. The number is limited because other tasks cannot read the catalogue
    /// in the meantime.
    static let sliceRowsMax = 1_000
    /// The number of bytes that are read from a file, or written to a file, in one call.
    static let pieceBytes = 256 << 10
    /// The number of plain bytes in one chunk of an encrypted file.
    static let sealedBytes = 64 << 10
    /// The number of files and rows that one step of the collection removes.
    static let collectedMax = 100
    /// The seconds between two searches for expired objects, unused files and old uploads.
    package static let collectionSeconds = 2
    /// The largest number of objects that are deleted in one transaction.
    static let deletedMax = 100
    /// The number of pieces after which a transaction deletes no further object.
    static let deletedPiecesMax = 1_000
    /// The largest number of faults that a check reports.
    static let faultsMax = 100
}
