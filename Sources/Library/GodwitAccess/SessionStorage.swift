//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import GodwitKeys
import GodwitStore

/// Stores the session of an ``AccessManager`` on a device. The bytes contain a secret: anyone who has it can read the
/// user's data.
public protocol SessionStorage: Sendable {
    /// Returns the stored bytes; `nil` if there are none.
    func load() async throws -> [UInt8]?
    /// Stores bytes in place of the earlier bytes.
    func save(_ bytes: [UInt8]) async throws
}

/// Stores a session in memory. Therefore the user must log in after each start of the app.
public final class MemorySessionStorage: SessionStorage {
    private let bytes = Mutex<[UInt8]?>(nil)

    /// Creates an empty storage.
    public init() {}

    /// Returns the stored bytes.
    public func load() async throws -> [UInt8]? { bytes.withLock { $0 } }

    /// Stores bytes until the object is released.
    public func save(_ bytes: [UInt8]) async throws { self.bytes.withLock { $0 = bytes } }
}

/// Stores a session in a file that only its owner can read (mode 0600). If a key is given, the file is also encrypted.
public struct FileSessionStorage: SessionStorage {
    private let path: String
    private let key: (any KeyProvider)?

    /// Creates a storage.
    ///
    /// - Parameters:
    ///   - path: The file, in an existing folder.
    ///   - key: Provides the key with which the file is encrypted; `nil` to store plain text.
    public init(path: String, key: (any KeyProvider)? = nil) { (self.path, self.key) = (path, key) }

    /// Reads the file.
    ///
    /// - Returns: `nil` if the file does not exist, if it is encrypted with another key, or if it is encrypted and the
    ///   provider has no key. In these cases, the user must log in again.
    public func load() async throws -> [UInt8]? {
        let path = path
        let bytes = try await BlockingPool.shared.run { () -> [UInt8]? in
            do throws(KeyError) {
                return try PrivateFile(reading: path).read(AccessLimits.sessionBytesMax).withBytes { Array($0) }
            } catch {
                guard error.code == .noKey else { throw error }
                return nil
            }
        }
        guard let bytes, let key else { return bytes }
        do throws(KeyError) {
            return try await key.key().open(bytes)
        } catch {
            guard error.code == .noKey else { throw error }
            return nil
        }
    }

    /// Replaces the file.
    public func save(_ bytes: [UInt8]) async throws {
        let path = path
        let stored = try await key?.key().seal(bytes) ?? bytes
        try await BlockingPool.shared.run {
            try stored.withUnsafeBytes { bytes in try PrivateFile.replace(path, with: bytes) }
        }
    }
}
