//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Files in a directory of databases that are no part of it and soon gone. A crash can leave one; the next start removes it.
enum PassingFiles {
    private static let namePrefix = ".passing-"

    /// The path of one to be made.
    static func newPath(in directory: String) -> String { "\(directory)/\(namePrefix)\(UUID().uuidString)" }

    /// Removes one, with its journal.
    static func remove(_ path: String) {
        for suffix in ["", "-journal"] { try? DatabaseFiles.removeFile(path + suffix) }
    }

    /// Removes those that a crash left in a directory.
    static func removeAll(in directory: String) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: directory)
        for file in files where file.hasPrefix(namePrefix) { try DatabaseFiles.removeFile("\(directory)/\(file)") }
    }
}
