//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import GodwitServer
import LocationTrackerClient

/// A user of the demo.
struct DemoUser: Sendable {
    let name: String
    let journey: Journey
    /// Whether the phone loses its connection for half of the journey.
    let isCutOff: Bool

    static let all = [
        DemoUser(name: "ana", journey: .all[0], isCutOff: true),
        DemoUser(name: "ben", journey: .all[1], isCutOff: false),
    ]
}

/// The demo. Two users drive, one of them without a connection for half of the journey. Each user can read only their
/// own data. After their journeys, both drive on, so that a visitor of the map sees them move.
struct Demo: Sendable {
    private static let analyst = "analyst"
    /// The maximum time to wait until the consolidated database has all locations, in milliseconds.
    private static let consolidationMillisecondsMax = 20_000
    private static let pollMilliseconds = 50

    private let server: DemoServer
    private let relay: Relay
    private let folder: String
    private let drivesOn: Bool
    private let printLine: @Sendable (String) -> Void

    /// Creates the demo.
    ///
    /// - Parameters:
    ///   - port: The port of a server with a ``TrackerModule`` on this machine.
    ///   - administrator: The name of the server's administrator.
    ///   - password: The administrator's password.
    ///   - folder: The folder for the phones' data. It is created if it does not exist.
    ///   - drivesOn: Whether the users drive on after their journeys.
    ///   - printLine: A closure that is called with each line of output. The lines contain the passwords of all users,
    ///     including users of earlier runs, of the analyst and of the administrator.
    init(
        port: Int, administrator: String, password: String, folder: String, drivesOn: Bool,
        printLine: @escaping @Sendable (String) -> Void
    ) {
        server = DemoServer(
            url: "http://127.0.0.1:\(port)", administrator: .init(name: administrator, password: password))
        relay = Relay(to: port)
        self.folder = folder
        self.drivesOn = drivesOn
        self.printLine = printLine
    }

    /// Runs the demo once. If the server has all locations of a user from an earlier run, this user does not repeat the
    /// journey. The data of an incomplete run is removed. With `drivesOn`, the demo ends when its task is cancelled, or
    /// when both phones have recorded ``DemoPhone/furtherLocationsMax`` more locations.
    ///
    /// - Parameter onArrival: A closure that is called when the journeys are complete.
    func run(onArrival: () throws -> Void) async throws {
        try await relay.open()
        var phones: [DemoPhone] = []
        do {
            try await runSteps(&phones)
            try onArrival()
            if drivesOn { try await driveOn(phones) }
        } catch {
            await end(phones)
            throw error
        }
        await end(phones)
    }

    private func end(_ phones: [DemoPhone]) async {
        for phone in phones { await phone.close() }
        await relay.close()
    }

    private func runSteps(_ phones: inout [DemoPhone]) async throws {
        let places = try await server.documentCount(of: Places.databaseName, as: server.administrator)
        printLine("Places    \(places) points of interest in \(Places.databaseName).")
        var logins: [DemoServer.Login] = []
        var drivers: [DemoPhone] = []
        for user in DemoUser.all {
            let password = Administrators.randomPassword()
            let (phone, isNew) = try await self.phone(of: user, password: password)
            phones.append(phone)
            if isNew { drivers.append(phone) }
            logins.append(.init(name: user.name, password: password))
        }
        let analyst = try await server.makeAnalyst(Demo.analyst, password: Administrators.randomPassword())
        printLine("Account   \(analyst.name) may read what all users send, and nothing else.")
        // The URL of the map is printed before the journeys, because the map shows them while they happen.
        printLine("Map       \(server.url)/tracker")
        printLine("Console   \(server.url)/_utils, for the administrator of this run")
        for login in logins + [analyst, server.administrator] {
            printLine("Login     \(login.name), password \(login.password)")
        }
        try await drive(drivers)
        try await showPrivacy(phones)
        try await showConsolidation(phones, analyst)
    }

    // MARK: Accounts

    /// Creates a new phone for a user.
    ///
    /// If the server has the complete data of the user from an earlier run, the user gets a new password, and the new
    /// phone pulls the locations. If the server has only a part of the data, the user is removed and registered again.
    /// If the server has no data, the user is registered.
    ///
    /// - Returns: The phone, and whether the user was registered. A user who was registered drives the journey.
    private func phone(of user: DemoUser, password: String) async throws -> (DemoPhone, isNew: Bool) {
        let count = try await server.locationCount(of: user.name)
        // The server may have more locations than the journey has, because the user drove on after the journey of an
        // earlier run.
        let isComplete = try count ?? 0 >= user.journey.locations().count
        if isComplete {
            try await server.setPassword(of: user.name, to: password)
        } else if let count {
            try await server.remove(user.name)
            printLine("Account   \(user.name) had \(count) locations of a run that was stopped: removed with all data.")
        }
        let phone = try await DemoPhone(
            of: user, password: password, at: user.isCutOff ? await relay.url : server.url,
            folder: "\(folder)/\(user.name)", registering: !isComplete)
        guard isComplete else {
            printLine(
                "Account   \(user.name) is registered, with a private database: \(phone.account.databaseName).")
            return (phone, true)
        }
        printLine("Account   \(user.name) exists already and has a new password.")
        let (pulled, pushed) = try await phone.sync()
        printLine(
            "Phone     \(user.name) has a new one: pulled \(pulled) locations, none recorded twice, \(pushed) sent.")
        return (phone, false)
    }

    // MARK: Journeys

    private func drive(_ phones: [DemoPhone]) async throws {
        try await withThrowingTaskGroup { group in
            for phone in phones { group.addTask { try await drive(phone) } }
            try await group.waitForAll()
        }
    }

    private func driveOn(_ phones: [DemoPhone]) async throws {
        let names = phones.map(\.user.name).joined(separator: " and ")
        printLine("Phone     \(names) drive on, made up: watch them on the map. With --still they stay where they are.")
        try await withThrowingTaskGroup { group in
            for phone in phones { group.addTask { try await phone.driveOn() } }
            try await group.waitForAll()
        }
        printLine("Phone     \(names) have stopped. Run the demo again to let them drive.")
    }

    private func drive(_ phone: DemoPhone) async throws {
        let (user, journey) = (phone.user, phone.user.journey)
        let fixes = try journey.track().fixes
        let (cutOffFix, reconnectFix) = (fixes[fixes.count / 4], fixes[fixes.count * 3 / 4])
        printLine("Phone     \(user.name) drives \(journey.name) (\(journey.isMadeUp ? "made up" : "a real trace")).")
        let status = try await phone.drive { fix, status in
            guard user.isCutOff else { return }
            if fix == cutOffFix { try await cutOff(phone, at: fix, status) }
            if fix == reconnectFix { try await reconnect(phone, status) }
        }
        let (readings, locations, pushed) = (status.counts.fixes, status.counts.locations, status.pushed)
        guard pushed == locations else {
            throw TrackerError(
                .unreachable, "\(user.name)'s phone did not push all locations: \(status.trouble ?? "no reason")")
        }
        printLine("Phone     \(user.name) arrived: \(locations) locations of \(readings) readings, all of them pushed.")
    }

    private func cutOff(_ phone: DemoPhone, at fix: Fix, _ status: TrackerStatus) async throws {
        await relay.close()
        guard try await !phone.reachesServer(around: fix) else {
            throw TrackerError(
                .serverFailed, "\(phone.user.name)'s phone reaches the server although it is disconnected")
        }
        printLine(
            "Phone     \(phone.user.name) is offline after \(status.counts.locations) locations: no server, no places.")
    }

    private func reconnect(_ phone: DemoPhone, _ status: TrackerStatus) async throws {
        try await relay.open()
        let locations = status.counts.locations
        printLine(
            "Phone     \(phone.user.name) is back: \(locations) locations recorded, \(status.pushed) of them pushed.")
    }

    // MARK: Rights

    private func showPrivacy(_ phones: [DemoPhone]) async throws {
        for phone in phones {
            let (name, database) = (phone.user.name, phone.account.databaseName)
            let login = DemoServer.Login(name: phone.account.apiKey, password: phone.account.apiPassword)
            let count = try await server.documentCount(of: database, as: login)
            printLine("Own       \(name) reads \(count) locations in \(database).")
            let otherDatabases = phones.map(\.account.databaseName).filter { $0 != database }
            for otherDatabase in otherDatabases + [TrackerRoutes.consolidated] {
                let answer = try await server.answer(for: otherDatabase, as: login)
                guard answer.hasPrefix("403") else {
                    throw TrackerError(.serverFailed, "\(name) asked for \(otherDatabase) and got \(answer)")
                }
                printLine("Private   \(name) asks for \(otherDatabase): \(answer).")
            }
        }
    }

    private func showConsolidation(_ phones: [DemoPhone], _ analyst: DemoServer.Login) async throws {
        let expectedCounts = try Dictionary(
            uniqueKeysWithValues: phones.map { ($0.user.name, try $0.user.journey.locations().count) })
        let clock = ContinuousClock()
        let end = clock.now + .milliseconds(Demo.consolidationMillisecondsMax)
        var counts = try await server.consolidatedCounts(as: analyst)
        while !expectedCounts.allSatisfy({ counts[$0.key] ?? 0 >= $0.value }) {
            guard clock.now < end else {
                throw TrackerError(
                    .serverFailed, "\(TrackerRoutes.consolidated) does not have all locations: \(counts)")
            }
            try await Task.sleep(for: .milliseconds(Demo.pollMilliseconds))
            counts = try await server.consolidatedCounts(as: analyst)
        }
        let list = counts.sorted { $0.key < $1.key }.map { "\($0.value) of \($0.key)" }.joined(separator: ", ")
        printLine("All       \(analyst.name) reads \(list) in \(TrackerRoutes.consolidated).")
    }
}
