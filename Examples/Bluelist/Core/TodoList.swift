//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
public import GodwitDatabase
public import Observation

/// The list of the app: its items, its filter, and what the user can do with them.
@MainActor
@Observable
public final class TodoList {
    /// A change that can be undone.
    private enum Undo {
        case remove(String)
        case restore(String, TodoItem)
        case rename(String, to: String)
        case setPriority(String, TodoItem.Priority)
        case setDone(String, Bool)
    }

    /// The maximum number of changes that can be undone.
    public static let undosMax = 50

    private let store: TodoStore
    /// All items, sorted by name ignoring case.
    public private(set) var all: [TypedDocument<TodoItem>] = []
    /// The filter.
    public var filter = TodoFilter.all { didSet { version += 1 } }
    /// A number that changes when ``items`` change.
    public private(set) var version = 0
    private var undos: [Undo] = []

    /// Creates a list without items: ``reload()`` reads them.
    public init(_ store: TodoStore) { self.store = store }

    /// The items that the filter shows.
    public var items: [TypedDocument<TodoItem>] { all.filter { filter.shows($0.value) } }

    /// Whether a change can be undone.
    public var canUndo: Bool { !undos.isEmpty }

    /// Reads the items.
    public func reload() async throws(DeviceError) {
        all = try await store.items()
        version += 1
    }

    /// Adds an item. White space at both ends of its text is removed.
    ///
    /// - Throws: ``DeviceKit/DeviceError`` with the code `input` for an empty or too long text.
    public func add(_ name: String, importance: TodoItem.Priority = .low) async throws(DeviceError) {
        let id = try await store.add(TodoItem(name: name, importance: importance))
        try await remember(.remove(id))
    }

    /// Changes the text of an item. If the item no longer exists, nothing is written, and the items are read again.
    ///
    /// - Throws: ``DeviceKit/DeviceError`` with the code `input` for an empty or too long text.
    public func rename(_ id: String, to name: String) async throws(DeviceError) {
        guard let before = try await store.change(id, { $0.name = name }) else { return try await reload() }
        try await remember(.rename(id, to: before.name))
    }

    /// Changes the priority of an item after a tap: low to medium, medium to high, and high to low.
    public func tapPriority(_ id: String) async throws(DeviceError) {
        guard let before = try await store.change(id, { $0.importance = $0.importance.next }) else {
            return try await reload()
        }
        try await remember(.setPriority(id, before.importance))
    }

    /// Marks an item as done, or as not done.
    public func setDone(_ id: String, _ isDone: Bool) async throws(DeviceError) {
        guard let before = try await store.change(id, { $0.isDone = isDone }) else { return try await reload() }
        try await remember(.setDone(id, before.isDone))
    }

    /// Deletes an item.
    public func delete(_ id: String) async throws(DeviceError) {
        guard let item = try await store.delete(id) else { return try await reload() }
        try await remember(.restore(id, item))
    }

    /// Undoes the last change; does nothing if there is none. When a change of a text is undone, the item gets the text
    /// that it had before the change, even if another device has changed the text since then. The other members of the
    /// item are not changed. The same applies to a priority, and to whether the item is done. If an
    /// error is thrown, the change can be undone later.
    public func undo() async throws(DeviceError) {
        guard let undo = undos.popLast() else { return }
        do throws(DeviceError) {
            try await apply(undo)
        } catch {
            undos.append(undo)
            throw error
        }
        try await reload()
    }

    private func apply(_ undo: Undo) async throws(DeviceError) {
        switch undo {
        case .remove(let id): try await store.delete(id)
        case .restore(let id, let item): try await store.add(item, id: id)
        case .rename(let id, let name): try await store.change(id) { $0.name = name }
        case .setPriority(let id, let priority): try await store.change(id) { $0.importance = priority }
        case .setDone(let id, let isDone): try await store.change(id) { $0.isDone = isDone }
        }
    }

    /// Pulls the changes of the server, pushes the changes of this device, and reads the items. The gesture "pull to
    /// refresh" calls this method.
    ///
    /// - Throws: ``GodwitTransport/ReplicationError`` if the replication failed or items were refused; the items are read
    ///   in this case too. ``DeviceKit/DeviceError`` if the items cannot be read.
    public func refresh(with remote: RemoteEndpoint) async throws {
        let outcome: Result<Void, ReplicationError>
        do throws(ReplicationError) {
            outcome = .success(try await store.synchronize(with: remote))
        } catch {
            outcome = .failure(error)
        }
        try await reload()
        try outcome.get()
    }

    private func remember(_ undo: Undo) async throws(DeviceError) {
        undos.append(undo)
        if undos.count > TodoList.undosMax { undos.removeFirst() }
        try await reload()
    }
}
