//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import AsyncHTTPClient
import GodwitHost
import GodwitJSON
import GodwitKeys
import GodwitStore
import GodwitSync
import NIOCore
import NIOHTTP1

/// A database of a server elsewhere, as a file that the server makes at one commit.
struct BackupDownload: Sendable {
    private static let client: HTTPClient = {
        // A server may copy for a while before it answers.
        var configuration = HTTPClient.Configuration(
            redirectConfiguration: .disallow, timeout: .init(connect: .seconds(10), read: .seconds(silenceSecondsMax)))
        configuration.httpVersion = .http1Only
        configuration.connectionPool.retryConnectionEstablishment = false
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()

    /// How long a server may say nothing, in seconds.
    private static let silenceSecondsMax: Int64 = 600

    /// The longest answer that is no backup, in bytes.
    private static let wordsBytesMax = 64 << 10

    private static let pageBytes = 4_096
    private static let pagesPerProgress = 1_024

    let url: RemoteURL
    let credentials: Credentials

    /// Whether the server is a Godwit, as its welcome tells.
    func isFromGodwit() async throws -> Bool {
        let server = url.description[...(url.description.lastIndex(of: "/") ?? url.description.startIndex)]
        let response = try await get(String(server))
        guard response.status == .ok, let words = try? await response.body.collect(upTo: BackupDownload.wordsBytesMax),
            let welcome = try? JSONValue(parsing: Array(words.readableBytesView)).objectValue
        else { return false }
        return welcome["vendor"]?.objectValue?["name"]?.stringValue == "Godwit"
    }

    /// Writes the backup to a file, which is there under its name when it is whole and checked, or not at all.
    ///
    /// - Parameters:
    ///   - path: The file to make.
    ///   - key: What an encrypted backup is encrypted with.
    ///   - isPlain: Whether an encrypted backup is decrypted here.
    ///   - progress: Called now and then with the pages received and the pages in all.
    /// - Returns: The documents in it; `nil` when it is encrypted and there is no key to check it with.
    func save(
        to path: String, key: EncryptionKey?, isPlain: Bool, progress: (_ pages: Int, _ total: Int) -> Void
    ) async throws -> Int? {
        let address = "\(url)/_godwit/backup"
        let response = try await get(address)
        guard response.status == .ok else { throw await refusal(response) }
        let backup = try UnfinishedBackup(of: path)
        defer { backup.end() }
        try await receive(response, from: address, in: backup.partial, progress: progress)
        // Without a key nothing tells an encrypted file from nonsense but the server's word.
        let saysSo = response.headers.first(name: "Content-Type") == "application/octet-stream"
        let count = try await check(backup.partial, isEncrypted: saysSo, key: key, isPlain: isPlain)
        try backup.publish()
        return count
    }

    private func check(
        _ partial: String, isEncrypted: Bool, key: EncryptionKey?, isPlain: Bool
    ) async throws -> Int? {
        guard isEncrypted else { return try Backup.check(partial, key: nil) }
        guard let key else {
            guard !isPlain else {
                throw CommandFailure(message: "The backup is encrypted. Give --encryption-key-file.")
            }
            CommandText.complain("the backup is encrypted and could not be checked: no key was given.")
            return nil
        }
        let count = try Backup.check(partial, key: key)
        if isPlain { try await DatastoreManager.changeKey(ofBackup: partial, from: key, to: nil) }
        return count
    }

    private func receive(
        _ response: HTTPClientResponse, from address: String, in path: String, progress: (Int, Int) -> Void
    ) async throws {
        guard let total = response.headers.first(name: "Content-Length").flatMap({ Int($0) }) else {
            throw CommandFailure(message: "\(address): the answer has no length. Is there a proxy in between?")
        }
        let file = try WrittenFile(path)
        var (count, told) = (0, 0)
        do {
            for try await piece in response.body {
                try file.append(piece.readableBytesView)
                count += piece.readableBytes
                let pages = count / BackupDownload.pageBytes
                guard pages - told >= BackupDownload.pagesPerProgress || count == total else { continue }
                progress(pages, total / BackupDownload.pageBytes)
                told = pages
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw BackupDownload.unreachable(address, error)
        }
        guard count == total else { throw BackupDownload.unreachable(address, HTTPParserError.invalidEOFState) }
        try file.flush()
    }

    private func get(_ address: String) async throws -> HTTPClientResponse {
        var request = HTTPClientRequest(url: address)
        if let authorization = credentials.authorization {
            request.headers.add(name: "Authorization", value: authorization)
        }
        do {
            return try await BackupDownload.client.execute(request, deadline: .distantFuture)
        } catch {
            throw BackupDownload.unreachable(address, error)
        }
    }

    private static func unreachable(_ address: String, _ error: any Error) -> CommandFailure {
        CommandFailure(message: "GET \(address): \(error). Check the address and the network, then try again.")
    }

    private func refusal(_ response: HTTPClientResponse) async -> CommandFailure {
        let words = try? await response.body.collect(upTo: BackupDownload.wordsBytesMax)
        let answer = words.flatMap { try? JSONValue(parsing: Array($0.readableBytesView)).objectValue }
        let reason = answer?["reason"]?.stringValue ?? "no reason given"
        let advice =
            [.unauthorized, .forbidden].contains(response.status)
            ? " A backup is for administrators of the server or of the database; readers use godwit replicate." : ""
        return CommandFailure(message: "\(url): status \(response.status.code), \(reason)\(advice)")
    }
}
