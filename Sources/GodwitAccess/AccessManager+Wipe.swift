//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension AccessManager {
    /// Deletes the app's data on a lost device, and reports the deletion. After a crash or a failure, the deletion
    /// continues at the next renewal: the server sends the order again, unless the device was found in the meantime.
    ///
    /// The work continues if the calling task is cancelled, for instance by a replication whose database is deleted.
    ///
    /// - Throws: In all cases, ``AccessError`` with code ``AccessError/Code/deviceLost`` when the data is deleted, or
    ///   ``AccessError/Code/storage`` when it could not be deleted.
    func wipe() async throws(AccessError) -> Never {
        throw await Task { await self.wipeData() }.value
    }

    private func wipeData() async -> AccessError {
        do {
            for data in wiping { try await data.wipe() }
        } catch {
            notify(.wipeFailed(message: "\(error)"))
            return AccessError(.storage, "The data of this lost device cannot be deleted: \(error)")
        }
        do throws(AccessError) {
            if let token = try await session().refreshToken {
                _ = try await server.post("wiped", ["refresh_token": .string(token)])
            }
        } catch  where error.code != .refused {
            // The data is already deleted. The next renewal reports that the device is lost.
            return .deviceLost
        } catch {
            // The device was found, or the account no longer exists.
        }
        // The session is removed too, because its key may have been deleted with the data. The file of the session
        // cannot be read without the key.
        try? await removeSession()
        notify(.wiped)
        return .deviceLost
    }
}
