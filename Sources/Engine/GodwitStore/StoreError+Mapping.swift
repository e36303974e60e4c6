//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
package import GodwitJSON
import GodwitSQLite

extension StoreError {
    /// Converts an error of a lower layer. A ``StoreError`` is returned unchanged; `subject` names the operation or
    /// file.
    package init(wrapping error: any Error, subject: String) {
        switch error {
        case let error as StoreError: self = error
        case let error as SQLiteError: self.init(sqlite: error, subject: subject)
        case let error as JSONError: self.init(json: error)
        case let error as BrokenInvariant:
            self.init(
                .brokenInvariant,
                "\(subject): a rule of Godwit is broken: \(error). Nothing was written. Report this fault.",
                cause: error)
        case is CancellationError: self.init(.cancelled, "\(subject): cancelled", cause: error)
        case let error as SystemError where error.isOutOfFiles: self = .outOfFiles(subject, cause: error)
        case let error as SystemError:
            self.init(error == .diskFull ? .diskFull : .storage, "\(subject): \(error)", cause: error)
        default: self.init(.storage, "\(subject): \(error)", cause: error)
        }
    }

    /// Converts an error of parsing JSON: to code ``StoreError/Code/documentTooLarge`` if the text is too long,
    /// otherwise to ``StoreError/Code/invalidJSON``.
    package init(json error: JSONError) {
        let code: Code = error.code == .tooLarge ? .documentTooLarge : .invalidJSON
        self.init(code, error.description, cause: error)
    }

    private static func outOfFiles(_ subject: String, cause: any Error) -> StoreError {
        StoreError(
            .overloaded,
            "\(subject): too many files are open. Repeat the request later, and raise the limit of open files "
                + "(ulimit -n, or LimitNOFILE of the service).", cause: cause)
    }

    private init(sqlite error: SQLiteError, subject: String) {
        if error.isInterrupted, let end = WorkBudget.current?.end {
            self.init(end, document: nil)
        } else if error.isDiskFull {
            self.init(
                .diskFull, "\(subject): the disk is full. Nothing was written. Free disk space and repeat the write.",
                cause: error)
        } else if error.isOutOfFiles {
            self = .outOfFiles(subject, cause: error)
        } else if error.isPlain {
            self.init(
                .notEncrypted,
                "\(subject): the file is not encrypted, but a key was given. Open it without a key, or encrypt it "
                    + "(`godwit encrypt`).", cause: error)
        } else if error.isWrongKey {
            self.init(
                .wrongKey,
                "\(subject): the key or passphrase is wrong, the file is not Godwit's, or its beginning is damaged.",
                cause: error)
        } else if error.isDamagedPage {
            self.init(
                .corrupt,
                "\(subject): \(error.message). `godwit doctor` lists all damaged pages; restore the database from a "
                    + "backup.", cause: error)
        } else if error.isCorrupt {
            self.init(
                .corrupt, "\(subject): the file is damaged or not a Godwit database. Restore it from a backup.",
                cause: error)
        } else {
            self.init(.storage, "\(subject): \(error.message)", cause: error)
        }
    }
}
