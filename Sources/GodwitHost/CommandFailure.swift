//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBackend
import GodwitClient
import GodwitKeys
import GodwitServer
import GodwitStore

/// A failure with what to do about it, for standard error.
package struct CommandFailure: Error {
    /// What failed and what to do about it; `nil` when there is nobody to be told.
    package let message: String?

    /// What to do about a server whose certificate is not trusted.
    package static let trustAdvice = "If you trust it, specify the certificate of its authority with --ca-file."

    package init(message: String?) { self.message = message }

    /// The failure of a layer below, in its own words.
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
