//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

/// What a datastore could not do, why, and what to do about it.
///
/// The message never holds a document's content, an attachment's bytes or a secret.
public struct StoreError: Error, Sendable, CustomStringConvertible {
    /// The kind of a failure. More kinds may come: match the ones that you handle and have a default.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The kind's name, for example `conflict`.
        public let description: String

        /// Another write came first, or the revision given is no leaf of the document.
        public static let conflict = Code(description: "conflict")
        /// There is no such document, revision, attachment or local document.
        public static let notFound = Code(description: "notFound")
        /// The document was there and is deleted.
        public static let deleted = Code(description: "deleted")
        /// There is no database of this name.
        public static let databaseNotFound = Code(description: "databaseNotFound")
        /// A database of this name is already there.
        public static let databaseExists = Code(description: "databaseExists")
        /// The name breaks the rule for names of databases.
        public static let invalidDatabaseName = Code(description: "invalidDatabaseName")
        /// The document breaks a rule: its id, a reserved member, its attachments.
        public static let invalidDocument = Code(description: "invalidDocument")
        /// The text is no valid JSON.
        public static let invalidJSON = Code(description: "invalidJSON")
        /// The revision is not of the form `generation-hash`.
        public static let invalidRevision = Code(description: "invalidRevision")
        /// The bytes of an attachment are not those of the digest that was announced for them.
        package static let digestMismatch = Code(description: "digestMismatch")
        /// The bytes of an attachment that an upload is to go on with are not here.
        package static let arrivalMissing = Code(description: "arrivalMissing")
        /// The document's id is empty, too long or reserved.
        public static let invalidDocumentID = Code(description: "invalidDocumentID")
        /// The name of an owner is empty or too long.
        public static let invalidOwner = Code(description: "invalidOwner")
        /// A limit is set to a value that makes no sense.
        public static let invalidLimit = Code(description: "invalidLimit")
        /// A file is where a new one is to be made.
        public static let fileExists = Code(description: "fileExists")
        /// A snapshot ended because the log grew too long.
        public static let snapshotExpired = Code(description: "snapshotExpired")
        /// An index was asked for that is not there.
        public static let indexNotFound = Code(description: "indexNotFound")
        /// An index of this name is there with another definition.
        public static let indexExists = Code(description: "indexExists")
        /// A validation of the database refused the document: it threw `forbidden` or `unauthorized`, which
        /// ``StoreError/cause`` tells. Of a remote database, also that the server refused the credentials, or what they have
        /// no right to.
        public static let accessRefused = Code(description: "accessRefused")
        /// A validation of the database gave no answer, so that the document was not written: ``StoreError/cause`` says why.
        public static let validationFailed = Code(description: "validationFailed")
        /// The body is above `bodyBytesMax`.
        public static let documentTooLarge = Code(description: "documentTooLarge")
        /// A stub names an attachment that no revision here holds.
        public static let missingStub = Code(description: "missingStub")
        /// The datastore was closed or deleted.
        public static let closed = Code(description: "closed")
        /// Another process, or another manager of this one, has the directory open.
        public static let directoryInUse = Code(description: "directoryInUse")
        /// Somebody else is writing the file, or changing its key; or another program has a database's file open.
        public static let fileInUse = Code(description: "fileInUse")
        /// The file was written by a newer Godwit.
        public static let formatTooNew = Code(description: "formatTooNew")
        /// The disk has no room left; nothing of the write was kept.
        public static let diskFull = Code(description: "diskFull")
        /// The file is damaged.
        public static let corrupt = Code(description: "corrupt")
        /// The file is encrypted and no key was given.
        public static let encrypted = Code(description: "encrypted")
        /// A key was given and the file is not encrypted.
        public static let notEncrypted = Code(description: "notEncrypted")
        /// The file does not answer to the key or passphrase; or it is no database at all.
        public static let wrongKey = Code(description: "wrongKey")
        /// A change of a directory's key was cut short and is to be finished first.
        public static let keyChangePending = Code(description: "keyChangePending")
        /// A file that was given as a backup is none.
        public static let invalidBackup = Code(description: "invalidBackup")
        /// The key could not be had from where it should come; ``StoreError/cause`` says why.
        public static let noKey = Code(description: "noKey")
        /// The disk or the file system failed.
        public static let storage = Code(description: "storage")
        /// The work that a request asked for takes more than it may.
        package static let tooCostly = Code(description: "tooCostly")
        /// More writes wait than `writesWaitingMax`, or the server of a remote database has too much to do.
        public static let overloaded = Code(description: "overloaded")
    }

    /// The kind of failure.
    public let code: Code

    /// What failed, on what, and what to do about it.
    public let message: String

    /// The failure underneath, if another layer reported one.
    public let cause: (any Error)?

    /// Creates an error.
    public init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    /// The message, with its kind.
    public var description: String { "\(code): \(message)" }
}
