//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import Foundation
import GodwitClientNIO
import GodwitDatabase
import LocationTrackerClient
import Testing

@Suite("Sessions without a network")
struct TrackerSessionTests {
    private func session(_ folder: TemporaryFolder, _ key: FixedKey) -> (TrackerSession, FileCredentialStore) {
        let store = FileCredentialStore(path: "\(folder.path)/credentials", key: key)
        return (TrackerSession(credentials: store, folder: folder.path, key: key), store)
    }

    private func unreachableServer() throws -> TrackerServer {
        try TrackerServer("http://127.0.0.1:\(GPSFake.freePort())", transport: AsyncHTTPTransport())
    }

    @Test("A user stays logged in at the next launch, and can track and read locations")
    func resuming() async throws {
        let (folder, key) = (try TemporaryFolder(), FixedKey())
        #expect(try await session(folder, key).0.resume() == nil)
        try await session(folder, key).1.save(.test())
        let (nextSession, _) = session(folder, key)
        let account = try #require(try await nextSession.resume())
        #expect(account == .test())
        let store = try await nextSession.openStore(of: account)
        let place = Place(
            id: "p", document: ["name": "P", "geometry": ["type": "Point", "coordinates": [-122.0875, 37.3325]]])
        try await store.add([try #require(place)])
        let tracker = Tracker(store: store, account: account, server: try unreachableServer())
        try await tracker.run(GPXPlayback(try Tracks.drive(), speed: .infinity), on: LocationMonitor(), session: "s")
        let status = tracker.status
        #expect(status.counts.fixes == 406 && status.counts.locations == 99)
        #expect(status.pushed == 0 && status.isOnline == false && status.trouble != nil)
        #expect(try await store.recentLocations().count == 99)
        await store.close()
    }

    @Test("Logging out removes credentials and databases, and can be repeated")
    func loggingOut() async throws {
        let (folder, key) = (try TemporaryFolder(), FixedKey())
        let (session, credentials) = session(folder, key)
        try await credentials.save(.test())
        let store = try await session.openStore(of: .test())
        try await store.record(Location(.at(1)), session: "s")
        let error = await #expect(throws: TrackerError.self) { try await session.logOut() }
        #expect(error?.code == .inUse)
        #expect(try await session.resume() != nil)
        await store.close()
        // The key is not needed: logging out must be possible after the key was lost.
        try await self.session(folder, FixedKey()).0.logOut()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        try await session.logOut()
        #expect(try await session.resume() == nil)
    }

    @Test("A user cannot log in while another user with locations is logged in")
    func otherUser() async throws {
        let (folder, key) = (try TemporaryFolder(), FixedKey())
        let (session, credentials) = session(folder, key)
        try await credentials.save(.test("ana"))
        let error = await #expect(throws: TrackerError.self) {
            _ = try await session.logIn("ben", password: "x", at: try unreachableServer())
        }
        #expect(error?.code == .otherUser)
        #expect(try await session.resume()?.username == "ana")
    }

    @Test("An unreachable server is reported, and nothing changes")
    func unreachable() async throws {
        let (folder, key) = (try TemporaryFolder(), FixedKey())
        let (session, credentials) = session(folder, key)
        try await credentials.save(.test("ana"))
        for registers in [true, false] {
            let error = await #expect(throws: TrackerError.self) {
                let server = try unreachableServer()
                if registers { _ = try await session.register("ana", password: "x", at: server) }
                _ = try await session.logIn("ana", password: "x", at: server)
            }
            #expect(error?.code == .unreachable)
        }
        #expect(try await session.resume() == .test("ana"))
    }
}

@Suite("The server's responses and its address")
struct TrackerAccountTests {
    @Test("A login's response; one with a missing member is refused")
    func answers() {
        let complete: JSONObject = [
            "ok": true, "api_key": "k", "api_password": "p", "location_db_name": "lt_locations_user_ana",
            "location_db_host": "example.org:5984", "location_db_host_protocol": "http",
        ]
        let account = TrackerAccount(.object(complete), username: "ana")
        #expect(account?.databaseURL == "http://example.org:5984/lt_locations_user_ana")
        var withoutProtocol = complete
        withoutProtocol.removeValue(forKey: "location_db_host_protocol")
        #expect(TrackerAccount(.object(withoutProtocol), username: "ana")?.databaseProtocol == "https")
        for member in ["api_key", "api_password", "location_db_name", "location_db_host"] {
            var incomplete = complete
            incomplete.removeValue(forKey: member)
            #expect(TrackerAccount(.object(incomplete), username: "ana") == nil, "without \(member)")
        }
        var unknownProtocol = complete
        unknownProtocol["location_db_host_protocol"] = "file"
        #expect(TrackerAccount(.object(unknownProtocol), username: "ana") == nil)
        #expect(account.map { TrackerAccount(.object($0.json), username: "ana") == $0 } == true)
    }

    @Test("A database's name is escaped in its address")
    func names() {
        let account = TrackerAccount(
            username: "a", apiKey: "k", apiPassword: "p", databaseName: "lt_locations_user_a+b/c", databaseHost: "h",
            databaseProtocol: "https")
        #expect(account.databaseURL == "https://h/lt_locations_user_a%2Bb%2Fc")
    }

    @Test("Addresses of servers", arguments: ["http://h", "http://h:1/", "https://h//"])
    func addresses(_ text: String) throws {
        #expect(try !TrackerServer(text, transport: AsyncHTTPTransport()).url.hasSuffix("/"))
    }

    @Test(
        "Addresses that are not of a server are refused",
        arguments: ["", "h", "ftp://h", "http://", "http://a:b@h", "http://h?x"])
    func invalid(_ text: String) {
        let error = #expect(throws: TrackerError.self) { try TrackerServer(text, transport: AsyncHTTPTransport()) }
        #expect(error?.code == .invalidURL && error?.message.contains("a:b") == false)
    }

    @Test("The app sends its name and version")
    func agent() {
        #expect(TrackerAgent(version: "1.2").text.hasPrefix("Location Tracker/1.2 (Godwit"))
    }
}
