//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitKeys
import Testing

/// A folder that is removed when it is released.
final class Folder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "godwit-keys-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    var names: Set<String> { Set((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []) }

    func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
        try Data(text.utf8).write(to: URL(filePath: file(name)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file(name))
        return file(name)
    }
}

func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
}

func contents(_ path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

extension ScryptCost {
    /// The lowest cost of scrypt, for tests that do not measure time.
    static let least = ScryptCost(n: 2, r: 1, p: 1)
}

/// Expects an error with a code.
func expect<Result>(
    _ code: KeyError.Code, _ location: SourceLocation = #_sourceLocation, from body: () async throws -> Result
) async {
    do {
        _ = try await body()
        Issue.record("\(code) was expected", sourceLocation: location)
    } catch let error as KeyError {
        #expect(error.code == code, "\(error)", sourceLocation: location)
    } catch {
        Issue.record("\(code) was expected: \(error)", sourceLocation: location)
    }
}
