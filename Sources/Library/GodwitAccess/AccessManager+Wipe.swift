//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitJSON

extension AccessManager {
    /// Deletes the app's data on a lost device, and reports the deletion. After a crash or a failure, the deletion
    /// continues at the next renewal, because the server then sends the order again. It does not send the order if the
    /// device was reported as found in the meantime.
    ///
    /// If the calling task is cancelled, the deletion continues. For example, the caller may be a replication, which is
    /// cancelled because its database is deleted.
    ///
    /// - Throws: Always throws ``AccessError``. Its code is ``AccessError/Code/deviceLost`` when the data is deleted,
    ///   and ``AccessError/Code/storage`` when the data could not be deleted.
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
            // The data is already deleted. At the next renewal, the server sends the order again. The deletion is then
            // reported again.
            return .deviceLost
        } catch {
            // The device was found, or the account no longer exists.
        }
        // The session is removed too. The reason is that the key of the session's file may have been deleted with the
        // data, and the file cannot be read without this key.
        try? await removeSession()
        notify(.wiped)
        return .deviceLost
    }
}
