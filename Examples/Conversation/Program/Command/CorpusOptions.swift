//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import ConversationCore
import Foundation
import GodwitDatabase
import GodwitJSON

/// The directory and the database of the corpus.
struct CorpusOptions: ParsableArguments {
    static let usual = "godwit-data/corpus"

    @Option(
        help: ArgumentHelp(
            "The database of the corpus: its directory, a slash and its name. (default: \(CorpusOptions.usual))",
            valueName: "directory/name"))
    var database: String?

    /// The path of the database: the directory, a slash and the name.
    var path: String { database ?? CorpusOptions.usual }

    /// Returns the directory and the name.
    private func location() throws -> (directory: String, name: String) {
        guard let location = CorpusOptions.location(path) else {
            throw ValidationError("\(path) is no database. Specify its directory, a slash and its name.")
        }
        return location
    }

    /// Opens the database. If it is absent, it is created.
    func created() async throws -> (manager: DatastoreManager, datastore: Datastore) {
        let (directory, name) = try location()
        let manager = try DatastoreManager(directory: directory)
        return (manager, try await manager.datastore(named: name))
    }

    /// Opens the database, which must exist.
    func existing() async throws -> (manager: DatastoreManager, datastore: Datastore) {
        let (directory, name) = try location()
        let absent = ValidationError(
            "There is no database \(path). Load a corpus with: conversation index FILE --database \(path)")
        guard FileManager.default.fileExists(atPath: directory) else { throw absent }
        let manager = try DatastoreManager(directory: directory)
        do throws(StoreError) {
            return (manager, try await manager.existingDatastore(named: name))
        } catch {
            await manager.close()
            throw error.code == .databaseNotFound ? absent : error
        }
    }

    static func location(_ path: String) -> (directory: String, name: String)? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex, path.index(after: slash) < path.endIndex
        else { return nil }
        return (String(path[..<slash]), String(path[path.index(after: slash)...]))
    }
}

/// The learned parameters.
struct ParameterOptions: ParsableArguments {
    @Option(help: "A file with learned parameters; without it, those for questions about health.")
    var parameters: String?

    func learned() throws -> AnswerParameters {
        guard let parameters else { return .health }
        guard let bytes = FileManager.default.contents(atPath: parameters),
            let value = try? JSONValue(parsing: Array(bytes)), let learned = AnswerParameters(value)
        else { throw ValidationError("\(parameters) has no parameters.") }
        return learned
    }
}
