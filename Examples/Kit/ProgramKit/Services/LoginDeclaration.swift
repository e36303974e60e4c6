//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
public import GodwitJSON

/// The members of an application's declaration that concern logins. They are in a file that an environment variable
/// names.
public enum LoginDeclaration {
    private static let members = ["providers", "url", "redirects"]

    /// The error that the file whose path is in the variable cannot be used.
    public struct Failure: Error, CustomStringConvertible {
        /// The reason, and what to do.
        public let description: String
    }

    /// Reads the members.
    ///
    /// - Parameter variable: The name of the variable that contains the path of a JSON file.
    /// - Returns: Those of the members `providers`, `url` and `redirects` that the file contains. If the variable is
    ///   missing or empty, the result is empty.
    /// - Throws: ``Failure`` if the file cannot be read, or is not a JSON object.
    public static func members(_ variable: String) throws -> JSONObject {
        guard let path = ProcessInfo.processInfo.environment[variable], !path.isEmpty else { return [:] }
        guard let bytes = FileManager.default.contents(atPath: path),
            let object = (try? JSONValue(parsing: Array(bytes)))?.objectValue
        else { throw Failure(description: "\(variable): \(path) cannot be read, or is no JSON object.") }
        return members.reduce(into: [:]) { $0[$1] = object[$1] }
    }
}
