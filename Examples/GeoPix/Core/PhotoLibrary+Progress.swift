//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import GodwitDatabase

/// The settings of the app.
public struct GeoPixSettings: Equatable, Sendable {
    /// The quality of stored pictures, 0.01 to 1.
    public var quality = 0.8
    /// Whether the photo of a chosen file gets the place that is in the file. If not, the photo has no place.
    public var usesPhotoPlaces = true

    /// Creates the default settings.
    public init() {}
}

extension PhotoLibrary {
    /// The stored state of the device.
    struct StoredState {
        var settings = GeoPixSettings()
        /// The sequence of the last change of the photos that was pushed. The server has this change and all changes
        /// before it, except the photos that it refused.
        var sentSequence: String?
        /// The ids of photos that the server refused. A later push does not send a refused photo again until the photo
        /// changes.
        var refused: Set<String> = []
    }

    func storedState() -> StoredState {
        var state = StoredState()
        let body = stateDocument.read()
        if let quality = body["quality"]?.doubleValue { state.settings.quality = quality }
        if let uses = body["usesPhotoPlaces"]?.boolValue { state.settings.usesPhotoPlaces = uses }
        state.sentSequence = body["sent"]?.stringValue
        state.refused = Set((body["refused"]?.arrayValue ?? []).compactMap(\.stringValue))
        return state
    }

    func store(_ state: StoredState) async throws(DeviceError) {
        var body: JSONObject = [
            "quality": .double(state.settings.quality), "usesPhotoPlaces": .bool(state.settings.usesPhotoPlaces),
        ]
        if let sent = state.sentSequence { body["sent"] = .string(sent) }
        if !state.refused.isEmpty { body["refused"] = .array(state.refused.sorted().map { .string($0) }) }
        do throws(StoreError) {
            try await stateDocument.write(body)
        } catch {
            throw DeviceError(error)
        }
    }

    /// Returns the ids of the photos that the server does not have in their current state: photos that changed since
    /// the last complete push, and photos that the server refused. The result does not contain deleted photos.
    func waiting(_ state: StoredState) async throws -> Set<String> {
        var waiting = state.refused.filter { (try? photos.document($0)) != nil }
        let since = state.sentSequence.flatMap { UpdateSequence($0) } ?? .zero
        for try await change in photos.changes(since: since, live: false)
        where !change.isDeleted && !change.id.hasPrefix("_design/") {
            waiting.insert(change.id)
        }
        return waiting
    }

    private static func sentID(_ id: String) -> String { "sent:\(id)" }

    /// Records that the server has photos, perhaps in an earlier state.
    func noteSent(_ ids: some Sequence<String>) async {
        // An error is ignored: if the record is not stored now, it is stored after the next change of the photo.
        for id in ids where (try? photos.document(id)) != nil {
            _ = try? await device.create(Document(id: PhotoLibrary.sentID(id), body: [:]))
        }
    }

    /// Whether the server has a photo, perhaps in an earlier state.
    public func isOnServer(_ id: String) -> Bool { (try? device.document(PhotoLibrary.sentID(id))) != nil }
}
