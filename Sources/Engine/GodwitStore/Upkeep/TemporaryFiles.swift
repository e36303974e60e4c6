//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation

/// Temporary files in a directory of databases. The next start removes temporary files that a crash leaves.
enum TemporaryFiles {
    private static let namePrefix = ".passing-"

    /// The path for a new temporary file.
    static func newPath(in directory: String) -> String { "\(directory)/\(namePrefix)\(UUID().uuidString)" }

    /// Removes a temporary file and its journal. Ignores errors.
    static func remove(_ path: String) {
        for suffix in ["", "-journal"] { try? DatabaseFiles.removeFile(path + suffix) }
    }

    /// Removes the temporary files that a crash left in a directory.
    static func removeAll(in directory: String) throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: directory)
        for file in files where file.begins(with: namePrefix) { try DatabaseFiles.removeFile("\(directory)/\(file)") }
    }
}
