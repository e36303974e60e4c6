//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import CWorker
import ProgramKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The main function of a process that decodes pictures.
///
/// A program that uses ``PhotoWorkers`` calls ``runIfRequested()`` before anything else.
public enum PhotoWorker {
    /// The argument of the process.
    static let argument = "photo-worker"

    /// If the program was started as a process that decodes pictures, answers the requests on standard input, and exits
    /// when standard input is closed. Does nothing in any other process.
    ///
    /// On Linux, the process first gives up its rights to access files, to access the network, and to start programs.
    /// The process also exits when it uses more memory than its limit, or when the program that started the process has
    /// ended. Other systems have none of these protections.
    public static func runIfRequested() {
        guard CommandLine.arguments.dropFirst().first == argument else { return }
        #if !canImport(Glibc)
            godwit_close_inherited_files()
        #endif
        let limits = PhotoLimits(reading: CommandLine.arguments)
        let channel = WorkerChannel(file: 0, bytesMax: limits.messageBytesMax)
        godwit_watch_memory(limits.memoryBytesMax)
        // This call loads the libraries. It must be made before the process gives up the right to access files.
        _ = try? PhotoCoder.copy(of: [0xFF, 0xD8, 0xFF], as: PhotoForm(quality: 1))
        let isConfined = godwit_confine() == 0
        while true {
            do throws(WorkerChannel.Failure) {
                let form = try channel.read(until: WorkerChannel.never)
                let file = try channel.read(until: WorkerChannel.never)
                let answer = isConfined ? answer(form, file, limits) : .refused(.unconfined)
                try channel.write(answer.json, until: WorkerChannel.never)
                try channel.write(answer.jpeg, until: WorkerChannel.never)
            } catch {
                exit(0)
            }
        }
    }

    private static func answer(_ form: [UInt8], _ file: [UInt8], _ limits: PhotoLimits) -> PhotoAnswer {
        guard let form = try? JSONDecoder().decode(PhotoForm.self, from: Data(form)) else {
            return .refused(.unconfined)
        }
        do throws(PhotoError) {
            return .made(try PhotoCoder.copy(of: file, as: form, limits: limits))
        } catch {
            return .refused(error)
        }
    }
}

/// The answer of the process for pictures.
enum PhotoAnswer {
    case made(PhotoCopy)
    case refused(PhotoError)

    private struct Head: Codable {
        var details: PhotoDetails?
        var code: String?
        var message: String?
    }

    /// The answer without the picture, as JSON.
    var json: [UInt8] {
        let head =
            switch self {
            case .made(let copy): Head(details: copy.details)
            case .refused(let error): Head(code: error.code.rawValue, message: error.message)
            }
        return (try? JSONEncoder().encode(head)).map(Array.init) ?? []
    }

    var jpeg: [UInt8] { if case .made(let copy) = self { copy.jpeg } else { [] } }

    init?(json: [UInt8], jpeg: [UInt8]) {
        guard let head = try? JSONDecoder().decode(Head.self, from: Data(json)) else { return nil }
        if let details = head.details {
            self = .made(PhotoCopy(jpeg: jpeg, details: details))
        } else if let code = head.code.flatMap(PhotoError.Code.init) {
            self = .refused(PhotoError(code, head.message ?? ""))
        } else {
            return nil
        }
    }
}

extension PhotoError {
    /// The process cannot give up its rights, because the system does not allow this.
    static let unconfined = PhotoError(
        .unavailable,
        "Pictures cannot be processed: this system does not allow the confinement of the process for them.")
}

extension PhotoLimits {
    /// The maximum length of a message, in bytes. It is the maximum length of a file, plus space for the details.
    var messageBytesMax: Int { fileBytesMax + (64 << 10) }

    /// The limits that the process needs, in the form of arguments of the program.
    var arguments: [String] { [fileBytesMax, pixelsMax, sideMax, memoryBytesMax].map(String.init) }

    fileprivate init(reading arguments: [String]) {
        self.init()
        let values = arguments.dropFirst(2).compactMap { Int($0) }
        guard values.count == 4 else { return }
        (fileBytesMax, pixelsMax, sideMax, memoryBytesMax) = (values[0], values[1], values[2], values[3])
    }
}

extension PhotoForm {
    /// The form as a message.
    var bytes: [UInt8] { (try? JSONEncoder().encode(self)).map(Array.init) ?? [] }
}
