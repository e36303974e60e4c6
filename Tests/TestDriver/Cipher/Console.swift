//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import Foundation
import GodwitSQLite

/// A connection to one file that runs the lines of the input as SQL.
struct Console {
    private let connection: SQLiteConnection

    init(path: String, disk: SQLiteDisk) throws {
        do {
            connection = try SQLiteConnection(path: path, access: .readWrite(creating: true), disk: disk)
        } catch {
            say("error \(error)")
            exit(1)
        }
    }

    func run() {
        while let line = readLine() {
            do {
                let statement = try connection.statement(composed: line)
                while try statement.step() { say(statement.string(0)) }
                say("done")
            } catch {
                say("error \(error)")
            }
        }
        connection.close()
    }
}
