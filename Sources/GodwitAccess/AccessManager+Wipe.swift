//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension AccessManager {
    /// Deletes the app's data of a lost device, and reports it. The order is stored: after a crash or a failure the next
    /// call continues.
    ///
    /// - Throws: Always: ``AccessError`` with code ``AccessError/Code/deviceLost`` when the data is deleted, or
    ///   ``AccessError/Code/storage`` when it could not be deleted.
    func wipe() async throws(AccessError) -> Never {
        do {
            for data in wiping { try await data.wipe() }
        } catch {
            notify(.wipeFailed(message: "\(error)"))
            throw AccessError(.storage, "The data of this lost device cannot be deleted: \(error)")
        }
        if let token = try await session().refreshToken {
            do throws(AccessError) {
                _ = try await server.post("wiped", ["refresh_token": .string(token)])
            } catch  where error.code == .network || error.code == .unavailable {
                // The data is deleted. The next call reports it.
                throw .deviceLost
            } catch {
                // The device was reported found, or the account exists no more.
            }
        }
        try await removeSession()
        notify(.wiped)
        throw .deviceLost
    }
}
