//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import GodwitDatabase

extension GeoPixModel {
    /// The maximum number of attempts for each step of a replication. When all attempts of a step have failed, the
    /// replication fails. It is then repeated, after the delays of ``RetryDelay``.
    private static let attemptsMax = 2
    private static let retrySecondsMax = 1.0
    private static let requestSecondsMax = 60

    /// Begins to push photos: now, after each change, and again after each failure.
    func startReplication() async throws(DeviceError) {
        guard let library, let access else { return }
        var limits = ReplicationLimits()
        limits.attemptsMax = GeoPixModel.attemptsMax
        limits.retrySecondsMax = GeoPixModel.retrySecondsMax
        limits.requestSecondsMax = GeoPixModel.requestSecondsMax
        do throws(ReplicationError) {
            let remote = RemoteEndpoint(
                try RemoteURL("\(server)/\(GeoPixModel.application)"), credentials: .tokens(access), limits: limits,
                transport: configuration.transport)
            // Design documents are not replicated, because the device and the server have different ones.
            let replicator = Replicator(
                .push, library.photos, with: remote,
                selection: .filter(named: "photos") { $0.id?.hasPrefix("_design/") == false }, limits: limits)
            let (events, continuation) = AsyncStream<ReplicationLane.Event>.makeStream()
            lane = ReplicationLane(replicator) { continuation.yield($0) }
            tasks.append(
                Task { [weak self] in
                    for await event in events { await self?.take(event) }
                })
        } catch {
            throw DeviceError(.input, error.message, cause: error)
        }
        await requestPush()
    }

    /// Returns the replication that brings the user's photos from the server to this device after a login.
    private func ownPhotos(in library: PhotoLibrary, _ access: AccessManager) throws -> Replicator? {
        guard let user else { return nil }
        let remote = RemoteEndpoint(
            try RemoteURL("\(server)/\(GeoPixModel.application)"), credentials: .tokens(access),
            transport: configuration.transport)
        // In ASCII, the semicolon follows the colon, so this range contains all ids that begin with the user's name and
        // a colon.
        let ids: JSONValue = ["$gt": .string("\(user):"), "$lt": .string("\(user);")]
        let selection = try ReplicationSelection.matching(["_id": ids])
        return Replicator(.pull, library.photos, with: remote, selection: selection)
    }

    func pullOwnPhotos() async {
        guard let library, let access, let replicator = try? ownPhotos(in: library, access),
            let report = try? await replicator.run(), report.changesDone > 0
        else { return }
        await refresh()
        await requestPush()
    }

    /// Requests a push. If a push is already running, one more push begins when it ends, even if it is requested
    /// several times. Does nothing before a user has signed in.
    public func requestPush() async {
        retryTask?.cancel()
        await lane?.request()
    }

    private func take(_ event: ReplicationLane.Event) async {
        replication.take(event)
        switch event {
        case .step(.progress(let progress)): await note(sent: progress.throughSequence)
        case .step(.failure(let failure)): await note(refused: failure.id)
        case .ended(.success(let report)):
            retry = RetryDelay()
            await note(refusedAtEnd: report)
            await note(sent: report.endSequence)
        case .ended(.failure): repeatLater()
        default: break
        }
    }

    /// Stores the sequence of the last change of the device's photos that was pushed. The server has this change and
    /// all changes before it, except the photos that it refused.
    private func note(sent sequence: String?) async {
        guard let library, let sequence, sequence != stored.sentSequence else { return }
        stored.sentSequence = sequence
        try? await library.store(stored)
        await refresh()
    }

    /// Records that the server refused a photo. The record is necessary because later pushes can succeed although the
    /// server does not have the photo.
    private func note(refused id: String) async {
        guard let library, stored.refused.insert(id).inserted else { return }
        try? await library.store(stored)
        await refresh()
    }

    /// Records which photos the server refuses. Each push tries again the photos that earlier pushes could not write, so
    /// only its own failures count. A failure that was noted while a user corrected the photo must not stay.
    private func note(refusedAtEnd report: ReplicationReport) async {
        var refused = Set(report.failures.map(\.id))
        if report.counts.writeFailures > report.failures.count { refused.formUnion(stored.refused) }
        guard let library, refused != stored.refused else { return }
        stored.refused = refused
        try? await library.store(stored)
        await refresh()
    }

    private func repeatLater() {
        let seconds = retry.next()
        retryTask = Task { [weak self] in
            guard (try? await Task.sleep(for: .seconds(seconds))) != nil else { return }
            await self?.lane?.request()
        }
    }
}
