//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
public import GodwitStore

/// The files of one datastore of Cloudant Sync.
///
/// | | iOS (CDTDatastore) | Android and Java |
/// |---|---|---|
/// | documents | `NAME.touchdb` | `NAME/db.sync` |
/// | attachments | `NAME attachments/` | `NAME/extensions/com.cloudant.attachments/` |
/// | indexes | `NAME_extensions/QUERY/indexes.sqlite` | `NAME/extensions/QUERY/indexes.sqlite` |
///
/// `QUERY` is the folder `com.cloudant.sync.query`.
public struct CloudantStoreFiles: Equatable, Sendable {
    /// The name of the datastore: the name of its files with each `:` replaced by `/`.
    public let name: String
    /// The path of the file with the documents.
    public let documents: String
    /// The path of the folder with the attachments, which may be absent.
    public let attachments: String
    /// The path of the file with the indexes, which may be absent.
    public let indexes: String

    private static let suffix = ".touchdb"
    private static let androidFile = "db.sync"

    /// Finds the datastores of a directory.
    ///
    /// - Parameter directory: The directory that was given to `CDTDatastoreManager` or `DatastoreManager`, the
    ///   directory of one datastore of Android, or the path of one `.touchdb` file.
    /// - Returns: The datastores in the order of their names.
    /// - Throws: ``GodwitStore/StoreError`` with code ``GodwitStore/StoreError/Code/notFound`` if there are none.
    public static func find(in directory: String) throws(StoreError) -> [CloudantStoreFiles] {
        var path = directory
        while path.count > 1, path.ends(with: "/") { path.removeLast() }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        var found: [CloudantStoreFiles] = []
        if path.ends(with: suffix), FileManager.default.fileExists(atPath: path) {
            found = [CloudantStoreFiles(touchdb: path)]
        } else if names.contains(Self.androidFile) {
            found = [CloudantStoreFiles(android: path)]
        } else {
            for name in names {
                let entry = "\(path)/\(name)"
                if name.ends(with: suffix) {
                    found.append(CloudantStoreFiles(touchdb: entry))
                } else if FileManager.default.fileExists(atPath: "\(entry)/\(androidFile)") {
                    found.append(CloudantStoreFiles(android: entry))
                }
            }
        }
        guard !found.isEmpty else {
            throw StoreError(
                .notFound,
                "\(directory) has no datastore of Cloudant Sync: neither a file NAME.touchdb nor a folder with db.sync."
            )
        }
        for files in found { try files.checkHasNoLinks(below: path) }
        return found.sorted { $0.name < $1.name }
    }

    /// Checks that no file or folder of the datastore is a symbolic link. The directory may come from somewhere else, and
    /// a link in it could lead to any file that this process may read.
    private func checkHasNoLinks(below directory: String) throws(StoreError) {
        for path in [documents, attachments, indexes] {
            var rest = path
            while rest.utf8.count > directory.utf8.count {
                let type = (try? FileManager.default.attributesOfItem(atPath: rest))?[.type] as? FileAttributeType
                guard type != .typeSymbolicLink else {
                    throw StoreError(
                        .storage, "\(rest) is a symbolic link. Copy the files of the datastore themselves.")
                }
                guard let slash = rest.utf8.lastIndex(of: UInt8(ascii: "/")) else { break }
                rest = String(rest[..<slash])
            }
        }
    }

    private init(touchdb path: String) {
        let base = String(Substring(path.utf8.dropLast(CloudantStoreFiles.suffix.utf8.count)))
        name = CloudantStoreFiles.name(ofFile: base)
        documents = path
        attachments = "\(base) attachments"
        indexes = "\(base)_extensions/com.cloudant.sync.query/indexes.sqlite"
    }

    private init(android path: String) {
        name = CloudantStoreFiles.name(ofFile: path)
        documents = "\(path)/\(CloudantStoreFiles.androidFile)"
        attachments = "\(path)/extensions/com.cloudant.attachments"
        indexes = "\(path)/extensions/com.cloudant.sync.query/indexes.sqlite"
    }

    private static func name(ofFile path: String) -> String {
        String(path.pieces(at: "/").last ?? "").replacingBytes(":", with: "/")
    }
}
