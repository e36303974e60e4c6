//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBackend
import GodwitKeys
import GodwitServer
import GodwitStore
import GodwitTransport

/// A failure of a command. Its message, with advice for the user, is written to standard error.
package struct CommandFailure: Error {
    /// A description of the failure, with advice; `nil` when no message is to be written.
    package let message: String?

    /// Advice for a user who connects to a server whose certificate is not trusted.
    package static let trustAdvice = "If you trust it, specify the certificate of its authority with --ca-file."

    /// Creates a failure with a message. If the message is `nil`, the failure is not reported.
    package init(message: String?) { self.message = message }

    /// Creates a failure with the message of an error that another part of Godwit threw.
    package init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as StoreError where error.code == .encrypted:
            message = "\(error.message) It is --encryption-key-file, or GODWIT_ENCRYPTION_KEY."
        case let error as StoreError where (error.cause as? ReplicationError)?.code == .untrusted:
            message = "\(error.message) \(CommandFailure.trustAdvice)"
        case let error as ReplicationError where error.code == .untrusted:
            message = "\(error.message) \(CommandFailure.trustAdvice)"
        case let error as StoreError: message = error.message
        case let error as KeyError: message = error.message
        case let failure as HTTPFailure: message = failure.reason
        case let error as AccountError: message = error.message
        default: message = "\(error)"
        }
    }
}
