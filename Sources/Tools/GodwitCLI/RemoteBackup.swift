//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AsyncHTTPClient
import GodwitBase
import GodwitClientNIO
import GodwitExchange
import GodwitHost
import GodwitJSON
import GodwitKeys
import GodwitStore
import GodwitTransport
import NIOCore
import NIOHTTP1

/// Downloads the backup of a database from a Godwit server, or uploads a backup to create a database.
struct RemoteBackup: Sendable {
    /// The maximum time without data from the server, in seconds. It is long, because the server may copy for a while
    /// before it answers.
    static let silenceSecondsMax = 600

    /// The maximum length of a response that is not a backup, in bytes.
    private static let errorBytesMax = 64 << 10

    private static let pageBytes = 4_096
    private static let pagesPerProgress = 1_024

    let url: RemoteURL
    let credentials: Credentials
    let client: HTTPClient

    /// Creates a client for a database.
    ///
    /// - Parameters:
    ///   - url: The URL of the database.
    ///   - trust: The trusted certificate authorities.
    init(_ url: RemoteURL, _ trust: TrustOption) throws {
        self.url = url
        credentials = url.login(Settings())
        client = try trust.client(silenceSecondsMax: RemoteBackup.silenceSecondsMax)
    }

    /// Returns whether the server is a Godwit server, according to its welcome response. If the server refuses the
    /// request, the result is `false`.
    func isOfGodwit() async throws -> Bool {
        let text = url.description
        let server = text[...(text.utf8.lastIndex(of: UInt8(ascii: "/")) ?? text.startIndex)]
        let response = try await send(.GET, String(server))
        guard response.status == .ok,
            let welcomeBytes = try? await response.body.collect(upTo: RemoteBackup.errorBytesMax),
            let welcome = try? JSONValue(parsing: Array(welcomeBytes.readableBytesView)).objectValue
        else { return false }
        return welcome["vendor"]?.objectValue?["name"]?.stringValue == "Godwit"
    }

    /// Writes the backup to a file. The file exists only when the backup is complete. An encrypted backup is checked
    /// only if a key is given. Any other backup is always checked.
    ///
    /// - Parameters:
    ///   - path: The file to create.
    ///   - key: The key of an encrypted backup.
    ///   - isPlain: Whether an encrypted backup is decrypted after the download.
    ///   - progress: A closure that is called from time to time with the number of received pages and the number of all
    ///     pages.
    /// - Returns: The number of documents in the backup; `nil` when the backup is encrypted and no key is given to
    ///   check it.
    /// - Throws: ``CommandFailure`` when the server refuses the request, when the response is incomplete or has no
    ///   header `Content-Length`, and when an encrypted backup is to be decrypted but no key is given.
    func save(
        to path: String, key: EncryptionKey?, isPlain: Bool, progress: (_ pages: Int, _ total: Int) -> Void
    ) async throws -> Int? {
        let response = try await send(.GET, address)
        guard response.status == .ok else { throw await refusal(response, of: RemoteBackup.whoMakesBackups) }
        let backup = try UnfinishedBackup(of: path)
        defer { backup.end() }
        try await receive(response, in: backup.partial, progress: progress)
        // Without a key an encrypted file cannot be distinguished from random bytes, so the server's content type
        // decides.
        let isEncrypted = response.headers.first(name: "Content-Type") == "application/octet-stream"
        let count = try await check(backup.partial, isEncrypted: isEncrypted, key: key, isPlain: isPlain)
        try backup.publish()
        return count
    }

    private func check(
        _ partial: String, isEncrypted: Bool, key: EncryptionKey?, isPlain: Bool
    ) async throws -> Int? {
        guard isEncrypted else { return try Backup.check(partial, key: nil) }
        guard let key else {
            guard !isPlain else {
                throw CommandFailure(message: "The backup is encrypted. Specify --encryption-key-file.")
            }
            CommandText.complain("the backup is encrypted and could not be checked: no key was given.")
            return nil
        }
        let count = try Backup.check(partial, key: key)
        if isPlain { try await DatastoreManager.changeKey(ofBackup: partial, from: key, to: nil) }
        return count
    }

    private func receive(
        _ response: HTTPClientResponse, in path: String, progress: (Int, Int) -> Void
    ) async throws {
        guard let total = response.headers.first(name: "Content-Length").flatMap({ Int($0) }) else {
            throw CommandFailure(
                message: "\(address): the response has no Content-Length. A proxy may have removed it.")
        }
        let file = try WrittenFile(path)
        var (count, reportedPages) = (0, 0)
        do {
            for try await piece in response.body {
                try file.append(piece.readableBytesView)
                count += piece.readableBytes
                let pages = count / RemoteBackup.pageBytes
                guard pages - reportedPages >= RemoteBackup.pagesPerProgress || count == total else { continue }
                progress(pages, total / RemoteBackup.pageBytes)
                reportedPages = pages
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw RemoteBackup.unreachable(.GET, address, error)
        }
        guard count == total else { throw RemoteBackup.unreachable(.GET, address, HTTPParserError.invalidEOFState) }
        try file.flush()
    }

    /// Uploads a backup file, from which the server creates the database.
    ///
    /// - Parameters:
    ///   - path: The backup, which must be a regular file.
    ///   - progress: A closure that is called after each piece with the number of pages that were read, and the number
    ///     of all pages.
    func restore(from path: String, progress: @escaping @Sendable (_ pages: Int, _ total: Int) -> Void) async throws {
        let file = try ReadFile(path)
        let total = file.byteCount
        let pieces = FilePieces(file: file) { count in
            progress(count / RemoteBackup.pageBytes, total / RemoteBackup.pageBytes)
        }
        let response = try await send(.PUT, address, body: .stream(pieces, length: .known(Int64(total))))
        guard response.status != .preconditionFailed else {
            throw CommandFailure(
                message: "the database \(url) exists already. Restore to another name, or delete it first.")
        }
        guard response.status == .created else { throw await refusal(response, of: RemoteBackup.whoRestores) }
    }

    private var address: String { "\(url)/_godwit/backup" }

    private func send(
        _ method: HTTPMethod, _ address: String, body: HTTPClientRequest.Body? = nil
    ) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: address)
        request.method = method
        request.body = body
        if let authorization = credentials.authorization {
            request.headers.add(name: "Authorization", value: authorization)
        }
        do {
            return try await client.execute(request, deadline: .distantFuture)
        } catch let error as ExchangeError {
            throw error
        } catch {
            throw RemoteBackup.unreachable(method, address, error)
        }
    }

    private static func unreachable(_ method: HTTPMethod, _ address: String, _ error: any Error) -> CommandFailure {
        let failure = TransportFailure(error)
        let advice =
            failure.isUntrusted ? CommandFailure.trustAdvice : "Check the address and the network, then try again."
        return CommandFailure(message: "\(method) \(address): \(failure). \(advice)")
    }

    private static let whoMakesBackups =
        "Only administrators of the server or of the database can make a backup; readers can use godwit replicate."
    private static let whoRestores = "Only administrators of the server can restore a backup."

    private func refusal(_ response: HTTPClientResponse, of permissionText: String) async -> CommandFailure {
        let bodyBytes = try? await response.body.collect(upTo: RemoteBackup.errorBytesMax)
        let answer = bodyBytes.flatMap { try? JSONValue(parsing: Array($0.readableBytesView)).objectValue }
        let reason = answer?["reason"]?.stringValue ?? "no reason given"
        let advice =
            [.unauthorized, .forbidden].contains(response.status) ? " \(permissionText)" : ""
        return CommandFailure(message: "\(url): status \(response.status.code), \(reason)\(advice)")
    }
}

/// The pieces of a file as a request body.
private struct FilePieces: AsyncSequence, Sendable {
    let file: ReadFile
    /// A closure that is called after each piece with the number of all bytes that were read so far.
    let progress: @Sendable (Int) -> Void

    func makeAsyncIterator() -> Iterator { Iterator(pieces: self) }

    struct Iterator: AsyncIteratorProtocol {
        let pieces: FilePieces
        var count = 0

        mutating func next() async throws -> ByteBuffer? {
            let piece = try pieces.file.read()
            guard !piece.isEmpty else { return nil }
            count += piece.count
            pieces.progress(count)
            return ByteBuffer(bytes: piece)
        }
    }
}
