//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

// Declarations that Godwit uses of Network, written from Apple's documentation. It is never called.

// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

public import Dispatch

public struct NWPath: Sendable {}

public final class NWPathMonitor: Sendable {
    public init() {}

    public var pathUpdateHandler: (@Sendable (_ newPath: NWPath) -> Void)? {
        get { nil }
        set {}
    }

    public func start(queue: DispatchQueue) {}

    public func cancel() {}
}
