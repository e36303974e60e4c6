//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import DeviceKit
import GodwitBase
import GodwitDatabase

/// The requests of a device to the middle tier.
struct FeedClient: Sendable {
    private static let secondsMax = 60
    private static let answerBytesMax = 4 << 20
    private static let pictureBytesMax = 16 << 20

    let server: String
    let transport: any Transport
    let access: AccessManager

    // MARK: Posts

    /// Uploads a picture. This takes two requests: the first gets a grant, and the second sends the bytes.
    func upload(_ jpeg: [UInt8], digest: String, as id: String) async throws(DeviceError) {
        let request: JSONObject = [
            "id": .string(id), "bytes": .integer(Int64(jpeg.count)), "type": "image/jpeg", "sha256": .string(digest),
        ]
        let granted = try await json("POST", "/uploads", request)
        let headers = [
            ("X-Upload-Grant", granted["grant"]?.stringValue ?? ""), ("Content-Type", "image/jpeg"),
        ]
        _ = try await send("PUT", "/uploads/\(id)", .bytes(jpeg), headers, isUser: true)
    }

    /// Posts an uploaded picture.
    func post(_ post: QueuedPost) async throws(DeviceError) {
        let body: JSONObject = [
            "id": .string(post.id), "caption": .string(post.caption), "fileName": .string(post.fileName),
        ]
        _ = try await json("POST", "/images", body)
    }

    /// Removes an image, or a picture that was uploaded but not posted.
    func remove(_ id: String) async throws(DeviceError) { _ = try await json("DELETE", "/images/\(id)", nil) }

    // MARK: Profiles

    /// Creates the profile of the user if there is none.
    func createProfile(named name: String) async throws(DeviceError) {
        _ = try await json("POST", "/users", ["name": .string(name)])
    }

    func rename(_ user: String, to name: String) async throws(DeviceError) {
        _ = try await json("PUT", "/users/\(user.percentEncoded)", ["name": .string(name)])
    }

    func setPicture(of user: String, to image: String) async throws(DeviceError) {
        _ = try await json("PUT", "/users/\(user.percentEncoded)/picture", ["image": .string(image)])
    }

    /// Returns the id of the image that is the picture of a user; `nil` if the user has none or does not exist.
    func picture(of user: String) async throws(DeviceError) -> String? {
        do throws(DeviceError) {
            let profile = try await json("GET", "/users/\(user.percentEncoded)", nil, isUser: false)
            guard profile["picture"] != nil else { return nil }
        } catch {
            guard (error.cause as? FeedError)?.kind == .gone else { throw error }
            return nil
        }
        let response = try await response("GET", "/users/\(user.percentEncoded)/picture", .none, [], isUser: false)
        // The path is `/pictures/ID/thumbnail`.
        return response["Location"]?.split(separator: "/").dropLast().last.map(String.init)
    }

    // MARK: Pictures

    /// Returns the picture of an image, or its thumbnail.
    func picture(_ id: String, isThumbnail: Bool) async throws(DeviceError) -> [UInt8] {
        try await send("GET", "/pictures/\(id)\(isThumbnail ? "/thumbnail" : "")", .none, [], isUser: false)
    }

    /// Returns the begin of a window with the newest `count` images. It is the time of the oldest of these images. It
    /// is empty if the feed has at most `count` images.
    func windowBegin(count: Int) async throws(DeviceError) -> String {
        var (path, remaining): (String?, Int) = ("/images?limit=100", count)
        var last = ""
        while let current = path, remaining > 0 {
            let response = try await response("GET", current, .none, [], isUser: false)
            let images = try await FeedClient.value(of: response).arrayValue ?? []
            guard let next = response["X-Next"], let image = images.last else { return "" }
            (last, remaining) = (image["uploadedTs"]?.stringValue ?? "", remaining - images.count)
            path = "/images?limit=100&before=\(next.percentEncoded)"
        }
        return last
    }

    // MARK: Requests

    private func json(
        _ method: String, _ path: String, _ body: JSONObject?, isUser: Bool = true
    ) async throws(DeviceError) -> JSONValue {
        let bytes = try await send(
            method, path, body.map { .bytes(JSONValue.object($0).jsonBytes()) } ?? .none,
            [("Content-Type", "application/json")], isUser: isUser)
        return (try? JSONValue(parsing: bytes)) ?? .null
    }

    private func send(
        _ method: String, _ path: String, _ body: TransportRequest.Body, _ headers: [(String, String)], isUser: Bool
    ) async throws(DeviceError) -> [UInt8] {
        let response = try await response(method, path, body, headers, isUser: isUser)
        return try await FeedClient.bytes(of: response)
    }

    /// Sends a request. If the token is invalid, sends the request once more with a new token.
    private func response(
        _ method: String, _ path: String, _ body: TransportRequest.Body, _ headers: [(String, String)], isUser: Bool
    ) async throws(DeviceError) -> TransportResponse {
        var request = TransportRequest(method: method, url: server + path, secondsMax: Self.secondsMax)
        request.body = body
        var refusal: TokenRefusal?
        while true {
            request.headers = headers.map { (name: $0.0, value: $0.1) }
            var token: String?
            if isUser {
                let current = try await self.token(after: refusal)
                request.headers.append((name: "Authorization", value: "Bearer \(current)"))
                token = current
            }
            let response: TransportResponse
            do throws(ReplicationError) {
                response = try await transport.send(request)
            } catch {
                throw DeviceError(FeedError(.unreachable, "The server cannot be reached."))
            }
            if response.status == 401, let token, refusal == nil {
                refusal = TokenRefusal(of: token, status: 401)
                continue
            }
            guard response.status >= 400 else { return response }
            throw DeviceError(await FeedError(response))
        }
    }

    private func token(after refusal: TokenRefusal?) async throws(DeviceError) -> String {
        do {
            return try await access.token(after: refusal)
        } catch let error as ReplicationError where error.code == .unauthorized {
            throw DeviceError(FeedError(.signedOut, "The session has ended. Sign in again."))
        } catch {
            throw DeviceError(FeedError(.unreachable, "The server cannot be reached."))
        }
    }

    private static func bytes(of response: TransportResponse) async throws(DeviceError) -> [UInt8] {
        do throws(ReplicationError) {
            return try await response.collect(bytesMax: pictureBytesMax)
        } catch {
            throw DeviceError(FeedError(.unreachable, "The connection to the server was lost."))
        }
    }

    private static func value(of response: TransportResponse) async throws(DeviceError) -> JSONValue {
        (try? JSONValue(parsing: try await bytes(of: response))) ?? .null
    }
}
