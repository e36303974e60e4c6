//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import Foundation
import LocationTrackerClient
import Synchronization
import Testing

@Suite("A running gpsd", .serialized, .timeLimit(.minutes(5)), .enabled(if: GPSFake.isInstalled))
struct GPSDTests {
    /// Returns NMEA sentences of a drive to the north. There is one sentence for each second, and 20 m are driven in
    /// each second.
    private func log(_ count: Int) -> String {
        (0..<count).map { second in
            let time = "1200" + (second < 10 ? "0" : "") + "\(second).00"
            let minutes = String(format: "%08.5f", 20 + Double(second) * 20 / 1_852)
            return sentence("GPRMC,\(time),A,37\(minutes),N,12205.00000,W,39.0,0.0,020526,,,A")
                + sentence("GPGGA,\(time),37\(minutes),N,12205.00000,W,1,08,1.0,10.0,M,0.0,M,,")
        }.joined()
    }

    private func sentence(_ body: String) -> String {
        "$\(body)*\(String(format: "%02X", body.utf8.reduce(0, ^)))\r\n"
    }

    @Test("Readings have gpsd's position, time and accuracy")
    func readings() async throws {
        let fake = try GPSFake(log: log(30))
        defer { fake.stop() }
        var fixes: [Fix] = []
        for try await fix in GPSDSource(port: fake.port).fixes() {
            if fix.timeMilliseconds != fixes.last?.timeMilliseconds { fixes.append(fix) }
            if fixes.count == 10 { break }
        }
        let start: Int64 = 1_777_723_200_000
        for fix in fixes {
            let second = (fix.timeMilliseconds - start) / 1_000
            #expect((0..<30).contains(second))
            // gpsd rounds minutes.
            #expect(abs(fix.latitude - 37 - (20 + Double(second) * 20 / 1_852) / 60) < 1e-6)
            #expect(abs(fix.longitude + 122.083_333) < 1e-6)
            #expect((1...100).contains(fix.accuracyMeters))
        }
    }

    @Test("The source reconnects to a gpsd that was restarted")
    func reconnecting() async throws {
        let firstFake = try GPSFake(log: log(30))
        let events = Mutex<[GPSDSource.Event]>([])
        let source = GPSDSource(port: firstFake.port) { event in events.withLock { $0.append(event) } }
        var secondFake: GPSFake?
        defer { secondFake?.stop() }
        for try await _ in source.fixes() {
            if secondFake == nil {
                firstFake.stop()
                // Fixes of the first `gpsd` may still be buffered. The fixes of the second `gpsd` arrive only after a
                // new connection is opened.
                secondFake = try GPSFake(log: log(30), port: firstFake.port)
            }
            if events.withLock({ $0.filter(\.isConnected).count }) > 1 { break }
        }
        #expect(events.withLock { $0.contains { !$0.isConnected } })
    }

    @Test("If no gpsd listens, it retries with growing delays until the reader stops")
    func nobodyThere() async throws {
        let waits = Mutex<[Double]>([])
        let source = GPSDSource(port: try GPSFake.freePort()) { event in
            if case .waiting(let seconds, _) = event { waits.withLock { $0.append(seconds) } }
        }
        let task = Task { for try await _ in source.fixes() {} }
        while waits.withLock({ $0.count }) < 3 { try await Task.sleep(for: .milliseconds(20)) }
        task.cancel()
        _ = await task.result
        let delays = waits.withLock { $0 }
        #expect(delays[0] <= 0.5 && (0.5...1).contains(delays[1]) && (1...2).contains(delays[2]))
    }
}

extension GPSDSource.Event {
    fileprivate var isConnected: Bool { if case .connected = self { true } else { false } }
}

/// Debian's `gpsfake` with its `gpsd`, which plays a log repeatedly to each client.
final class GPSFake: Sendable {
    private static let program = "/usr/bin/gpsfake"

    static var isInstalled: Bool {
        FileManager.default.isExecutableFile(atPath: program)
            && FileManager.default.isExecutableFile(atPath: "/usr/sbin/gpsd")
    }

    let port: Int
    private let folder: URL
    private let process: pid_t

    init(log: String, port: Int? = nil) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.port = try port ?? GPSFake.freePort()
        let path = folder.appending(path: "log.nmea")
        try Data(log.utf8).write(to: path)
        process = try GPSFake.startGroup([GPSFake.program, "-P", "\(self.port)", "-c", "0.02", "-q", path.path])
    }

    /// Starts a program without output. It leads a new process group.
    private static func startGroup(_ words: [String]) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for stream in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
        let arguments = words.map { strdup($0) } + [nil]
        let environment = [strdup("PATH=/usr/sbin:/usr/bin:/sbin:/bin"), nil]
        defer { (arguments + environment).forEach { free($0) } }
        var process = pid_t()
        let failure = posix_spawn(&process, words[0], &actions, &attributes, arguments, environment)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        return process
    }

    /// Kills `gpsfake` together with its `gpsd`, which is in the same process group. With SIGTERM, `gpsfake` would wait
    /// for the clients of `gpsd`.
    func stop() {
        kill(-process, SIGKILL)
        while waitpid(process, nil, 0) < 0 && errno == EINTR {}
        try? FileManager.default.removeItem(at: folder)
    }

    /// Returns a port on which no process is listening.
    static func freePort() throws -> Int {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return try withUnsafeMutablePointer(to: &address) { pointer in
            try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(descriptor, address, length) == 0, getsockname(descriptor, address, &length) == 0 else {
                    throw POSIXError(.EADDRNOTAVAIL)
                }
            }
            return Int(UInt16(bigEndian: pointer.pointee.sin_port))
        }
    }
}
