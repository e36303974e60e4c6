//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import NIOCore
import NIOPosix

/// A source that gets fixes from a running `gpsd` over its JSON protocol.
///
/// If the connection fails or ends, the source connects again after a delay. The delay grows after each failure, up to
/// ``reconnectSecondsMax``. The sequence ends when its task is cancelled. The accuracy of a fix, which is a reading of
/// the position, is the estimate of `gpsd`. If `gpsd` reports no estimate, the accuracy is the dilution times 5 m. If
/// it reports no dilution either, the accuracy is 5 m.
public struct GPSDSource: LocationSource {
    /// A change of the connection.
    public enum Event: Sendable {
        /// The source is connected, and has requested fixes.
        case connected
        /// The source is not connected, for the given reason. After the given number of seconds, it tries again to
        /// connect.
        case waiting(seconds: Double, reason: String)
    }

    /// The default port of `gpsd`.
    public static let portUsual = 2_947
    /// The maximum delay before a new attempt to connect, in seconds.
    public static let reconnectSecondsMax = 30.0

    private static let reconnectSecondsFirst = 0.5
    private static let doublingsMax = 16
    private static let connectSecondsMax: Int64 = 10
    /// The maximum number of fixes that wait for the consumer. If there are more, the oldest are dropped.
    private static let fixesWaitingMax = 1_024
    /// The maximum length of a line in bytes: four times the limit in the documentation of `gpsd`.
    private static let lineBytesMax = 64 << 10
    private static let request = "?WATCH={\"enable\":true,\"json\":true};\n"

    private let host: String
    private let port: Int
    private let onEvent: @Sendable (Event) -> Void

    /// Creates a source. It does not connect yet.
    ///
    /// - Parameters:
    ///   - host: The name or address of the host of `gpsd`.
    ///   - port: The port of `gpsd`.
    ///   - onEvent: A closure that is called when the connection changes.
    public init(
        host: String = "127.0.0.1", port: Int = portUsual, onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.host = host
        self.port = port
        self.onEvent = onEvent
    }

    /// See ``LocationSource/fixes()``.
    public func fixes() -> AsyncThrowingStream<Fix, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(GPSDSource.fixesWaitingMax)) { continuation in
            let task = Task {
                do {
                    try await follow { continuation.yield($0) }
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// Connects, and connects again after each failure, until the task is cancelled.
    private func follow(_ onFix: @escaping @Sendable (Fix) -> Void) async throws {
        var failures = 0
        while true {
            try Task.checkCancellation()
            var reason = "the connection ended"
            var hasReports = false
            do {
                try await listen { fix in
                    hasReports = true
                    onFix(fix)
                }
            } catch {
                reason = GPSDSource.message(of: error)
            }
            try Task.checkCancellation()
            failures = hasReports ? 1 : failures + 1
            let seconds = GPSDSource.waitSeconds(after: failures)
            onEvent(.waiting(seconds: seconds, reason: reason))
            try await Task.sleep(for: .seconds(seconds))
        }
    }

    private static func message(of error: any Error) -> String {
        guard let error = error as? NIOConnectionError else { return "\(error)" }
        let isKnown = error.dnsAError == nil && error.dnsAAAAError == nil
        return isKnown ? "no connection" : "the host name \(error.host) is unknown"
    }

    /// Returns a delay that doubles after each failure, up to a maximum. Up to half of it is random, so that many
    /// clients of one `gpsd` do not reconnect at the same time.
    private static func waitSeconds(after failures: Int) -> Double {
        let delay = reconnectSecondsFirst * Double(1 << min(failures - 1, doublingsMax))
        return min(delay, reconnectSecondsMax) * .random(in: 0.5...1)
    }

    /// Connects, requests fixes, and passes them on until the connection ends.
    private func listen(_ onFix: (Fix) -> Void) async throws {
        let channel = try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .channelOption(.socketOption(.so_keepalive), value: 1)
            .connectTimeout(.seconds(GPSDSource.connectSecondsMax))
            .connect(host: host, port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: GPSDSource.request))
            onEvent(.connected)
            var bytes: [UInt8] = []
            var dilution: Double?
            for try await chunk in inbound {
                bytes += chunk.readableBytesView
                while let lineEnd = bytes.firstIndex(of: UInt8(ascii: "\n")) {
                    let report = GPSDReport(Array(bytes[..<lineEnd]), dilution: dilution)
                    bytes.removeFirst(lineEnd + 1)
                    switch report {
                    case .fix(let fix): onFix(fix)
                    case .dilution(let newDilution): dilution = newDilution
                    case .failure(let message): throw DeviceError(.input, "gpsd reports an error: \(message)")
                    case .other: break
                    case nil: throw DeviceError(.input, "\(host):\(port) does not respond like gpsd.")
                    }
                }
                guard bytes.count <= GPSDSource.lineBytesMax else {
                    throw DeviceError(.input, "\(host):\(port) does not respond like gpsd.")
                }
            }
        }
    }
}
