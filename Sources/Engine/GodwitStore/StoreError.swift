//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// An error of a datastore: what failed, why, and what to do about it.
///
/// The message never contains a document's content, an attachment's bytes or a secret.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of an error. More kinds may be added. Therefore, match the kinds that you handle, and have a default
    /// case.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name, for example `conflict`.
        public let description: String

        /// The document was changed since it was read, or the given revision is not a leaf of the document.
        public static let conflict = Code(description: "conflict")
        /// The document, revision, attachment or local document does not exist.
        public static let notFound = Code(description: "notFound")
        /// The document existed and is deleted.
        public static let deleted = Code(description: "deleted")
        /// No database has this name.
        public static let databaseNotFound = Code(description: "databaseNotFound")
        /// A database with this name exists or is being deleted.
        public static let databaseExists = Code(description: "databaseExists")
        /// The database name is invalid.
        public static let invalidDatabaseName = Code(description: "invalidDatabaseName")
        /// The document violates a rule for its id, for reserved members or for its attachments.
        public static let invalidDocument = Code(description: "invalidDocument")
        /// The text is not valid JSON.
        public static let invalidJSON = Code(description: "invalidJSON")
        /// The revision does not have the form `generation-hash`, or the operation does not accept it.
        public static let invalidRevision = Code(description: "invalidRevision")
        /// The bytes of an attachment do not match the announced digest.
        package static let digestMismatch = Code(description: "digestMismatch")
        /// The partial bytes that an upload wants to continue are not stored.
        package static let arrivalMissing = Code(description: "arrivalMissing")
        /// The document's id is empty, too long or reserved.
        public static let invalidDocumentID = Code(description: "invalidDocumentID")
        /// The name of an owner is empty or too long.
        public static let invalidOwner = Code(description: "invalidOwner")
        /// The value of a limit is invalid.
        public static let invalidLimit = Code(description: "invalidLimit")
        /// A file exists at the path of a new file.
        public static let fileExists = Code(description: "fileExists")
        /// A snapshot ended because the log grew too long.
        public static let snapshotExpired = Code(description: "snapshotExpired")
        /// The requested index does not exist.
        public static let indexNotFound = Code(description: "indexNotFound")
        /// An index with this name exists with another definition.
        public static let indexExists = Code(description: "indexExists")
        /// A validation function of the database rejected the document by throwing `forbidden` or `unauthorized`; see
        /// ``StoreError/cause``. For a remote database, this code also means that the server rejected the credentials,
        /// or that the user of the credentials does not have a right.
        public static let accessRefused = Code(description: "accessRefused")
        /// A validation function of the database failed, so the document was not written; see ``StoreError/cause``.
        public static let validationFailed = Code(description: "validationFailed")
        /// The body is longer than `bodyBytesMax`, or other data is longer than a limit of the call that reads it.
        public static let documentTooLarge = Code(description: "documentTooLarge")
        /// A stub names an attachment that the parent revision does not have, or the bytes of an attachment are not in
        /// this database.
        public static let missingStub = Code(description: "missingStub")
        /// The datastore or its manager was closed, the database was deleted, or a write transaction has ended.
        public static let closed = Code(description: "closed")
        /// Another process, or another manager of this process, has the directory open.
        public static let directoryInUse = Code(description: "directoryInUse")
        /// The manager only reads the directory, which another process writes.
        public static let readOnly = Code(description: "readOnly")
        /// The manager is suspended, because the app is in the background.
        public static let suspended = Code(description: "suspended")
        /// Another task or process writes the file or changes its key, or another program has a database's file open.
        public static let fileInUse = Code(description: "fileInUse")
        /// The file was written by a newer Godwit.
        public static let formatTooNew = Code(description: "formatTooNew")
        /// The disk is full. No part of the write was stored.
        public static let diskFull = Code(description: "diskFull")
        /// The file is damaged.
        public static let corrupt = Code(description: "corrupt")
        /// The file is encrypted, and no key was given.
        public static let encrypted = Code(description: "encrypted")
        /// The file is not encrypted, and a key was given.
        public static let notEncrypted = Code(description: "notEncrypted")
        /// The key or passphrase does not match the file, or the file is not a database.
        public static let wrongKey = Code(description: "wrongKey")
        /// A change of a directory's key was interrupted and must be finished first.
        public static let keyChangePending = Code(description: "keyChangePending")
        /// The given file is not a backup.
        public static let invalidBackup = Code(description: "invalidBackup")
        /// The key could not be obtained from its source; see ``StoreError/cause``.
        public static let noKey = Code(description: "noKey")
        /// The disk or the file system failed.
        public static let storage = Code(description: "storage")
        /// A rule of the library is broken, which is a fault of the library. Nothing was written. The message names the
        /// rule.
        public static let brokenInvariant = Code(description: "brokenInvariant")
        /// The request needs more work than its budget allows.
        package static let tooCostly = Code(description: "tooCostly")
        /// The background work is held, because it was running when earlier processes ended.
        package static let workHeld = Code(description: "workHeld")
        /// More writes wait than `writesWaitingMax`, or the server of a remote database is overloaded.
        public static let overloaded = Code(description: "overloaded")
    }

    /// The kind of the error.
    public let code: Code

    /// The message for the user: the failed operation, its object, and the remedy.
    public let message: String

    /// The underlying error of another layer, if any.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
