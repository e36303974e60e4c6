//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import ArgumentParser
import GodwitClientNIO
import GodwitDatabase
import GodwitHost
import GodwitPlaces
import LocationTrackerClient

/// The `location-tracker places` command: lists the places around the last location.
struct PlacesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "places", abstract: "List the places around the last location, the nearest first.",
        discussion: "Without a network, it lists the places that were received before.")

    @OptionGroup var serverOption: ServerOption
    @OptionGroup var dataOption: DataOption

    func run() async throws {
        let (session, account) = try await Device(dataOption).resume()
        let server = try TrackerServer(serverOption.url ?? account.serverURL, transport: AsyncHTTPTransport())
        let store = try await session.openStore(of: account)
        do {
            try await list(store, account, server)
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    private func list(_ store: TrackerStore, _ account: TrackerAccount, _ server: TrackerServer) async throws {
        guard let last = try await store.recentLocations(limit: 1).first,
            let position = try last.body["geometry"].map({ try Geometry(json: $0) })?.position
        else {
            throw TrackerError(
                .input, "There is no location yet. Track a journey first, or run `location-tracker sync`.")
        }
        do throws(TrackerError) {
            try await store.add(server.places(around: position, account: account))
        } catch {
            guard error.code == .unreachable else { throw error }
            CommandText.complain("\(server.url) cannot be reached: these are the stored places.")
        }
        let nearbyPlaces = try await store.places(around: position)
        if nearbyPlaces.isEmpty { CommandText.printLine("There are no places within \(Int(Place.radiusMeters)) m.") }
        for nearby in nearbyPlaces {
            let meters = "\(Int(nearby.meters.rounded()))"
            let margin = String(repeating: " ", count: max(0, PlacesCommand.meterDigits - meters.count))
            CommandText.printLine("\(margin)\(meters) m  \(nearby.place.name)")
        }
    }

    /// The number of digits of the distance in meters.
    private static let meterDigits = 4
}

/// The `location-tracker map` command: prints the URL of the map.
struct MapCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "map", abstract: "Print the address of the map, for a browser.")

    @OptionGroup var serverOption: ServerOption
    @OptionGroup var dataOption: DataOption

    func run() async throws {
        if let url = serverOption.url {
            CommandText.printLine("\(try TrackerServer(url, transport: AsyncHTTPTransport()).url)/tracker")
        } else {
            CommandText.printLine("\(try await Device(dataOption).resume().account.serverURL)/tracker")
        }
    }
}
