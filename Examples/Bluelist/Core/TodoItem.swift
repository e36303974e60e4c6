//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import GodwitDatabase

/// An entry of the list, as the original app stored it: a document with `@datatype` `TodoItem`.
public struct TodoItem: DocumentObject, Equatable {
    /// The text.
    public var name: String
    /// The priority: 0, 1 or 2. ``importance`` reads any other number as ``Priority/low``.
    private var priority: Int
    /// Whether the item is done. The original's documents do not have this member; an item that was never done does not
    /// have it either.
    private var done: Bool?

    /// The priority of an item.
    public enum Priority: Int, Sendable, CaseIterable {
        case low, medium, high

        /// The priority after a tap. A tap changes low to medium, medium to high, and high to low.
        public var next: Priority { Priority(rawValue: (rawValue + 1) % Priority.allCases.count)! }
    }

    /// The priority of the item.
    public var importance: Priority {
        get { Priority(rawValue: priority) ?? .low }
        set { priority = newValue.rawValue }
    }

    /// Whether the item is done.
    public var isDone: Bool {
        get { done ?? false }
        set { if newValue || done != nil { done = newValue } }
    }

    /// Creates an item.
    public init(name: String, importance: Priority = .low) {
        self.name = name
        priority = importance.rawValue
    }
}

/// The items that the list shows.
public enum TodoFilter: String, Sendable, CaseIterable {
    case all, medium, high

    /// Whether the list shows an item.
    public func shows(_ item: TodoItem) -> Bool {
        switch self {
        case .all: true
        case .medium: item.importance == .medium
        case .high: item.importance == .high
        }
    }
}
