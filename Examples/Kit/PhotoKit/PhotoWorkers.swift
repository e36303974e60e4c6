//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CWorker
import Dispatch
import ProgramKit
import Synchronization

/// Makes copies of pictures in another process, one after the other.
///
/// A picture from an untrusted source can be made to exploit a fault of the libraries that decode it. On Linux, the
/// process has no access to files, to the network or to other processes, and its memory is limited. On all systems, the
/// time for each picture is limited. If the process exceeds a limit, it is ended, and a new process is started for the
/// next picture. The owners of the pictures take turns, so that many pictures of one owner do not delay the pictures of
/// others.
///
/// ```swift
/// let photos = PhotoWorkers()
/// let thumbnail = try await photos.copy(of: file, as: PhotoForm(longestSide: 320, quality: 0.7))
/// ```
public final class PhotoWorkers: Sendable {
    private let limits: PhotoLimits
    private let queue = DispatchQueue(label: "godwit.photos")
    private let turns: WorkerTurns
    /// The process, which is used only on the queue.
    private let process = Mutex<PhotoProcess?>(nil)

    /// Creates an object without a process. The process is started for the first picture.
    public init(limits: PhotoLimits = PhotoLimits()) {
        self.limits = limits
        turns = WorkerTurns(
            runningMax: 1, waitingMax: limits.waitingMax, waitingPerOwnerMax: limits.waitingPerOwnerMax)
    }

    /// Returns an upright copy of a picture.
    ///
    /// - Parameters:
    ///   - file: A JPEG or PNG file.
    ///   - form: The form of the copy.
    /// - Throws: ``PhotoError`` if the file is not a picture, is damaged or exceeds a limit. Its code is
    ///   ``PhotoError/Code/unavailable`` if too many pictures wait, if the task was cancelled while it waited, or if
    ///   the process cannot be started.
    public func copy(of file: [UInt8], as form: PhotoForm) async throws(PhotoError) -> PhotoCopy {
        try await copy(as: form, for: "") { file }
    }

    /// Returns an upright copy of a picture. The picture is only read when its turn comes. Therefore waiting pictures
    /// need no memory.
    ///
    /// - Parameters:
    ///   - form: The form of the copy.
    ///   - owner: The owner of the picture. For pictures of ``copy(of:as:)``, the name of the owner is empty.
    ///   - read: A closure that returns a JPEG or PNG file.
    /// - Throws: The errors of ``copy(of:as:)`` and of `read`.
    public func copy(
        as form: PhotoForm, for owner: String, read: () async throws(PhotoError) -> [UInt8]
    ) async throws(PhotoError) -> PhotoCopy {
        guard await turns.wait(for: owner) else {
            throw PhotoError(.unavailable, "Too many pictures wait. Try again later.")
        }
        defer { turns.end() }
        let file = try await read()
        guard file.count <= limits.fileBytesMax else {
            throw PhotoError(.tooLarge, "The file has more than \(limits.fileBytesMax >> 20) MB. Choose a smaller one.")
        }
        let result = await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: self.result(of: file, form)) }
        }
        return try result.get()
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
            var running = try running()
            if !running.accepts(form) {
                // The process has ended since the last picture. Therefore a new process is started.
                process.withLock { $0 = nil }
                running = try self.running()
                guard running.accepts(form) else { throw PhotoError(.unavailable, "The process for pictures ended.") }
            }
            let answer = running.answer(file)
            if case .failure = answer { process.withLock { $0 = nil } }
            return try answer.get().result
        } catch {
            return .failure(error)
        }
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

/// The connection of the caller to a process for pictures.
private final class PhotoProcess: Sendable {
    private let process: WorkerProcess
    private let secondsMax: Double

    init(_ limits: PhotoLimits) throws(PhotoError) {
        do throws(WorkerProcess.StartFailure) {
            process = try WorkerProcess(
                [PhotoWorker.argument] + limits.arguments, messageBytesMax: limits.messageBytesMax)
        } catch {
            throw PhotoError(.unavailable, "The process for pictures cannot be started: \(error.message).")
        }
        secondsMax = limits.secondsMax
    }

    /// Sends the form of the next copy, and returns whether the process accepts it. If the process does not accept it,
    /// ends the process.
    func accepts(_ form: PhotoForm) -> Bool {
        do throws(WorkerChannel.Failure) {
            try process.channel.write(form.bytes, until: WorkerChannel.now + secondsMax)
            return true
        } catch {
            _ = process.end()
            return false
        }
    }

    /// Sends the picture, and returns the answer. Call this method after ``accepts(_:)``. If the process does not send
    /// a complete answer in time, this method ends the process and returns an error.
    func answer(_ file: [UInt8]) -> Result<PhotoAnswer, PhotoError> {
        let (channel, deadline) = (process.channel, WorkerChannel.now + secondsMax)
        do throws(WorkerChannel.Failure) {
            try channel.write(file, until: deadline)
            let json = try channel.read(until: deadline)
            let jpeg = try channel.read(until: deadline)
            guard let answer = PhotoAnswer(json: json, jpeg: jpeg) else { throw .closed }
            return .success(answer)
        } catch {
            let status = process.end()
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
}
