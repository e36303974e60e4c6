//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
import GodwitJSON
import GodwitServer
import GodwitStore
import HTTPTypes

/// The routes of the users' profiles, as in the API of 2019.
struct UserRoutes: Sendable {
    let feed: ImageFeed
    let storage: PictureStorage
    let limits: RequestLimits

    private static let bodyBytesMax = 16 << 10
    private static let nameLengthMax = 100

    var routes: [Route] {
        [
            Route(.get, "/users", access: .anyone, handler: users),
            Route(.post, "/users", access: .anyone, condition: "a user of BluePic", work: .light, handler: create),
            Route(.get, "/users/{id}", access: .anyone, work: .light, handler: user),
            Route(.put, "/users/{id}", access: .anyone, condition: "the user", work: .light, handler: rename),
            Route(.get, "/users/{id}/images", access: .anyone, handler: images),
            Route(.get, "/users/{id}/picture", access: .anyone, work: .light, handler: picture),
            Route(
                .put, "/users/{id}/picture", access: .anyone, condition: "the user", work: .light, handler: setPicture),
        ]
    }

    // MARK: Reading

    @Sendable private func users(_ context: RequestContext) async throws {
        let profiles = try feed.profiles()
        try await context.response.sendJSON(
            headers: [.cacheControl: "no-cache"], body: JSONValue.array(profiles.map(\.json)).jsonBytes())
    }

    @Sendable private func user(_ context: RequestContext) async throws {
        try await send(try profile(context), .ok, context)
    }

    private func profile(_ context: RequestContext) throws -> Profile {
        guard let profile = try feed.profile(context.request.parameter("id")) else {
            throw HTTPFailure(.notFound, "not_found", "There is no such user.")
        }
        return profile
    }

    private func send(_ profile: Profile, _ status: HTTPResponse.Status, _ context: RequestContext) async throws {
        try await context.response.sendJSON(
            status, headers: [.cacheControl: "no-cache"], body: profile.json.jsonBytes())
    }

    @Sendable private func images(_ context: RequestContext) async throws {
        let id = context.request.parameter("id")
        let page = try await feed.page(after: context.request.target.value("before"), of: id)
        if page.images.isEmpty { _ = try profile(context) }
        try await context.send(
            page, at: "/users/\(id.percentEncoded)/images", names: try feed.names(of: page.images))
    }

    /// Redirects to the thumbnail of the image that is the picture of the user.
    @Sendable private func picture(_ context: RequestContext) async throws {
        guard let image = try profile(context).picture else {
            throw HTTPFailure(.notFound, "not_found", "The user has no picture.")
        }
        try await context.response.sendEmpty(
            .found, headers: [.location: "/pictures/\(image)/thumbnail", .cacheControl: "no-cache"])
    }

    // MARK: Writing

    /// Creates a profile. If the profile exists already, it is returned unchanged.
    @Sendable private func create(_ context: RequestContext) async throws {
        let client = Client(context)
        let members = try await members(context)
        let id = try client.acting(for: members["_id"]?.stringValue)
        guard try feed.profile(id) == nil else { return try await send(try existing(id), .ok, context) }
        let name = try name(in: members) ?? id
        try await change(id) { $0["name"] = .string(name) }
        try await send(try existing(id), .created, context)
    }

    @Sendable private func rename(_ context: RequestContext) async throws {
        let id = try Client(context).acting(for: context.request.parameter("id"))
        guard let name = try name(in: try await members(context)) else {
            throw HTTPFailure(.badRequest, "bad_request", "The body needs name, a text.")
        }
        try await change(id) { $0["name"] = .string(name) }
        try await send(try existing(id), .ok, context)
    }

    @Sendable private func setPicture(_ context: RequestContext) async throws {
        let id = try Client(context).acting(for: context.request.parameter("id"))
        let image = try await members(context)["image"]
        if let name = image?.stringValue {
            guard try feed.image(name)?.isOwned(by: id) == true else {
                throw HTTPFailure(.notFound, "not_found", "The user has no such image.")
            }
        } else if image != .null {
            throw HTTPFailure(.badRequest, "bad_request", "The body needs image: the id of an image, or null.")
        }
        try await change(id) { $0["picture"] = image == .null ? nil : image }
        try await send(try existing(id), .ok, context)
    }

    private func existing(_ id: String) throws -> Profile {
        guard let profile = try feed.profile(id) else {
            throw HTTPFailure(.notFound, "not_found", "There is no such user.")
        }
        return profile
    }

    /// Changes a profile, which is created if it does not exist.
    private func change(_ id: String, _ edit: (inout JSONObject) -> Void) async throws {
        try limits.count(id)
        try await storage.locks.withLock(Profile.documentID(id)) {
            let datastore = try feed.datastore()
            if var document = try datastore.documents([Profile.documentID(id)])[0] {
                edit(&document.body)
                _ = try await datastore.update(document)
            } else {
                var body: JSONObject = ["type": .string(Profile.type), "name": .string(id)]
                edit(&body)
                _ = try await datastore.create(Document(id: Profile.documentID(id), body: body))
            }
        }
    }

    private func members(_ context: RequestContext) async throws -> JSONObject {
        let bytes = try await context.request.collectBody(bytesMax: Self.bodyBytesMax)
        guard let members = (try? JSONValue(parsing: bytes))?.objectValue else {
            throw HTTPFailure(.badRequest, "bad_request", "The body must be a JSON object.")
        }
        return members
    }

    private func name(in members: JSONObject) throws(HTTPFailure) -> String? {
        guard let value = members["name"] else { return nil }
        guard let name = value.stringValue, !name.isEmpty, name.count <= Self.nameLengthMax else {
            throw HTTPFailure(
                .badRequest, "bad_request", "name must have 1 to \(Self.nameLengthMax) characters.")
        }
        return name
    }
}
