//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
public import GodwitStore
public import GodwitSync
import GodwitTransport
import GodwitURLSession

#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking
#else
    import Foundation
#endif

/// Downloads attachments that a pull has left out, by transfers of the system. On Apple's systems, these continue while
/// the app is suspended or not running, and the system starts the app when they end. On other systems, they end with
/// the process.
///
/// ```swift
/// // At each start of the app, before the system reports events:
/// let fetches = try BackgroundFetches(identifier: "org.example.trips.photos", directory: folder, manager: manager)
/// // When the user wants a photo:
/// try await fetches.fetch("photo.jpg", of: "a", in: trips, from: remote)
/// // In `application(_:handleEventsForBackgroundURLSession:completionHandler:)`:
/// fetches.finishEvents(then: completionHandler)
/// ```
///
/// A file that has arrived is kept in the directory until its bytes are stored in the database. Therefore, nothing is
/// downloaded twice if the app ends in between. The system keeps the requests with their credentials; use a password
/// or a token that is valid for long.
public final class BackgroundFetches: Sendable {
    /// An attachment that is being downloaded.
    public struct Fetch: Hashable, Sendable {
        /// The name of the database.
        public let database: String
        /// The id of the document.
        public let id: String
        /// The name of the attachment.
        public let name: String

        /// Whether two fetches are of the same attachment. Texts are compared by their bytes.
        public static func == (left: Fetch, right: Fetch) -> Bool { left.key == right.key }

        /// Hashes the bytes of the texts.
        public func hash(into hasher: inout Hasher) { hasher.combine(key) }

        private var key: [ExactText] { [database, id, name].map { ExactText($0) } }
    }

    /// The end of a download.
    public struct Outcome: Sendable {
        /// The attachment.
        public let fetch: Fetch
        /// The reason why its bytes were not stored; `nil` if they were.
        public let error: ReplicationError?
    }

    /// The downloads that end, until the instance is released. One task may iterate over them.
    public let outcomes: AsyncStream<Outcome>

    private let delegate: FetchDelegate
    private let session: URLSession

    /// Continues the downloads of this identifier, and stores the files that have arrived.
    ///
    /// - Parameters:
    ///   - identifier: The identifier of the transfers, which is the same at each start of the app. A process has one
    ///     instance for an identifier.
    ///   - directory: A directory for files that have arrived. It is created if it is absent.
    ///   - manager: The databases.
    /// - Throws: ``StoreError`` with code ``StoreError/Code/storage`` if the directory cannot be created.
    public init(identifier: String, directory: String, manager: DatastoreManager) throws(StoreError) {
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        } catch {
            throw StoreError(.storage, "\(directory) cannot be created. Check its parent directory.", cause: error)
        }
        let (outcomes, outcome) = AsyncStream.makeStream(of: Outcome.self)
        self.outcomes = outcomes
        let delegate = FetchDelegate(directory: directory, manager: manager) { outcome.yield($0) }
        self.delegate = delegate
        delegate.storeArrivals()
        session = URLSession(
            configuration: SessionPlatform.backgroundConfiguration(identifier), delegate: delegate, delegateQueue: nil)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Begins to download an attachment. Does nothing if its bytes are already here.
    ///
    /// - Parameters:
    ///   - name: The name of the attachment.
    ///   - id: The id of the document.
    ///   - datastore: The database, of all owners.
    ///   - remote: The database with the bytes.
    /// - Throws: ``ReplicationError`` with code ``ReplicationError/Code/store`` if the document or the attachment does
    ///   not exist, or the error of obtaining credentials.
    public func fetch(
        _ name: String, of id: String, in datastore: Datastore, from remote: RemoteEndpoint
    ) async throws(ReplicationError) {
        guard let revisions = try datastore.revisions(ofAbsent: name, of: id, at: nil) else { return }
        let requests = try await remote.requests(forAttachment: name, of: id, at: revisions)
        let fetch = Fetch(database: datastore.name, id: id, name: name)
        FetchTicket(fetch: fetch, requests: requests.map { FetchTicket.Request($0) }).begin(in: session)
    }

    /// The attachments that are being downloaded.
    public var active: [Fetch] {
        get async {
            await withCheckedContinuation { continuation in
                session.getAllTasks { tasks in
                    continuation.resume(returning: tasks.compactMap { FetchTicket(ofTask: $0)?.fetch })
                }
            }
        }
    }

    /// Calls `body` on the main thread when the events of the system have been handled, and the files that arrived are
    /// stored.
    public func finishEvents(then body: @escaping @MainActor @Sendable () -> Void) { delegate.finishEvents(then: body) }
}

/// The description of a download, which the system keeps as a text with the task.
private struct FetchTicket: Codable {
    struct Request: Codable {
        var url: String
        var headers: [[String]]

        init(_ request: TransportRequest) {
            url = request.url
            headers = request.headers.map { [$0.name, $0.value] }
        }
    }

    private enum CodingKeys: String, CodingKey { case database, id, name, requests }

    let fetch: BackgroundFetches.Fetch
    /// The requests that remain to be tried if this one finds nothing.
    let requests: [Request]

    init(fetch: BackgroundFetches.Fetch, requests: [Request]) { (self.fetch, self.requests) = (fetch, requests) }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        fetch = .init(
            database: try members.decode(String.self, forKey: .database),
            id: try members.decode(String.self, forKey: .id), name: try members.decode(String.self, forKey: .name))
        requests = try members.decode([Request].self, forKey: .requests)
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(fetch.database, forKey: .database)
        try members.encode(fetch.id, forKey: .id)
        try members.encode(fetch.name, forKey: .name)
        try members.encode(requests, forKey: .requests)
    }

    init?(ofTask task: URLSessionTask) {
        guard let text = task.taskDescription,
            let ticket = try? JSONDecoder().decode(FetchTicket.self, from: Data(text.utf8))
        else { return nil }
        self = ticket
    }

    /// Begins the first request.
    ///
    /// - Returns: `false` if there is none.
    @discardableResult
    func begin(in session: URLSession) -> Bool {
        guard let first = requests.first, let url = URL(string: first.url) else { return false }
        var request = URLRequest(url: url)
        for header in first.headers where header.count == 2 {
            request.setValue(header[1], forHTTPHeaderField: header[0])
        }
        let task = session.downloadTask(with: request)
        let rest = FetchTicket(fetch: fetch, requests: Array(requests.dropFirst()))
        task.taskDescription = (try? JSONEncoder().encode(rest)).map { String(decoding: $0, as: UTF8.self) }
        task.resume()
        return true
    }
}

/// Receives the events of the session. The session keeps its delegate as long as it exists.
private final class FetchDelegate: NSObject, URLSessionDownloadDelegate, Sendable {
    private struct State {
        /// The number of files that are being stored.
        var storing = 0
        var completions: [@MainActor @Sendable () -> Void] = []
        /// Whether the system has reported all events.
        var hasEvents = false
    }

    private let directory: String
    private let manager: DatastoreManager
    private let report: @Sendable (BackgroundFetches.Outcome) -> Void
    private let state = Mutex(State())

    init(
        directory: String, manager: DatastoreManager, report: @escaping @Sendable (BackgroundFetches.Outcome) -> Void
    ) {
        (self.directory, self.manager, self.report) = (directory, manager, report)
    }

    // MARK: Files that have arrived

    /// Stores the files that arrived before the process ended.
    func storeArrivals() {
        for file in (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? [] {
            if file.ends(with: ".json") { store(String(file.dropLast(5))) }
        }
    }

    /// Stores the bytes of a file in the database, and removes the file.
    private func store(_ arrival: String) {
        let (file, ticket) = ("\(directory)/\(arrival)", "\(directory)/\(arrival).json")
        guard let bytes = FileManager.default.contents(atPath: ticket),
            let fetch = try? JSONDecoder().decode(FetchTicket.self, from: bytes).fetch
        else { return }
        state.withLock { $0.storing += 1 }
        Task.detached { [self] in
            var failure: ReplicationError?
            do throws(ReplicationError) {
                try await open(fetch.database).fill(fetch.name, of: fetch.id, fromFile: file)
            } catch {
                failure = error
            }
            // The ticket is removed last: without it the file would remain.
            try? FileManager.default.removeItem(atPath: file)
            try? FileManager.default.removeItem(atPath: ticket)
            report(.init(fetch: fetch, error: failure))
            finish { $0.storing -= 1 }
        }
    }

    private func open(_ name: String) async throws(ReplicationError) -> Datastore {
        do throws(StoreError) {
            return try await manager.existingDatastore(named: name)
        } catch {
            throw ReplicationError(error)
        }
    }

    // MARK: Events

    func finishEvents(then body: @escaping @MainActor @Sendable () -> Void) {
        finish { $0.completions.append(body) }
    }

    /// Changes the state, and calls the completions if all events have been handled.
    private func finish(_ change: (inout State) -> Void) {
        let completions = state.withLock { state -> [@MainActor @Sendable () -> Void] in
            change(&state)
            guard state.storing == 0, state.hasEvents else { return [] }
            // The system reports its next events again.
            if !state.completions.isEmpty { state.hasEvents = false }
            defer { state.completions = [] }
            return state.completions
        }
        guard !completions.isEmpty else { return }
        Task { @MainActor in for completion in completions { completion() } }
    }

    func urlSession(_ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL) {
        guard let ticket = FetchTicket(ofTask: downloadTask) else { return }
        let status = (downloadTask.response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else {
            if status == 404, ticket.begin(in: session) { return }
            return report(.init(fetch: ticket.fetch, error: FetchDelegate.refusal(status, ticket.fetch)))
        }
        // The system removes the file when this method returns. The ticket comes first: without it, a file that is moved
        // just before the process ends would never be found.
        let arrival = UUID().uuidString
        do {
            let kept = try JSONEncoder().encode(FetchTicket(fetch: ticket.fetch, requests: []))
            try kept.write(to: URL(fileURLWithPath: "\(directory)/\(arrival).json"), options: .atomic)
            try FileManager.default.moveItem(atPath: location.path, toPath: "\(directory)/\(arrival)")
        } catch {
            try? FileManager.default.removeItem(atPath: "\(directory)/\(arrival).json")
            let failure = ReplicationError(.store, "\(ticket.fetch.name) cannot be kept in \(directory): \(error)")
            return report(.init(fetch: ticket.fetch, error: failure))
        }
        store(arrival)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let error, let ticket = FetchTicket(ofTask: task) else { return }
        report(.init(fetch: ticket.fetch, error: ReplicationError(.network, "\(ticket.fetch.name): \(error)")))
    }

    func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) { finish { $0.hasEvents = true } }

    private static func refusal(_ status: Int, _ fetch: BackgroundFetches.Fetch) -> ReplicationError {
        let subject = "\(fetch.id), attachment \(fetch.name)"
        return switch status {
        case 401, 403: ReplicationError(.unauthorized, "\(subject): the server refuses the credentials (\(status)).")
        case 404:
            ReplicationError(
                .attachmentRefused,
                "\(subject): no revision there has these bytes any more. Replicate, then fetch it again.")
        default: ReplicationError(.peerFailed, "\(subject): the server answers with the status \(status).")
        }
    }
}
