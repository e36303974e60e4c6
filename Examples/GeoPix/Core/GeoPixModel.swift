//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

public import DeviceKit
public import Foundation
public import GodwitDatabase
public import Observation

/// The state of the app's screens, and the actions of its user.
///
/// A view binds to the properties and calls the methods. The app also works without a view: photos are stored durably
/// before ``capture(_:caption:token:)`` returns, and are pushed when there is a network.
@MainActor @Observable
public final class GeoPixModel: DeviceModel {
    /// The maximum age of a fix, in seconds. A fix is a reading of the position. An older fix is not used.
    public static let fixAgeSecondsMax: Double = 15
    /// The longest side of a thumbnail in pixels.
    public static let thumbnailSide = 320
    /// The quality of a thumbnail.
    static let thumbnailQuality = 0.7

    /// The question of the realm at which the user signs in; `nil` if there is none.
    public internal(set) var challenge: JSONObject?
    /// The reason why the last login in the browser failed; `nil` for none.
    public internal(set) var loginFailure: String?
    /// The name of the realm that asks the question in ``challenge``; `nil` if there is no question.
    public internal(set) var realm: String?
    /// The last fix that was not too old when it was reported; `nil` before the first such fix.
    public internal(set) var fix: Fix?
    /// The status of the replication, in the words that the original app used.
    public internal(set) var replication = ReplicationStatus()
    /// The newest photo; `nil` if there is none.
    public internal(set) var last: Photo?
    /// The number of photos on the device.
    public internal(set) var count = 0
    /// The ids of the device's photos whose current state is not on the server.
    public internal(set) var waiting: Set<String> = []
    /// The number of photos of which the server has no state, not even an earlier one.
    public internal(set) var unsentCount = 0
    /// The settings.
    public internal(set) var settings = GeoPixSettings()

    /// The screen that the app shows, and the user.
    public let session: DeviceSession
    /// The ways to sign in.
    public internal(set) var logins: [GeoPixLogin]

    let configuration: Configuration
    /// The photos; `nil` while they are locked.
    @ObservationIgnored var library: PhotoLibrary?
    @ObservationIgnored var lane: ReplicationLane?
    @ObservationIgnored var stored = PhotoLibrary.StoredState()
    @ObservationIgnored var realmDelegate: RealmDelegate?
    @ObservationIgnored var pendingLogins: [String: PendingLogin] = [:]
    @ObservationIgnored var tasks: [Task<Void, Never>] = []
    @ObservationIgnored var retry = RetryDelay()
    @ObservationIgnored var retryTask: Task<Void, Never>?
    @ObservationIgnored private var refreshing: Task<Void, Never>?

    /// The parts of the app that depend on the system.
    public struct Configuration: Sendable {
        /// The directory of the app's data.
        public var folder: String
        /// The provider of the key; `nil` to protect a key file with the user's passphrase.
        public var key: (any KeyProvider)?
        /// The processor that makes copies of pictures.
        public var processor: any PhotoProcessor
        /// The transport that sends the requests.
        public var transport: any Transport
        /// The description of the device for the list of the user's devices.
        public var device: AppDevice
        /// The version of the app.
        public var version: String
        /// A closure that returns the current time.
        public var now: @Sendable () -> Date = { Date() }

        /// Creates a configuration.
        public init(
            folder: String, key: (any KeyProvider)? = nil, processor: any PhotoProcessor, transport: any Transport,
            device: AppDevice, version: String
        ) {
            (self.folder, self.key, self.processor) = (folder, key, processor)
            (self.transport, self.device, self.version) = (transport, device, version)
        }
    }

    /// Creates the app. ``start()`` opens its data.
    ///
    /// - Parameters:
    ///   - server: The URL of the server.
    ///   - realms: The names of the realms at which users can sign in. They are used until the server has sent the ways
    ///     to sign in.
    ///   - configuration: The parts that depend on the system.
    public init(server: String, realms: [String] = [], configuration: Configuration) {
        self.configuration = configuration
        session = DeviceSession(
            server: server, application: GeoPixModel.application, folder: configuration.folder,
            transport: configuration.transport, device: configuration.device, version: configuration.version)
        logins = [.password] + realms.map { GeoPixLogin(id: $0, kind: .custom, title: $0) }
    }

    /// The position of the device if the last fix is not too old; `nil` otherwise.
    public var freshPlace: PhotoPlace? {
        guard let fix, fixAgeSeconds ?? .infinity <= GeoPixModel.fixAgeSecondsMax else { return nil }
        return PhotoPlace(fix)
    }

    /// The age of the last fix in seconds; `nil` before the first fix.
    public var fixAgeSeconds: Double? {
        fix.map { configuration.now().timeIntervalSince1970 - Double($0.timeMilliseconds) / 1_000 }
    }

    /// Whether the server has a photo in its current state.
    public func isSent(_ id: String) -> Bool { !waiting.contains(id) }

    /// Whether the server has a photo, perhaps in an earlier state.
    public func isOnServer(_ id: String) -> Bool { isSent(id) || library?.isOnServer(id) == true }

    // MARK: Photos

    /// Stores a picture that the user took or chose, and requests a push. The photo is on disk when the call returns.
    ///
    /// - Parameters:
    ///   - file: A JPEG or PNG file.
    ///   - isFile: Whether the user chose a file. If so, the photo gets the time that is in the file. The photo also
    ///     gets the place that is in the file, but only if the settings allow this. If the settings do not allow it,
    ///     the photo has no place. For a picture that the user took, the place is ``freshPlace``.
    ///   - caption: The user's text. It is cut after ``PhotoEntry/captionLengthMax`` characters.
    ///   - token: A text that identifies the picture. If the call is repeated with the same token, the picture is
    ///     stored only once.
    /// - Throws: ``DeviceKit/DeviceError`` with code `locked` if no user is signed in, `unsupported`, `tooLarge`
    ///   or `input` if the file is not a usable picture, or `storage`.
    public func capture(
        _ file: [UInt8], isFile: Bool = false, caption: String? = nil, token: String? = nil
    ) async throws(DeviceError) -> Photo {
        let (library, user) = try ready()
        let takenAt = configuration.now().timeIntervalSince1970
        let place = freshPlace
        let copy = try await configuration.processor.copy(of: file, longestSide: nil, quality: settings.quality)
        let thumbnail = try await configuration.processor.copy(
            of: file, longestSide: GeoPixModel.thumbnailSide, quality: GeoPixModel.thumbnailQuality)
        // The place of a chosen file is the place where the picture was taken, and not the place where the device is
        // now.
        let ownPlace = isFile ? (settings.usesPhotoPlaces ? copy.place : nil) : place
        let entry = PhotoEntry(at: isFile ? copy.takenAt ?? takenAt : takenAt, place: ownPlace, caption: caption)
        let photo = try await library.add(
            copy.jpeg, thumbnail: thumbnail.jpeg, entry, owner: user, token: token ?? UUID().uuidString.lowercased())
        await refresh()
        await requestPush()
        return photo
    }

    /// Changes the caption of a photo, and requests a push. The caption is cut after ``PhotoEntry/captionLengthMax``
    /// characters. An empty caption is removed.
    public func setCaption(_ caption: String, of id: String) async throws(DeviceError) {
        try await ready().library.setCaption(caption, of: id)
        stored.refused.remove(id)
        await refresh()
        await requestPush()
    }

    /// Deletes a photo on this device, and requests the push that deletes it on the server.
    public func delete(_ id: String) async throws(DeviceError) {
        try await ready().library.delete(id)
        stored.refused.remove(id)
        await refresh()
        await requestPush()
    }

    /// Changes the settings.
    ///
    /// - Throws: ``DeviceKit/DeviceError`` with code `input` if the quality is not between 0.01 and 1, or
    ///   `locked` if no user is signed in.
    public func change(_ newSettings: GeoPixSettings) async throws(DeviceError) {
        guard (0.01...1).contains(newSettings.quality) else {
            throw DeviceError(.input, "The quality must be between 0.01 and 1.")
        }
        stored.settings = newSettings
        try await ready().library.store(stored)
        settings = newSettings
    }

    /// Returns the thumbnail of a photo on the device.
    public func thumbnail(of id: String) async throws(DeviceError) -> [UInt8] {
        let library = try ready().library
        if let stored = await library.thumbnail(of: id) { return stored }
        let made = try await configuration.processor.copy(
            of: try await library.image(of: id), longestSide: GeoPixModel.thumbnailSide,
            quality: GeoPixModel.thumbnailQuality
        ).jpeg
        try? await library.keepThumbnail(made, of: id)
        return made
    }

    /// Returns the photos of the device and the user.
    ///
    /// - Throws: ``DeviceError`` with code `locked` if the photos are locked, or if no user is signed in.
    public func ready() throws(DeviceError) -> (library: PhotoLibrary, user: String) {
        guard let library, let user else { throw DeviceError(.locked, "Sign in first.") }
        return (library, user)
    }

    /// Reads the properties that depend on the stored photos. If this method is called several times, the calls read
    /// one after the other. Otherwise, the result of an earlier call could replace the newer result of a later call.
    func refresh() async {
        let earlier = refreshing
        let task = Task {
            await earlier?.value
            await readAgain()
        }
        refreshing = task
        await task.value
    }

    private func readAgain() async {
        guard let library else { return }
        do {
            let newCount = try library.count()
            let newLast = try await library.photos.photos(limit: 1).photos.first
            // Both are set together, so that a view never shows the new number of photos with an outdated last photo.
            (count, last) = (newCount, newLast)
            let nowWaiting = try await library.waiting(stored)
            await library.noteSent(waiting.subtracting(nowWaiting))
            waiting = nowWaiting
            unsentCount = nowWaiting.count { !library.isOnServer($0) }
        } catch {
            replication.fail("The photos of this device cannot be read.")
        }
    }

    /// Shows the reason why a login in the browser failed.
    public func report(_ error: DeviceError) { loginFailure = error.message }

    // MARK: Location

    /// Receives a fix of the device. A fix that is older than 15 s is ignored.
    public func take(_ newFix: Fix) {
        let age = configuration.now().timeIntervalSince1970 - Double(newFix.timeMilliseconds) / 1_000
        guard age <= GeoPixModel.fixAgeSecondsMax else { return }
        fix = newFix
    }

    /// Receives the fixes of a source until the source ends. Throws the errors of the source.
    public nonisolated func follow(_ source: some LocationSource) async throws {
        for try await fix in source.fixes() { await take(fix) }
    }
}
