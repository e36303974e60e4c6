//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CWorker
import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Makes copies of pictures in another process, one after the other.
///
/// A picture of a stranger can contain an attack on the libraries that decode it. The process has no access to files,
/// the network and other processes, and is ended when it uses too much time or memory. The next picture starts a new
/// one. The owners of the pictures take turns, so that many pictures of one do not delay those of the others.
///
/// ```swift
/// let photos = PhotoWorkers()
/// let thumbnail = try await photos.copy(of: file, as: PhotoForm(longestSide: 320, quality: 0.7))
/// ```
public final class PhotoWorkers: Sendable {
    private let limits: PhotoLimits
    private let queue = DispatchQueue(label: "godwit.photos")
    private let waiting = Mutex(PhotoQueue())
    /// The process; used on the queue only.
    private let process = Mutex<PhotoProcess?>(nil)

    /// Starts no process yet.
    public init(limits: PhotoLimits = PhotoLimits()) { self.limits = limits }

    /// Returns an upright copy of a picture.
    ///
    /// - Parameters:
    ///   - file: A JPEG or PNG file.
    ///   - form: The form of the copy.
    /// - Throws: ``PhotoError`` for a file that is no picture, is damaged or exceeds a limit; with the code
    ///   ``PhotoError/Code/unavailable`` if too many pictures wait, or the task was cancelled.
    public func copy(of file: [UInt8], as form: PhotoForm) async throws(PhotoError) -> PhotoCopy {
        try await copy(as: form, for: "") { file }
    }

    /// Returns an upright copy of a picture, which is read when its turn comes: pictures that wait need no memory.
    ///
    /// - Parameters:
    ///   - form: The form of the copy.
    ///   - owner: The owner of the picture.
    ///   - read: Returns a JPEG or PNG file.
    /// - Throws: The errors of ``copy(of:as:)`` and of `read`.
    public func copy(
        as form: PhotoForm, for owner: String, read: () async throws(PhotoError) -> [UInt8]
    ) async throws(PhotoError) -> PhotoCopy {
        try await waitForTurn(of: owner)
        defer { endTurn() }
        guard !Task.isCancelled else { throw PhotoError(.unavailable, "The request was cancelled.") }
        let file = try await read()
        guard file.count <= limits.fileBytesMax else {
            throw PhotoError(.tooLarge, "The file has more than \(limits.fileBytesMax >> 20) MB. Choose a smaller one.")
        }
        let result = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.result(of: file, form)) }
        }
        return try result.get()
    }

    private func waitForTurn(of owner: String) async throws(PhotoError) {
        let isQueued = await withCheckedContinuation { continuation in
            let isRefused = waiting.withLock { waiting in
                if waiting.isIdle {
                    waiting.isIdle = false
                    continuation.resume(returning: true)
                    return false
                }
                return !waiting.append(for: owner, limits) { continuation.resume(returning: true) }
            }
            if isRefused { continuation.resume(returning: false) }
        }
        guard isQueued else { throw PhotoError(.unavailable, "Too many pictures wait. Try again later.") }
    }

    private func endTurn() {
        let next = waiting.withLock { waiting in
            let next = waiting.next()
            waiting.isIdle = next == nil
            return next
        }
        next?()
    }

    /// Returns the process, and starts it if there is none. Runs on the queue.
    private func running() throws(PhotoError) -> PhotoProcess {
        if let running = process.withLock({ $0 }) { return running }
        let started = try PhotoProcess(limits)
        process.withLock { $0 = started }
        return started
    }

    /// Runs on the queue.
    private func result(of file: [UInt8], _ form: PhotoForm) -> Result<PhotoCopy, PhotoError> {
        do throws(PhotoError) {
            let running = try running()
            let answer = running.answer(file, form)
            if case .failure = answer { process.withLock { $0 = nil } }
            return try answer.get().result
        } catch {
            return .failure(error)
        }
    }
}

/// The pictures that wait, by owner.
struct PhotoQueue {
    typealias Job = @Sendable () -> Void

    private var jobs: [String: [Job]] = [:]
    /// The owners with waiting pictures, in the order of their turns.
    private var turns: [String] = []
    private var count = 0
    /// Whether no picture is processed.
    var isIdle = true

    /// Adds a picture; returns `false` if too many wait.
    mutating func append(for owner: String, _ limits: PhotoLimits, _ job: @escaping Job) -> Bool {
        let ownCount = jobs[owner]?.count ?? 0
        guard ownCount < limits.waitingPerOwnerMax, count < limits.waitingMax else { return false }
        if ownCount == 0 { turns.append(owner) }
        jobs[owner, default: []].append(job)
        count += 1
        return true
    }

    /// Removes the first picture of the owner whose turn it is; `nil` if none waits.
    mutating func next() -> Job? {
        guard !turns.isEmpty else { return nil }
        let owner = turns.removeFirst()
        guard var ownJobs = jobs[owner], !ownJobs.isEmpty else { return nil }
        let job = ownJobs.removeFirst()
        jobs[owner] = ownJobs.isEmpty ? nil : ownJobs
        if !ownJobs.isEmpty { turns.append(owner) }
        count -= 1
        return job
    }
}

extension PhotoAnswer {
    fileprivate var result: Result<PhotoCopy, PhotoError> {
        switch self {
        case .made(let copy): .success(copy)
        case .refused(let error): .failure(error)
        }
    }
}

/// The caller's side of a process for pictures.
private final class PhotoProcess: Sendable {
    private let process: pid_t
    private let channel: PhotoChannel
    private let secondsMax: Double
    private let isAlive = Mutex(true)

    init(_ limits: PhotoLimits) throws(PhotoError) {
        #if os(Linux)
            // The running program, even when its file has been replaced since its start.
            let path = "/proc/self/exe"
        #else
            let path = CommandLine.arguments[0]
        #endif
        var (process, file) = (pid_t(), Int32())
        let arguments = ([path, PhotoWorker.argument] + limits.arguments).map { strdup($0) } + [nil]
        defer { arguments.forEach { free($0) } }
        let environment = ["LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH"].compactMap { (name: String) in
            getenv(name).map { strdup(name + "=" + String(cString: $0)) }
        }
        defer { environment.forEach { free($0) } }
        let error = arguments.withUnsafeBufferPointer { arguments in
            (environment + [nil]).withUnsafeBufferPointer {
                godwit_worker_start(arguments.baseAddress!, $0.baseAddress!, &process, &file)
            }
        }
        guard error == 0 else {
            throw PhotoError(
                .unavailable, "The process for pictures cannot be started: \(String(cString: strerror(error))).")
        }
        (self.process, secondsMax) = (process, limits.secondsMax)
        channel = PhotoChannel(file: file, bytesMax: limits.messageBytesMax)
    }

    deinit { _ = end() }

    /// Returns the answer; an error if the process had to be ended.
    func answer(_ file: [UInt8], _ form: PhotoForm) -> Result<PhotoAnswer, PhotoError> {
        let deadline = godwit_worker_now() + secondsMax
        do throws(PhotoChannel.Failure) {
            try channel.write(form.bytes, until: deadline)
            try channel.write(file, until: deadline)
            let json = try channel.read(until: deadline)
            let jpeg = try channel.read(until: deadline)
            guard let answer = PhotoAnswer(json: json, jpeg: jpeg) else { throw .closed }
            return .success(answer)
        } catch {
            let status = end()
            if case .expired = error {
                return .failure(
                    PhotoError(.tooCostly, "The picture takes more than \(Int(secondsMax)) s. Choose another."))
            }
            return .failure(
                status == Int32(GODWIT_MEMORY_EXCEEDED_STATUS)
                    ? PhotoError(.tooCostly, "The picture needs too much memory. Choose a smaller one.")
                    : PhotoError(.damaged, "The picture cannot be decoded."))
        }
    }

    private func end() -> Int32? {
        let wasAlive = isAlive.withLock { isAlive in
            defer { isAlive = false }
            return isAlive
        }
        return wasAlive ? godwit_worker_end(process, channel.file) : nil
    }
}
