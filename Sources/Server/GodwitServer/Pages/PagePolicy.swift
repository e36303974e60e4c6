//===----------------------------------------------------------------------===//
// This source file is part of the Godwit open source project.
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//

import GodwitBase
public import HTTPTypes

/// The headers and the scripts of one response with a page.
///
/// The browser runs only scripts with the nonce of the response, and scripts that these scripts load. A path or
/// `'self'` in the policy would also permit files that users store on the same origin, such as attachments. The
/// nonce is random and new for each response, so that no user can know it.
///
/// ```swift
/// let policy = PagePolicy(images: ["data:"])
/// try await context.response.send(
///     contentType: "text/html; charset=utf-8", headers: policy.headers, body: policy.adding(to: page))
/// ```
public struct PagePolicy: Sendable {
    /// The value of the attribute `nonce` of each script.
    public let nonce: String
    /// The headers of the response. It is not cached, because a cached page has the nonce of an earlier response.
    public let headers: HTTPFields

    private static let nonceBytes = 16

    /// Creates the policy of one response. The page loads nothing from other servers, is not shown in other pages, and
    /// has no inline styles.
    ///
    /// - Parameters:
    ///   - images: Sources of images in addition to this server, such as `data:`.
    ///   - media: Sources of audio and video, such as `blob:`.
    ///   - frames: Sources of frames, such as `blob:`.
    ///   - sendsForms: Whether the page has forms that the browser sends to this server.
    public init(images: [String] = [], media: [String] = [], frames: [String] = [], sendsForms: Bool = false) {
        nonce = Base64URL.encode(.random(count: PagePolicy.nonceBytes))
        let list = { (sources: [String]) in sources.isEmpty ? "'none'" : sources.joined(separator: " ") }
        headers = [
            .contentSecurityPolicy: """
            default-src 'none'; script-src 'nonce-\(nonce)' 'strict-dynamic'; style-src 'self'; \
            img-src \(list(["'self'"] + images)); media-src \(list(media)); frame-src \(list(frames)); \
            connect-src 'self'; base-uri 'none'; form-action \(sendsForms ? "'self'" : "'none'"); frame-ancestors 'none'
            """,
            .xContentTypeOptions: "nosniff", .cacheControl: "no-store", .referrerPolicy: "no-referrer",
            .frameOptions: "DENY",
        ]
    }

    /// The headers of a file that a page loads.
    public static let fileHeaders: HTTPFields = [
        .contentSecurityPolicy: "default-src 'none'; frame-ancestors 'none'", .xContentTypeOptions: "nosniff",
        .cacheControl: "no-cache", .referrerPolicy: "no-referrer",
    ]

    /// Returns a page with the nonce in each of its script elements.
    ///
    /// - Parameter page: HTML without any text of users. Otherwise, a script that a user wrote would get the nonce.
    public func adding(to page: [UInt8]) -> [UInt8] {
        let text = String(decoding: page, as: UTF8.self)
        return Array(text.replacingBytes("<script ", with: "<script nonce=\"\(nonce)\" ").utf8)
    }
}

extension HTTPField.Name {
    fileprivate static let referrerPolicy = HTTPField.Name("Referrer-Policy")!
    fileprivate static let frameOptions = HTTPField.Name("X-Frame-Options")!
}
