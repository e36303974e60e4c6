//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitFoundation
import GodwitJSON

// A fault in background work ends the process. If the work began again at each start, the server would end again and
// again, and no request could remove the cause. Therefore each work is recorded while it runs. A work that was running
// at the end of two processes in a row is held: it is not started until an administrator says so. A process without last
// words was ended from outside (a kill, a power loss) or had no memory. Such ends count only soon after the work began.
//
// Rejected: to hold only the work of the thread that failed. Most work crosses threads, and the fault may be in a
// thread that serves several works.

/// A piece of background work.
package struct BackgroundWorkID: Hashable, Sendable, CustomStringConvertible {
    /// The kinds, in the order in which they are suspected.
    package enum Kind: String, Sendable, CaseIterable {
        /// A replication of a document in `_replicator`.
        case replication
        /// The build of an index.
        case index
        /// The task of a server module.
        case module
    }

    /// The kind of the work.
    package let kind: Kind
    /// The name, which is unique within the kind.
    package let name: String

    /// Creates an identifier.
    package init(_ kind: Kind, _ name: String) { (self.kind, self.name) = (kind, name) }

    package var description: String { "\(kind) \(name)" }

    package static func == (left: Self, right: Self) -> Bool {
        left.kind == right.kind && left.name.utf8.elementsEqual(right.name.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        for byte in name.utf8 { hasher.combine(byte) }
    }
}

/// Records the background work that is running, and holds work that was running when earlier processes ended.
package final class WorkJournal: Sendable {
    /// The number of faults in a row after which a work is held.
    static let faultsMax = 2
    /// The number of ends without last words in a row, such as kills, after which a work is held.
    static let killsMax = 5
    /// A work that ran for longer than this before the end, in seconds, is suspected only at a first fault.
    static let suspectSecondsMax: Int64 = 60
    /// The interval at which a process records that it is running, in seconds.
    private static let aliveSeconds = 10

    /// The end of the last process, if it was not in order.
    package struct Fault: Sendable {
        /// The signal, such as `SIGILL`; `nil` when the process wrote no last words, for example after a kill.
        package let signal: String?
        /// The functions of the thread, the innermost first.
        package let functions: [String]
        /// The works that were running. In an encrypted directory, their names are not recorded.
        package let running: [String]
    }

    private struct State {
        var file: WorkJournalFile?
        var isSafe = false
        var fault: Fault?
        var slots: [Int: WorkJournalFile.Slot] = [:]
        var indexes: [[UInt8]: Int] = [:]
        var free: [Int] = []
        /// The names of held works that were asked for since the start.
        var names: [Int: BackgroundWorkID] = [:]

        /// Whether the numbers of used and of free slots together are the number of all slots.
        var hasAllSlots: Bool { slots.count + free.count == WorkJournalFile.slotsMax }
    }

    private let state = Mutex(State())
    /// Whether the file contains the names of works.
    private let storesNames: Bool

    /// Creates a journal that records nothing and holds nothing until ``open(directory:isSafe:)`` is called.
    init(storesNames: Bool) { self.storesNames = storesNames }

    // MARK: Opening

    /// Opens the file of the journal, and decides which works are held. If the file cannot be opened, nothing is
    /// recorded.
    ///
    /// - Parameter isSafe: Whether no work may begin in this process.
    /// - Returns: The end of the last process; `nil` when it ended in order.
    @discardableResult
    package func open(directory: String, isSafe: Bool) -> Fault? {
        let file = try? WorkJournalFile(directory: directory)
        return state.withLock { state in
            state.isSafe = isSafe
            guard let file else { return nil }
            state.file = file
            if !file.content.isClean {
                state.fault = Fault(
                    signal: file.content.signal, functions: file.content.functions,
                    running: file.content.slots.filter { $0.state == .running }.map(\.name))
            }
            takeOver(file.content, &state)
            file.keepLastWords()
            beginRecordingAlive()
            return state.fault
        }
    }

    /// Records repeatedly that the process is running, until the journal is closed.
    private func beginRecordingAlive() {
        Task { [weak self] in
            while let file = self?.state.withLock({ $0.file }) {
                file.recordAlive()
                try await Task.sleep(for: .seconds(WorkJournal.aliveSeconds))
            }
        }
    }

    /// Takes over the slots of the last process.
    private func takeOver(_ content: WorkJournalFile.Content, _ state: inout State) {
        let judged = WorkJournal.judged(content)
        for index in 0..<WorkJournalFile.slotsMax {
            let slot = index < judged.count ? judged[index] : WorkJournalFile.Slot()
            if slot.state == .free {
                state.free.append(index)
            } else {
                state.slots[index] = slot
                state.indexes[slot.digest] = index
            }
            if index < content.slots.count, content.slots[index] != slot { try? state.file?.write(slot, at: index) }
        }
        // The first slots are used first.
        state.free.reverse()
    }

    /// Returns the slots at the start of a process, from the slots at the end of the last one.
    ///
    /// The tasks of modules run in every process. Therefore they are only held after faults, and if no replication and no
    /// build is.
    static func judged(_ content: WorkJournalFile.Content) -> [WorkJournalFile.Slot] {
        let isFault = content.signal != nil
        let end = content.signalSeconds ?? content.aliveSeconds
        var slots = content.slots
        var guilty: [Int] = []
        for index in slots.indices {
            switch slots[index].state {
            case .free, .held: break
            // The work did not run again, or it ended in order.
            case .suspect: slots[index] = WorkJournalFile.Slot()
            case .running where content.isClean: slots[index] = WorkJournalFile.Slot()
            case .running:
                slots[index].state = .suspect
                let isSoon = end.subtractingSaturated(slots[index].began) <= suspectSecondsMax
                guard isSoon || isFault else {
                    slots[index] = WorkJournalFile.Slot()
                    continue
                }
                guard isSoon || slots[index].endCount == 0 else { continue }
                slots[index].endCount = slots[index].endCount.addingSaturated(1)
                if slots[index].endCount >= (isFault ? faultsMax : killsMax) { guilty.append(index) }
            }
        }
        let isModule = { (index: Int) in
            slots[index].name.utf8.starts(with: "\(BackgroundWorkID.Kind.module) ".utf8)
        }
        if !isFault { guilty.removeAll(where: isModule) }
        let narrow = guilty.filter { !isModule($0) }
        for index in narrow.isEmpty ? guilty : narrow { slots[index].state = .held }
        return slots
    }

    /// Returns the names of the works that the next server in a directory will hold. Changes nothing.
    package static func held(in directory: String) -> [String] {
        guard let content = WorkJournalFile.content(in: directory) else { return [] }
        return judged(content).filter { $0.state == .held }.map(\.name)
    }

    /// Records that the process ends in order.
    package func close() {
        state.withLock { state in
            for (index, slot) in state.slots where slot.state != .held { release(index, &state) }
            state.file?.close()
            state.file = nil
        }
    }

    // MARK: Running work

    /// Runs a work and records it meanwhile.
    ///
    /// - Throws: ``StoreError`` with code ``StoreError/Code/workHeld`` when the work is held; the errors of `body`.
    nonisolated(nonsending) package func run<Result>(
        _ work: BackgroundWorkID, _ body: () async throws -> Result
    ) async throws -> Result {
        let slot = try begin(work)
        defer { if let slot { end(slot) } }
        return try await body()
    }

    /// Waits until a work may begin. Ends early when the task is cancelled.
    package func waitUntilFree(_ work: BackgroundWorkID) async {
        while !Task.isCancelled, reasonToHold(work) != nil { try? await Task.sleep(for: .seconds(1)) }
    }

    /// The reason why a work must not begin now; `nil` if it may.
    package func reasonToHold(_ work: BackgroundWorkID) -> String? {
        state.withLock { state in
            if state.isSafe { return "The server was started with --safe, which runs no background work." }
            guard let index = state.indexes[digest(of: work, state)], let slot = state.slots[index], slot.state == .held
            else { return nil }
            state.names[index] = work
            return "It is held, because it was running when the server ended \(slot.endCount) times in a row. An "
                + "administrator can start it again: POST /_godwit/work."
        }
    }

    private func begin(_ work: BackgroundWorkID) throws(StoreError) -> (index: Int, digest: [UInt8])? {
        if let reason = reasonToHold(work) { throw StoreError(.workHeld, "The \(work) does not run. \(reason)") }
        return state.withLock { state in
            guard state.file != nil else { return nil }
            let digest = digest(of: work, state)
            guard let index = state.indexes[digest] ?? state.free.popLast() else { return nil }
            var slot = state.slots[index] ?? WorkJournalFile.Slot()
            slot.state = .running
            (slot.began, slot.digest) = (Int64(saturating: Date().timeIntervalSince1970), digest)
            // The kind is stored in any case.
            slot.name = storesNames ? work.description : "\(work.kind) "
            (state.slots[index], state.indexes[digest]) = (slot, index)
            invariant(state.hasAllSlots, "each slot has a work or is free")
            try? state.file?.write(slot, at: index)
            return (index, digest)
        }
    }

    private func end(_ slot: (index: Int, digest: [UInt8])) {
        state.withLock { state in
            // The slot may belong to another work now, if two calls ran the same work.
            if state.slots[slot.index]?.digest == slot.digest { release(slot.index, &state) }
        }
    }

    private func release(_ index: Int, _ state: inout State) {
        guard let slot = state.slots.removeValue(forKey: index) else { return }
        state.indexes[slot.digest] = nil
        state.names[index] = nil
        state.free.append(index)
        invariant(state.hasAllSlots, "each slot has a work or is free")
        try? state.file?.write(WorkJournalFile.Slot(), at: index)
    }

    private func digest(of work: BackgroundWorkID, _ state: State) -> [UInt8] {
        MessageDigest.Algorithm.sha256.digest(of: (state.file?.salt ?? []) + Array(work.description.utf8))
    }

    // MARK: Held work

    /// A held work.
    package struct Held: Sendable {
        /// The work's name. In an encrypted directory, it is only the kind until something asks for the work.
        package let name: String
        /// The number of processes in a row that ended while the work was running.
        package let endCount: Int
        /// Identifies the work in ``start(_:)``.
        package let id: String
    }

    /// The held works.
    package var held: [Held] {
        state.withLock { state in
            state.slots.filter { $0.value.state == .held }.sorted { $0.key < $1.key }.map { index, slot in
                Held(
                    name: state.names[index]?.description ?? slot.name, endCount: Int(slot.endCount),
                    id: slot.digest.hexadecimal)
            }
        }
    }

    /// The end of the last process, if it was not in order.
    package var lastFault: Fault? { state.withLock { $0.fault } }

    /// Whether no work may begin in this process.
    package var isSafe: Bool { state.withLock { $0.isSafe } }

    /// Lets a held work begin again.
    ///
    /// - Parameter id: The value of ``Held/id``.
    /// - Returns: Whether the work was held.
    package func start(_ id: String) -> Bool {
        state.withLock { state in
            guard
                let index = state.slots.first(where: {
                    $0.value.state == .held && $0.value.digest.hexadecimal.isIdenticalText(to: id)
                })?.key
            else { return false }
            release(index, &state)
            return true
        }
    }
}
