//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitClientNIO
import GodwitTransport

/// A transport that interrupts or corrupts the downloads of attachments named `photo.jpg`.
final class CuttingTransport: Transport {
    struct Faults: Sendable {
        var cutsAfterBytes: Int?
        var isSpoiling = false
        /// Replacements of texts in responses of `_bulk_get`.
        var lies: [(String, String)] = []
        /// A closure that is called once, before the first bytes of the next attachment arrive.
        var onBody: (@Sendable () async throws -> Void)?
        var ranges: [String?] = []
    }

    private let faults = Mutex(Faults())
    private let inner = AsyncHTTPTransport()

    func change(_ body: (inout Faults) -> Void) { faults.withLock { body(&$0) } }

    /// The requested ranges of attachments.
    var ranges: [String?] { faults.withLock { $0.ranges } }

    func send(_ request: TransportRequest) async throws(ReplicationError) -> TransportResponse {
        let response = try await inner.send(request)
        let lies = faults.withLock { $0.lies }
        if request.url.contains("/_bulk_get"), !lies.isEmpty {
            var bytes: [UInt8] = []
            do {
                for try await piece in response.body { bytes += piece }
            } catch {
                throw ReplicationError(.network, "\(error)")
            }
            var text = String(decoding: bytes, as: UTF8.self)
            for (truth, lie) in lies { text = text.replacing(truth, with: lie) }
            let headers = response.headers.filter { $0.name.lowercased() != "content-length" }
            let (pieces, piece) = AsyncThrowingStream.makeStream(of: [UInt8].self)
            piece.yield(Array(text.utf8))
            piece.finish()
            return TransportResponse(status: response.status, headers: headers, body: pieces)
        }
        guard request.method == "GET", request.url.contains("/photo.jpg") else { return response }
        let now = faults.withLock { faults in
            faults.ranges.append(request.headers.first { $0.name == "Range" }?.value)
            defer { faults.onBody = nil }
            return faults
        }
        let (pieces, piece) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        do {
            try await now.onBody?()
            var rest = now.cutsAfterBytes ?? .max
            for try await var bytes in response.body where rest > 0 {
                if now.isSpoiling { bytes[0] ^= 1 }
                piece.yield(Array(bytes.prefix(rest)))
                rest -= min(rest, bytes.count)
            }
            piece.finish(throwing: rest == 0 ? ReplicationError(.network, "cut") : nil)
        } catch {
            piece.finish(throwing: error)
        }
        return TransportResponse(status: response.status, headers: response.headers, body: pieces)
    }
}
