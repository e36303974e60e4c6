//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import BluelistCore
import DeviceKit
import Foundation
import GodwitJSON
import GodwitStore
import Testing

@Suite("The list of Bluelist", .timeLimit(.minutes(5)))
@MainActor
struct TodoListTests {
    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-bluelist-\(UUID().uuidString)")
            .path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    private func withList(_ body: (TodoList, TodoStore) async throws -> Void) async throws {
        try await withFolder { folder in
            let store = try await TodoStore(folder: folder)
            try await body(TodoList(store), store)
            await store.close()
        }
    }

    private func names(_ list: TodoList) -> [String] { list.items.map(\.value.name) }

    @Test("Items are sorted by name ignoring case, and filtered by priority; a tap changes 0, 1, 2, 0")
    func sortsAndFilters() async throws {
        try await withList { list, _ in
            for name in ["milk", "Apples", "  bread ", "zebra food"] { try await list.add(name) }
            #expect(names(list) == ["Apples", "bread", "milk", "zebra food"])
            let milk = list.items[2].id
            for expected in [TodoItem.Priority.medium, .high, .low, .medium] {
                try await list.tapPriority(milk)
                #expect(list.all[2].value.importance == expected)
            }
            list.filter = .medium
            #expect(names(list) == ["milk"])
            list.filter = .high
            #expect(names(list).isEmpty)
        }
    }

    @Test("An item is done without a change of its priority, and the mark is undone") func done() async throws {
        try await withList { list, store in
            try await list.add("milk", importance: .high)
            let id = list.items[0].id
            #expect(!list.items[0].value.isDone)
            #expect(try store.datastore.document(id).body["done"] == nil)
            for isDone in [true, false, true] {
                try await list.setDone(id, isDone)
                #expect(list.items[0].value.isDone == isDone && list.items[0].value.importance == .high)
            }
            try await list.undo()
            #expect(!list.items[0].value.isDone)
        }
    }

    @Test("Each change is undone, the last one first")
    func undo() async throws {
        try await withList { list, _ in
            try await list.add("milk")
            let id = list.items[0].id
            try await list.rename(id, to: "oat milk")
            try await list.tapPriority(id)
            try await list.delete(id)
            #expect(names(list).isEmpty)
            try await list.undo()
            #expect(names(list) == ["oat milk"] && list.items[0].value.importance == .medium && list.items[0].id == id)
            try await list.undo()
            #expect(list.items[0].value.importance == .low)
            try await list.undo()
            #expect(names(list) == ["milk"])
            try await list.undo()
            #expect(names(list).isEmpty && !list.canUndo)
            try await list.undo()
        }
    }

    @Test("Texts that are empty or too long are refused, and foreign documents stay")
    func refusals() async throws {
        try await withList { list, store in
            try await list.add("milk")
            let id = list.items[0].id
            for text in ["", " \n", String(repeating: "x", count: TodoStore.nameBytesMax + 1)] {
                await #expect(throws: DeviceError.self) { try await list.add(text) }
                await #expect(throws: DeviceError.self) { try await list.rename(id, to: text) }
            }
            for body in [["@datatype": "TodoItem"], ["@datatype": "Other", "name": "x"]] as [JSONObject] {
                _ = try await store.datastore.create(Document(body: body))
            }
            try await list.reload()
            #expect(names(list) == ["milk"])
            try await list.rename("none", to: "x")
            try await list.delete("none")
        }
    }

    @Test("A password encrypts the datastore; a wrong one is refused")
    func encryption() async throws {
        try await withFolder { folder in
            let store = try await TodoStore(folder: folder, encryptionPassword: "first")
            #expect(store.datastore.isEncrypted && store.datastore.name == "todosdbsecure")
            try await store.add(TodoItem(name: "a secret text"))
            await store.close()
            await #expect(throws: DeviceError.self) {
                _ = try await TodoStore(folder: folder, encryptionPassword: "wrong")
            }
            let again = try await TodoStore(folder: folder, encryptionPassword: "first")
            #expect(try await again.items().map(\.value.name) == ["a secret text"])
            await again.close()
            let plain = try await TodoStore(folder: folder)
            #expect(!plain.datastore.isEncrypted && plain.datastore.name == "todosdb")
            await plain.close()
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
                let bytes = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
                #expect(bytes.range(of: Data("a secret text".utf8)) == nil, "\(name)")
            }
        }
    }
}
