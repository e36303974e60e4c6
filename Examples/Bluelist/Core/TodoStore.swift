//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
public import GodwitDatabase

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The items of a device, in a plain or an encrypted datastore.
public struct TodoStore: Sendable {
    /// The name of the plain datastore. The encrypted datastore has this name with `secure` appended.
    public static let name = "todosdb"
    private static let secureSuffix = "secure"
    /// The name of the key's file, without its ending `.key`.
    public static let keyIdentifier = "bluelist"
    /// The name of the index of the member `@datatype`.
    public static let indexName = "datatypeindex"
    /// The maximum length of a text, in bytes.
    public static let nameBytesMax = 1_000
    /// The maximum number of attempts to change an item. An attempt fails if a replication changes the item at the same
    /// time.
    private static let triesMax = 10

    private let manager: DatastoreManager
    /// The datastore.
    public let datastore: Datastore
    /// The key of the datastore; `nil` if the datastore is not encrypted.
    let key: EncryptionKey?
    private let state: StateDocument
    private let keyPath: String

    /// Opens the datastore, and creates it if it does not exist. The plain and the encrypted datastore of a folder have
    /// different items.
    ///
    /// - Parameters:
    ///   - folder: The folder of the files.
    ///   - encryptionPassword: The password that protects the key of the encrypted datastore. If there is no key yet,
    ///     one is created. If the password is empty, the plain datastore is opened.
    /// - Throws: ``DeviceKit/DeviceError`` with the code `input` if the password is wrong, or `storage` if the
    ///   files cannot be opened.
    public init(folder: String, encryptionPassword: String = "") async throws(DeviceError) {
        do throws(StoreError) {
            manager = try DatastoreManager(directory: folder)
        } catch {
            throw DeviceError(error)
        }
        do {
            keyPath = TodoStore.keyPath(in: folder)
            key = try await TodoStore.key(at: keyPath, encryptionPassword)
            let (suffix, encryption) = (key == nil ? "" : TodoStore.secureSuffix, key.map { Encryption.key($0) })
            datastore = try await manager.datastore(named: TodoStore.name + suffix, encryption: encryption)
            state = StateDocument(
                in: try await manager.datastore(named: "device" + suffix, encryption: encryption))
            try await datastore.ensureIndex(["@datatype"], named: TodoStore.indexName, where: nil)
        } catch {
            await manager.close()
            throw TodoStore.deviceError(error)
        }
    }

    private static func keyPath(in folder: String) -> String { "\(folder)/\(keyIdentifier).key" }

    /// Returns the key that the password protects, and creates its file if there is none; `nil` if the password is
    /// empty.
    private static func key(at path: String, _ password: String) async throws -> EncryptionKey? {
        guard !password.isEmpty else { return nil }
        return try await KeyFileProvider(path: path, passphrase: password, makingFile: true).key()
    }

    /// How the items of a device are stored.
    enum Protection {
        case none, plain, encrypted
    }

    /// Returns how the items of a directory are stored; `none` if the directory contains no items yet.
    static func protection(in folder: String) async throws(DeviceError) -> Protection {
        guard FileManager.default.fileExists(atPath: folder) else { return .none }
        if FileManager.default.fileExists(atPath: keyPath(in: folder)) { return .encrypted }
        do throws(StoreError) {
            let manager = try DatastoreManager(directory: folder)
            let isPlain = try await manager.names().contains(name)
            await manager.close()
            return isPlain ? .plain : .none
        } catch {
            throw DeviceError(error)
        }
    }

    private static func deviceError(_ error: any Error) -> DeviceError {
        switch error {
        case let error as StoreError: DeviceError(error)
        case let error as KeyError where error.code == .wrongPassphrase:
            DeviceError(.input, "The encryption password is wrong.", cause: error)
        case let error as KeyError: DeviceError(.storage, error.message, cause: error)
        default: DeviceError(.storage, "\(error)", cause: error)
        }
    }

    /// Completes the operations in progress and closes the files.
    public func close() async { await manager.close() }

    /// The data that is deleted when the device is reported as lost: first the items and the state of this device, and
    /// then the key with which they are encrypted.
    var wipeable: [any WipeableData] {
        // The passphrase of the file is empty here, because it is not needed to remove the file.
        key == nil ? [manager] : [manager, KeyFileProvider(path: keyPath, passphrase: "")]
    }

    /// Deletes the items, the state and the key of this device.
    func remove() async throws(DeviceError) {
        do {
            for data in wipeable { try await data.wipe() }
        } catch {
            throw TodoStore.deviceError(error)
        }
    }

    // MARK: The state of the device

    /// The stored state of the app.
    struct StoredState {
        /// Whether the user has chosen to sign in later.
        var isLater = false
        /// The user to whom the items belong; `nil` before the first login.
        var owner: String?
    }

    func storedState() -> StoredState {
        let body = state.read()
        return StoredState(isLater: body["isLater"]?.boolValue ?? false, owner: body["owner"]?.stringValue)
    }

    func store(_ newState: StoredState) async throws(DeviceError) {
        var body: JSONObject = ["isLater": .bool(newState.isLater)]
        if let owner = newState.owner { body["owner"] = .string(owner) }
        do throws(StoreError) {
            try await state.write(body)
        } catch {
            throw DeviceError(error)
        }
    }

    // MARK: Items

    /// Returns all items, sorted by name ignoring case. An item that another app wrote without a text is left out.
    public func items() async throws(DeviceError) -> [TypedDocument<TodoItem>] {
        do throws(StoreError) {
            var items: [TypedDocument<TodoItem>] = []
            var query = FindQuery(selector: ["@datatype": .string(TodoItem.dataType)], limit: 500)
            while true {
                let page = try await datastore.find(query)
                for document in page.documents {
                    // An item without a text cannot be decoded. Its document is not changed.
                    if let item = try? TypedDocument<TodoItem>(decoding: document) { items.append(item) }
                }
                guard page.documents.count == query.limit, let bookmark = page.bookmark else { break }
                query.bookmark = bookmark
            }
            return items.sorted { one, other in
                let (left, right) = (one.value.name.lowercased(), other.value.name.lowercased())
                return left == right ? one.id < other.id : left < right
            }
        } catch {
            throw DeviceError(error)
        }
    }

    /// Adds an item. White space at both ends of its text is removed.
    ///
    /// - Parameter id: The id of an item that was deleted and is added again; `nil` for a new item.
    /// - Returns: The id of the item.
    /// - Throws: ``DeviceKit/DeviceError`` with the code `input` for an empty or too long text.
    @discardableResult
    public func add(_ item: TodoItem, id: String? = nil) async throws(DeviceError) -> String {
        let item = try TodoStore.checked(item)
        do throws(StoreError) {
            return try await datastore.save(item, id: id).id
        } catch {
            throw DeviceError(error)
        }
    }

    /// Changes an item. If a replication changes the item at the same time, the change is applied again to the new
    /// revision.
    ///
    /// - Returns: The item before the change; `nil` if it does not exist or was deleted.
    /// - Throws: ``DeviceKit/DeviceError`` with the code `input` if the changed text is empty or too long.
    @discardableResult
    public func change(
        _ id: String, _ change: @Sendable (inout TodoItem) -> Void
    ) async throws(DeviceError) -> TodoItem? {
        do throws(StoreError) {
            for _ in 1..<TodoStore.triesMax {
                do throws(StoreError) {
                    return try await write(id, change)
                } catch {
                    guard error.code == .conflict else { throw error }
                }
            }
            return try await write(id, change)
        } catch {
            if [.notFound, .deleted].contains(error.code) { return nil }
            throw error.code == .invalidDocument ? DeviceError(.input, error.message) : DeviceError(error)
        }
    }

    /// Tries once to change the current revision of an item.
    ///
    /// - Throws: ``GodwitStore/StoreError`` with the code `conflict` if the item was changed at the same time, or
    ///   `invalidDocument` if the changed text is empty or too long.
    private func write(_ id: String, _ change: (inout TodoItem) -> Void) async throws(StoreError) -> TodoItem {
        var item = try datastore.object(id, as: TodoItem.self)
        let before = item.value
        change(&item.value)
        do throws(DeviceError) {
            item.value = try TodoStore.checked(item.value)
        } catch {
            throw StoreError(.invalidDocument, error.message)
        }
        _ = try await datastore.save(item)
        return before
    }

    /// Deletes an item with all its conflicts.
    ///
    /// - Returns: The item; `nil` if it does not exist.
    @discardableResult
    public func delete(_ id: String) async throws(DeviceError) -> TodoItem? {
        do throws(StoreError) {
            let item = try datastore.object(id, as: TodoItem.self).value
            try await datastore.delete(id)
            return item
        } catch {
            if [.notFound, .deleted].contains(error.code) { return nil }
            throw DeviceError(error)
        }
    }

    private static func checked(_ item: TodoItem) throws(DeviceError) -> TodoItem {
        var item = item
        item.name = item.name.trimmingWhitespace
        guard 1...nameBytesMax ~= item.name.utf8.count else {
            throw DeviceError(.input, "An item needs a text of at most \(nameBytesMax) bytes.")
        }
        return item
    }

    // MARK: Replication

    /// Returns the replication from the user's database. If an item was changed on both sides, the changes of its
    /// members are merged.
    public func pull(from remote: RemoteEndpoint) -> Replicator {
        var replicator = Replicator(.pull, datastore, with: remote)
        replicator.resolution = PullResolution(.threeWayMerge())
        return replicator
    }

    /// Returns the replication to the user's database. The design document of the device's index is not replicated,
    /// because a member of the database may not write design documents.
    public func push(to remote: RemoteEndpoint) -> Replicator {
        var replicator = Replicator(.push, datastore, with: remote)
        replicator.selection = .filter(named: "items") { !($0.id ?? "").hasPrefix("_design/") }
        return replicator
    }

    /// Replicates from the user's database to this device, and then from this device to the user's database.
    ///
    /// - Throws: ``GodwitTransport/ReplicationError``. Its code is `peerFailed` if documents were refused. Changes that
    ///   were already replicated are kept. If the first direction fails, the second is not started.
    public func synchronize(with remote: RemoteEndpoint) async throws(ReplicationError) {
        for replicator in [pull(from: remote), push(to: remote)] {
            let report = try await replicator.run()
            guard let failure = report.failures.first else { continue }
            throw ReplicationError(
                .peerFailed, "\(report.counts.writeFailures) items were refused: \(failure.reason)",
                status: failure.status)
        }
    }
}

extension DeviceError {
    /// Creates the error for a failure of a datastore.
    fileprivate init(_ error: StoreError) { self.init(.storage, error.message, cause: error) }
}

extension String {
    fileprivate var trimmingWhitespace: String {
        let isText = { (character: Character) in !character.isWhitespace }
        guard let first = firstIndex(where: isText), let last = lastIndex(where: isText) else { return "" }
        return String(self[first...last])
    }
}
