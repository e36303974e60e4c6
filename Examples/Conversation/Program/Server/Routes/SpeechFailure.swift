//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitServer
import HTTPTypes

extension HTTPFailure {
    /// The response for a failure of speech.
    init(_ error: SpeechError) {
        let status: HTTPResponse.Status =
            switch error.code {
            case .input: .badRequest
            case .tooLong, .tooCostly: .contentTooLarge
            case .unavailable: .serviceUnavailable
            }
        self.init(status, error.code.rawValue, error.message)
        if error.code == .unavailable { headers[.retryAfter] = "5" }
    }
}

extension RequestContext {
    /// The owner of the work that a request causes. If a user is logged in, it is the name of the user. Otherwise, it
    /// is the address of the client.
    var workOwner: String { principal.membership?.user ?? request.peerAddress }
}
