//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import Testing

@testable import GodwitBackend

@Suite("Names of users and of their databases")
struct UserNameTests {
    private let application = Application(id: "app", accountsDatabase: "app_users", databasePrefix: "app_user_")

    @Test(
        "A name that CouchDB allows is used for the database unchanged",
        arguments: ["ann", "a-b", "a_b", "a+b", "a(b)", "a/b", "1"])
    func plain(_ name: String) {
        #expect(UserName.database(of: name, in: application) == "app_user_\(name)")
        #expect(UserName.user(of: "app_user_\(name)", in: application) == name)
    }

    @Test(
        "Others are escaped", arguments: [("Ann", "$41nn"), ("a@b", "a$40b"), ("a$40", "a$2440"), ("ä", "$c3$a4")])
    func escaped(_ name: String, _ escaped: String) throws {
        let database = UserName.database(of: name, in: application)
        #expect(database == "app_user_\(escaped)")
        _ = try DatabaseName(database)
        #expect(UserName.user(of: database, in: application) == name)
    }

    @Test("Different names have different databases: all pairs of short names")
    func distinct() {
        let pieces = ["a", "A", "$", "4", "1", "@", "ä", "/"]
        var names: [String] = []
        for first in pieces {
            names.append(first)
            for second in pieces {
                names.append(first + second)
                names += pieces.map { first + second + $0 }
            }
        }
        let databases = names.map { UserName.database(of: $0, in: application) }
        #expect(Set(databases).count == names.count)
        for (name, database) in zip(names, databases) {
            #expect(UserName.user(of: database, in: application) == name)
        }
    }

    @Test(
        "Other databases belong to no user",
        arguments: ["app_users", "app_user_", "app_user_$4", "app_user_$61", "app_user_$zz", "app_user_$41$", "other"])
    func others(_ database: String) { #expect(UserName.user(of: database, in: application) == nil) }
}
