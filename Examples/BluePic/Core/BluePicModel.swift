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
/// A view binds to the properties and calls the methods. The app also works without a view: a post is on disk before
/// ``choose(_:token:)`` returns, and is sent when there is a network.
@MainActor @Observable
public final class BluePicModel: DeviceModel {
    /// The id of the application on the server.
    public static let application = "bluepic"

    /// The user's posts on this device that are not in the feed yet, in the order in which their pictures were chosen.
    public internal(set) var posts: [QueuedPost] = []
    /// The full name of the user; `nil` before the profile is on the device.
    public internal(set) var profileName: String?
    /// The id of the image that is the picture of the user; `nil` for none.
    public internal(set) var profilePicture: String?
    /// The number of the user's images in the feed on the device.
    public internal(set) var imageCount = 0
    /// A number that changes when the images of the feed on the device change.
    public internal(set) var feedVersion = 0
    /// Whether the device has the complete window of the feed.
    public internal(set) var isComplete = false
    /// Whether the last pull of the feed succeeded.
    public internal(set) var isOnline = false
    /// The reason why posts cannot be sent, or why the feed cannot be updated, at present; `nil` if there is no such
    /// reason.
    public internal(set) var trouble: String?

    /// The screen that the app shows, and the user.
    public let session: DeviceSession
    let configuration: Configuration
    /// The data; `nil` while it is locked.
    @ObservationIgnored var store: BluePicStore?
    @ObservationIgnored var queue: PostQueue?
    @ObservationIgnored var feedTask: Task<Void, Never>?
    @ObservationIgnored var queueTask: Task<Void, Never>?
    /// The times at which the portraits of users were requested.
    @ObservationIgnored var portraitTimes: [String: Date] = [:]

    /// The parts of the app that depend on the operating system.
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
    ///   - configuration: The parts that depend on the operating system.
    public init(server: String, configuration: Configuration) {
        self.configuration = configuration
        session = DeviceSession(
            server: server, application: BluePicModel.application, folder: configuration.folder,
            transport: configuration.transport, device: configuration.device, version: configuration.version)
    }

    /// Returns the data.
    ///
    /// - Throws: ``DeviceKit/DeviceError`` with code `locked` before the data is open.
    public func opened() throws(DeviceError) -> BluePicStore {
        guard let store else { throw DeviceError(.locked, "Unlock the photos first.") }
        return store
    }

    /// Returns the data, the name of the user, and the client that sends requests to the middle tier.
    func signedIn() throws(DeviceError) -> (store: BluePicStore, user: String, client: FeedClient) {
        let store = try opened()
        guard let user, let access else { throw DeviceError(.locked, "Sign in first.") }
        return (store, user, client(access))
    }

    func client(_ access: AccessManager) -> FeedClient {
        FeedClient(server: server, transport: configuration.transport, access: access)
    }

    /// Reads the properties that depend on the stored data.
    func refresh() async {
        guard let store else { return }
        if let known = try? store.posts.posts() { posts = known.filter { !$0.isRemoval && $0.owner == user } }
        feedVersion += 1
        guard let user else {
            (profileName, profilePicture, imageCount) = (nil, nil, 0)
            return
        }
        if let profile = store.feed.profile(of: user) {
            if profilePicture != profile.picture { portraitTimes[user] = nil }
            (profileName, profilePicture) = profile
        }
        imageCount = await store.feed.count(of: user)
    }
}
