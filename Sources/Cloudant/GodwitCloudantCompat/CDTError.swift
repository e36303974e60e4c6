//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import Foundation
import Godwit

/// An error of a call with an old name, with the code that Cloudant Sync had.
///
/// Origin: `NSError` of CDTDatastore. New: ``GodwitStore/StoreError`` and ``GodwitTransport/ReplicationError``.
@available(*, deprecated, message: "Use StoreError and ReplicationError.")
public struct CDTError: Error, LocalizedError, CustomStringConvertible {
    /// The code. Most codes are status codes of HTTP. The code 493 is `badJSON` of Cloudant Sync. The code 1 means that
    /// a replicator cannot be started, because it was already started or stopped.
    ///
    /// Origin: `code` of `NSError`. New: ``GodwitStore/StoreError/Code``.
    public let code: Int
    /// A sentence that names the failure and what to do about it.
    ///
    /// Origin: `localizedDescription` of `NSError`. New: ``GodwitStore/StoreError/message``.
    public let message: String
    /// The error of Godwit; `nil` if there is none.
    ///
    /// Origin: none. New: the error itself.
    public let cause: (any Error)?

    /// The message.
    ///
    /// Origin: `localizedDescription` of `NSError`. New: ``GodwitStore/StoreError/message``.
    public var errorDescription: String? { message }

    /// The code and the message.
    ///
    /// Origin: `description` of `NSError`. New: ``GodwitStore/StoreError/description``.
    public var description: String { "\(code): \(message)" }

    init(_ code: Int, _ message: String, cause: (any Error)? = nil) {
        (self.code, self.message, self.cause) = (code, message, cause)
    }

    init(_ error: any Error) {
        switch error {
        case let error as CDTError: self = error
        case let error as StoreError: self.init(CDTError.code(error.code), error.message, cause: error)
        case let error as ReplicationError: self.init(error.status ?? 500, error.message, cause: error)
        case let error as KeyError: self.init(400, error.message, cause: error)
        default: self.init(500, "\(error)", cause: error)
        }
    }

    private static func code(_ code: StoreError.Code) -> Int {
        switch code {
        case .notFound, .deleted, .databaseNotFound, .indexNotFound: 404
        case .conflict, .indexExists: 409
        case .invalidJSON: 493
        case .accessRefused: 403
        case .documentTooLarge: 413
        case .diskFull: 507
        case .storage, .corrupt, .closed: 500
        default: 400
        }
    }

    /// Runs an operation, blocks the calling thread until it has ended, and converts its errors.
    static func waiting<Result: Sendable>(
        _ body: @escaping @Sendable () async throws -> Result
    ) throws -> Result {
        do {
            return try Blocking.run(body)
        } catch {
            throw CDTError(error)
        }
    }

    /// Converts the errors of a synchronous operation.
    static func converting<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            throw CDTError(error)
        }
    }
}
