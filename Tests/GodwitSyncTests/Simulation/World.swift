//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitStore
import GodwitSync
import GodwitTransport

/// A simulation of several peers that are edited, and the replications between them, with simulated time. A seed
/// determines all events.
///
/// While there are faults, requests are lost, repeated, interrupted and refused, peers are restored from backups,
/// replications are killed and clocks are changed. Then the faults end, and all peers must converge.
final class World {
    /// An error of a simulation.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private enum Event {
        case begin(link: Int)
        case perform(
            link: Int, run: Int, ReplicationMachine.OperationID, ReplicationMachine.Operation, KnownInstances)
        case wake(link: Int, run: Int, ReplicationMachine.OperationID)
        case edit(peer: Int)
        case reset(peer: Int)
        case backup(peer: Int)
        case replace(peer: Int)
        case kill(link: Int)
        case jump(link: Int)
        case calm
        case compare
    }

    /// A replication from one peer to another.
    private struct Link {
        let source: Int
        let target: Int
        let replicator: Replicator
        let from: RemoteEndpoint
        var machine: ReplicationMachine?
        var carrier: AttachmentCarrier
        var known = KnownInstances()
        /// The number of runs so far; events of earlier runs are ignored.
        var run = 0
        var cancelled: Set<ReplicationMachine.OperationID> = []
        /// The offset of its clock from the simulated time.
        var clockAhead = 0.0
        /// The leaves of the source at the start of the run.
        var leaves: [(id: String, revision: RevisionID)] = []
        /// The number of times that its databases had been replaced at the start of the run.
        var replacements = 0
        /// Whether no fault happened since the start of the run.
        var isCalm = false
    }

    private static let calmAt = 400.0
    private static let endAt = 20_000.0
    private static let eventsMax = 60_000
    private static let traceCharactersMax = 1_000

    private var random: SplitMix
    private var now = 0.0
    private var queue: [(time: Double, order: Int, event: Event)] = []
    private var order = 0
    private var peers: [ModelPeer] = []
    private var links: [Link] = []
    private var isCalm = false
    private var handled = 0

    private let isTraced: Bool

    init(seed: UInt64, isTraced: Bool = false) {
        self.isTraced = isTraced
        random = SplitMix(state: seed)
    }

    private func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }
    private func seconds(_ range: Range<Double>) -> Double { Double.random(in: range, using: &random) }

    private func isRefused(_ id: String) -> Bool { id.hasPrefix("refused") }

    // MARK: The run

    /// Runs until all peers have the same documents. Throws ``Failure`` if they differ after the maximum time or number
    /// of events.
    func run() async throws {
        try prepare()
        while !queue.isEmpty {
            let next = queue.removeFirst()
            now = next.time
            handled += 1
            guard now < World.endAt, handled < World.eventsMax else {
                throw Failure(
                    description: "after \(handled) events and \(now) s: \(try await difference() ?? "not idle")")
            }
            if case .compare = next.event {
                if try await difference() == nil { return }
                schedule(.compare, in: 50)
            } else {
                try await handle(next.event)
            }
        }
    }

    private func prepare() throws {
        let count = number(2..<4)
        let faults = [0, 30, 100, 250][number(0..<4)]
        for _ in 0..<count {
            var character = ModelPeer.Character()
            character.hasBulkGet = number(0..<4) > 0
            character.hasBulkGetParts = number(0..<4) > 0
            character.hasMultipart = number(0..<4) > 0
            character.hasRanges = number(0..<4) > 0
            character.keepsArrivals = number(0..<2) == 0
            character.faults = faults
            if number(0..<4) == 0 { character.refuses = { $0.hasPrefix("refused") } }
            peers.append(ModelPeer(character, seed: random.next()))
        }
        for position in 0..<count {
            let next = (position + 1) % count
            links.append(try link(position, next))
            if count > 2 || position == 0 { links.append(try link(next, position)) }
        }
        for position in links.indices { schedule(.begin(link: position), in: seconds(0..<20)) }
        for _ in 0..<number(5..<40) { schedule(.edit(peer: number(0..<count)), in: seconds(0..<World.calmAt)) }
        for _ in 0..<number(5..<20) { schedule(.edit(peer: number(0..<count)), in: 0) }
        if faults > 0 {
            for _ in 0..<number(0..<4) { schedule(.kill(link: number(0..<links.count)), in: seconds(0..<World.calmAt)) }
            for _ in 0..<number(0..<3) { schedule(.jump(link: number(0..<links.count)), in: seconds(0..<World.calmAt)) }
            if number(0..<4) == 0 { schedule(.reset(peer: number(0..<count)), in: seconds(0..<World.calmAt)) }
        }
        if number(0..<3) == 0 {
            for _ in 0..<number(1..<4) { schedule(.backup(peer: number(0..<count)), in: seconds(0..<World.calmAt)) }
            for _ in 0..<number(1..<4) { schedule(.replace(peer: number(0..<count)), in: seconds(0..<World.calmAt)) }
        }
        schedule(.calm, in: World.calmAt)
    }

    private func link(_ source: Int, _ target: Int) throws -> Link {
        var limits = ReplicationLimits()
        limits.attemptsMax = number(1..<7)
        limits.changesPerPageMax = number(1..<12)
        limits.pagesInFlightMax = number(1..<5)
        limits.revisionsPerBatchMax = number(1..<8)
        limits.readBytesMax = number(200..<4_000)
        limits.writeBytesMax = number(200..<4_000)
        limits.bytesInFlightMax = number(1_000..<20_000)
        limits.attachmentsInlineBytesMax = number(0..<300)
        limits.attachmentsResumedBytesMin = number(0..<300)
        limits.checkpointSecondsMin = seconds(0..<20)
        let endpoint = { [peers, limits] (peer: Int) throws in
            RemoteEndpoint(try RemoteURL("http://peer/db\(peer)"), limits: limits, transport: peers[peer])
        }
        let (from, to) = (try endpoint(source), try endpoint(target))
        var replicator = Replicator(from: from, to: to, limits: limits)
        replicator.isContinuous = number(0..<2) == 0
        return Link(
            source: source, target: target, replicator: replicator, from: from,
            carrier: AttachmentCarrier(source: from))
    }

    private func schedule(_ event: Event, in delay: Double) {
        order += 1
        let time = now + delay
        let position = queue.firstIndex { ($0.time, $0.order) > (time, order) } ?? queue.count
        queue.insert((time, order, event), at: position)
    }

    // MARK: What happens

    private func handle(_ event: Event) async throws {
        trace("\(now) \(event)")
        switch event {
        case .edit(let peer):
            let id = number(0..<12) == 0 ? "refused-\(number(0..<2))" : "doc ä/\(number(0..<9))"
            await peers[peer].edit(id)
        case .reset(let peer): await peers[peer].reset()
        case .backup(let peer): await peers[peer].makeBackup()
        case .replace(let peer):
            await peers[peer].plan(number(0..<2) == 0 ? .recreated : .restored, after: number(0..<12))
        case .jump(let link): links[link].clockAhead += seconds(-5_000..<5_000)
        case .kill(let link):
            end(link)
            schedule(.begin(link: link), in: seconds(0..<30))
        case .calm:
            isCalm = true
            for peer in peers { await peer.heal() }
            schedule(.compare, in: 10)
        case .begin(let link): try await begin(link)
        case .wake(let link, let run, let id): try await tell(link, run, .woke(id))
        case .perform(let link, let run, let id, let operation, let known):
            try await perform(link, run, id, operation, known)
        case .compare: break
        }
    }

    private func begin(_ link: Int) async throws {
        guard links[link].machine == nil else { return }
        var plan = try await links[link].replicator.plan()
        plan.seed = random.next()
        plan.sessionID = "session-\(random.next())"
        links[link].machine = ReplicationMachine(plan)
        let database = await peers[links[link].source].database
        links[link].replacements = await replacements(of: link)
        links[link].isCalm = isCalm
        links[link].leaves = database.documents.flatMap { id, document in document.leaves.map { (id, $0) } }
        try await tell(link, links[link].run, .begin)
    }

    private func end(_ link: Int) {
        links[link].machine = nil
        links[link].run += 1
        links[link].cancelled = []
        links[link].carrier = AttachmentCarrier(source: links[link].from)
        links[link].known = KnownInstances()
    }

    private func replacements(of link: Int) async -> Int {
        await peers[links[link].source].replacementCount + peers[links[link].target].replacementCount
    }

    private func tell(_ link: Int, _ run: Int, _ event: ReplicationMachine.Event) async throws {
        guard links[link].run == run, links[link].machine != nil else { return }
        let actions = links[link].machine!.handle(event, at: max(0, now + links[link].clockAhead))
        trace("\(now) link \(link) \(links[link].source)>\(links[link].target): \(event) -> \(actions)")
        if actions.isEmpty || !isOver(actions) { links[link].machine!.checkInvariants() }
        for action in actions {
            switch action {
            case .perform(let id, let operation):
                if case .open = operation { links[link].known = KnownInstances() }
                schedule(
                    .perform(link: link, run: run, id, operation, links[link].known), in: delay(of: operation))
            case .sleep(let id, let seconds): schedule(.wake(link: link, run: run, id), in: seconds)
            case .cancel(let id): links[link].cancelled.insert(id)
            // The cancelled steps nevertheless run, as tasks can that have begun.
            case .cancelAll: break
            case .finish(let result):
                if case .success(let report) = result { try await check(report, of: link) }
                end(link)
                schedule(.begin(link: link), in: seconds(1..<40))
            }
        }
    }

    /// Prints an event when a single seed is run (`GODWIT_SEED`).
    private func trace(_ text: @autoclosure () -> String) {
        guard isTraced else { return }
        print(text().prefix(World.traceCharactersMax))
    }

    private func isOver(_ actions: [ReplicationMachine.Action]) -> Bool {
        actions.contains { if case .finish = $0 { true } else { false } }
    }

    private func delay(of operation: ReplicationMachine.Operation) -> Double {
        if case .readChanges(let query) = operation, query.waits { return seconds(5..<40) }
        return number(0..<20) == 0 ? seconds(1..<20) : seconds(0.01..<0.5)
    }

    private func perform(
        _ link: Int, _ run: Int, _ id: ReplicationMachine.OperationID, _ operation: ReplicationMachine.Operation,
        _ known: KnownInstances
    ) async throws {
        guard links[link].run == run, !links[link].cancelled.contains(id) else { return }
        let event: ReplicationMachine.Event
        do throws(ReplicationError) {
            event = .done(
                id, try await links[link].replicator.perform(operation, links[link].carrier, known))
        } catch {
            event = .failed(id, error)
        }
        try await tell(link, run, event)
        // At random, an event is delivered twice.
        if number(0..<30) == 0 { try await tell(link, run, event) }
    }

    // MARK: What must be

    /// Checks that the target has all leaves that the source had at the start of a successful run.
    private func check(_ report: ReplicationReport, of link: Int) async throws {
        // A database that was replaced after the last comparison is found by the next run.
        guard await replacements(of: link) == links[link].replacements else { return }
        let failed = Set(report.failures.map(\.id))
        let target = await peers[links[link].target].database
        for (id, revision) in links[link].leaves where !isRefused(id) && !failed.contains(id) {
            guard target.documents[id]?.nodes[revision] != nil else {
                throw Failure(description: "a run ended well and \(id) \(revision) did not arrive")
            }
        }
        guard links[link].isCalm else { return }
        for failure in report.failures where !isRefused(failure.id) && failure.status != 404 {
            throw Failure(description: "without faults there is a failure: \(failure)")
        }
    }

    /// Returns the difference between two peers; `nil` without a difference.
    private func difference() async throws -> String? {
        let first = await peers[0].database.fingerprint(without: isRefused)
        for (position, peer) in peers.enumerated().dropFirst() {
            let other = await peer.database.fingerprint(without: isRefused)
            guard first != other else { continue }
            let id = Set(first.keys).union(other.keys).sorted().first { first[$0] != other[$0] }!
            return "peers 0 and \(position) differ in \(id): \(first[id] ?? []) and \(other[id] ?? [])"
        }
        return nil
    }
}
